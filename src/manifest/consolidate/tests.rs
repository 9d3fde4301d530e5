use super::*;
use crate::manifest::bases;
use crate::manifest::target::Role;
use crate::talos::TalosVersion;
use proptest::prelude::*;
use serde_json::json;

const REGISTRIES: OwnedParent = OwnedParent::Registries;
const HOSTS: OwnedParent = OwnedParent::HostEntries;

fn step(op: &str, path: &str, value: Value) -> Step {
    Step {
        op: op.into(),
        path: path.into(),
        value,
    }
}

fn add(path: &str, value: Value) -> Step {
    step("add", path, value)
}

fn bases_of(talos: &str) -> Vec<Base> {
    bases::of_one_document(Role::Worker, TalosVersion::parse(talos))
}

fn consolidated(parent: OwnedParent, steps: &[Step]) -> Result<Patches, Doubt> {
    Patches::committed(steps.to_vec()).consolidated(parent, &bases_of("v1.9.5"))
}

#[test]
fn nested_patches_move_into_the_parent_where_it_stands() {
    let other = add("/machine/kubelet/extraArgs", json!({"v": "2"}));
    let list = [
        add("/machine/registries", json!({"mirrors": {}})),
        other.clone(),
        add(
            "/machine/registries/mirrors/ghcr.io",
            json!({"endpoints": ["https://m.example"]}),
        ),
        add("/machine/registries/config", json!({})),
        step("remove", "/machine/registries/config", Value::Null),
    ];
    let got = consolidated(REGISTRIES, &list).unwrap();

    let whole = add(
        "/machine/registries",
        json!({"mirrors": {"ghcr.io": {"endpoints": ["https://m.example"]}}}),
    );
    assert_eq!(got.kept, [Some(whole), Some(other), None, None, None]);
}

#[test]
fn of_two_patches_on_one_parent_the_later_one_counts_and_keeps_its_op() {
    let list = [
        add("/machine/registries", json!({"mirrors": {}})),
        step("replace", "/machine/registries", json!({"config": {}})),
    ];
    let got = consolidated(REGISTRIES, &list).unwrap();

    assert_eq!(got.kept, [None, Some(list[1].clone())]);
}

#[test]
fn entries_behind_the_end_of_the_list_and_by_index_keep_their_order() {
    let entry = |ip: &str| json!({"ip": ip, "aliases": ["a.example"]});
    let path = "/machine/network/extraHostEntries";
    let list = [
        add(path, json!([entry("192.0.2.1")])),
        add(&format!("{path}/-"), entry("192.0.2.2")),
        add(&format!("{path}/0"), entry("192.0.2.3")),
        step("replace", &format!("{path}/-1/ip"), json!("192.0.2.4")),
    ];
    let got = consolidated(HOSTS, &list).unwrap();

    let whole = ["192.0.2.3", "192.0.2.1", "192.0.2.4"].map(entry);
    assert_eq!(got.kept[0], Some(add(path, json!(whole))));
    assert_eq!(got.steps().len(), 1);
}

#[test]
fn what_never_applied_to_a_fresh_base_is_not_repaired() {
    let list = [add("/machine/registries/mirrors", json!({}))];

    assert!(matches!(
        consolidated(REGISTRIES, &list),
        Err(Doubt::NeverApplies(Failure { at: 0, .. }))
    ));
    // The base of a contract of 1.2 has registries.
    let bases = bases_of("v1.2");
    let got = Patches::committed(list.to_vec()).consolidated(REGISTRIES, &bases);
    assert_eq!(
        got.unwrap().steps(),
        [add("/machine/registries", json!({"mirrors": {}}))]
    );
}

#[test]
fn an_ancestor_gives_up_what_it_says_about_the_parent() {
    let list = [
        add(
            "/machine/network",
            json!({"nameservers": ["192.0.2.53"], "extraHostEntries": []}),
        ),
        add(
            "/machine/network/extraHostEntries/-",
            json!({"ip": "192.0.2.1"}),
        ),
    ];
    let got = consolidated(HOSTS, &list).unwrap();

    assert_eq!(
        got.steps(),
        [
            add("/machine/network", json!({"nameservers": ["192.0.2.53"]})),
            add(
                "/machine/network/extraHostEntries",
                json!([{"ip": "192.0.2.1"}])
            ),
        ]
    );
}

#[test]
fn what_an_ancestor_erases_is_not_said_again() {
    let list = [
        add("/machine/network/extraHostEntries", json!([])),
        add("/machine/network", json!({"nameservers": []})),
    ];

    assert_eq!(
        consolidated(HOSTS, &list).unwrap().steps(),
        [list[1].clone()]
    );
}

#[test]
fn a_path_without_its_slash_writes_elsewhere_and_stays() {
    let list = [
        add("/machine/registries", json!({})),
        add("machine/registries", json!({"mirrors": {}})),
    ];

    assert_eq!(consolidated(REGISTRIES, &list), Err(Doubt::NoPosition));
}

#[test]
fn given_data_that_the_list_removes_from_is_not_proven_without_the_removal() {
    let data = Base {
        maker: "data".into(),
        document: json!({"machine": {"registries": {"mirrors": {"a": {}}}}}),
    };
    let list = [
        step("remove", "/machine/registries", Value::Null),
        add("/machine/registries", json!({"mirrors": {"b": {}}})),
    ];
    let got =
        Patches::committed(list.to_vec()).consolidated(REGISTRIES, std::slice::from_ref(&data));
    assert_eq!(got.unwrap().steps(), [list[1].clone()]);

    let got = Patches::committed(list[..1].to_vec()).consolidated(REGISTRIES, &[data]);
    assert_eq!(got, Err(Doubt::NoPosition));
}

fn paths() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "",
        "/machine",
        "/machine/network",
        "/machine/network/nameservers",
        "/machine/network/extraHostEntries",
        "/machine/network/extraHostEntries/-",
        "/machine/network/extraHostEntries/0",
        "/machine/network/extraHostEntries/-1",
        "/machine/network/extraHostEntries/-1/aliases",
        "/machine/registries",
        "/machine/registries/mirrors",
        "/machine/registries/mirrors/ghcr.io",
        "/machine/registries/mirrors/a~1b~0c",
        "/machine/registries/config",
        "machine/registries",
        "machine/registries/mirrors",
        "/machine/kubelet/extraArgs",
    ])
}

fn values() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        Value::Null,
        json!({}),
        json!([]),
        json!("x"),
        json!({"mirrors": {}, "config": {}}),
        json!({"endpoints": ["https://m.example"]}),
        json!([{"ip": "192.0.2.1", "aliases": ["a.example"]}]),
        json!({"ip": "192.0.2.2", "aliases": []}),
        json!({"extraHostEntries": [], "nameservers": ["192.0.2.53"]}),
        json!({"network": {"extraHostEntries": []}, "registries": {"mirrors": {}}}),
    ])
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let op = prop::sample::select(vec!["add", "add", "add", "replace", "remove", "test"]);
    let one = (op, paths(), values()).prop_map(|(op, path, value)| step(op, path, value));
    prop::collection::vec(one, 1..7)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// What is accepted makes the same config of every base that took the committed list, and has one
    /// patch on the parent at most and none inside it.
    #[test]
    fn a_list_that_is_accepted_means_the_same(
        head in prop::bool::ANY,
        list in steps(),
        talos in prop::sample::select(vec!["v1.2", "v1.9.5", "v1.12"]),
    ) {
        let mut all = Vec::new();
        if head {
            all.push(add("/machine/registries", json!({"mirrors": {}})));
            all.push(add("/machine/network/extraHostEntries", json!([])));
        }
        all.extend(list);
        let bases = bases_of(talos);
        for parent in OwnedParent::ALL {
            let Ok(got) = Patches::committed(all.clone()).consolidated(parent, &bases) else {
                continue;
            };
            let after = got.steps();
            let inside = after.iter().filter(|step| relation(step, parent) == Relation::Below);
            prop_assert_eq!(inside.count(), 0);
            let on = after.iter().filter(|step| relation(step, parent) == Relation::Same);
            prop_assert!(on.count() <= 1);
            let mut taken = 0;
            for base in &bases {
                if let Ok(before) = engine::apply(base.document.clone(), &all) {
                    taken += 1;
                    prop_assert_eq!(engine::apply(base.document.clone(), &after), Ok(before));
                }
            }
            prop_assert!(taken > 0);
        }
    }
}
