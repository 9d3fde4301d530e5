use super::*;

const SMALL: &str = "name: ok-edge\ntype: talos\n";

fn read(text: &str) -> (Option<ClusterDefinition>, Vec<Diagnostic>) {
    let file = Arc::new(SourceFile::new(
        "clusters/ok-edge/cluster-config.yaml",
        text,
    ));
    ClusterDefinition::read(&file)
}

fn clean(text: &str) -> ClusterDefinition {
    let (read, findings) = read(text);
    assert_eq!(findings, [], "{text}");
    read.unwrap()
}

fn codes(text: &str) -> Vec<&'static str> {
    read(text).1.iter().map(|it| it.code.name()).collect()
}

#[test]
fn only_a_true_opts_in() {
    assert!(!clean(SMALL).is_opted_in());
    assert!(!clean(&format!("{SMALL}registryTrust: {{enabled: false}}")).is_opted_in());
    assert!(clean(&format!("{SMALL}registryTrust: {{enabled: true}}")).trusts_registry());
    assert!(clean(&format!("{SMALL}platformDefaults: true")).takes_platform_defaults());
    assert!(!clean(&format!("{SMALL}platformDefaults: false")).is_opted_in());
}

#[test]
fn a_trust_that_does_not_say_whether_it_is_on_is_not_taken_for_off() {
    assert_eq!(
        codes(&format!("{SMALL}registryTrust: {{}}")),
        ["missing-key"]
    );
    assert_eq!(codes(&format!("{SMALL}registryTrust:")), ["wrong-type"]);
}

#[test]
fn an_opted_out_definition_of_another_tool_is_none_of_our_business() {
    let text =
        "name: ok-edge\ntype: kubeadm\ntalos: 1.9\nversions: {talos: 1.9}\nworkers: many\nos:\n";

    assert!(!clean(text).is_opted_in());
}

#[test]
fn only_a_talos_cluster_can_opt_in() {
    let trust = "registryTrust: {enabled: true}\n";

    assert_eq!(
        codes(&format!("name: a\ntype: kubeadm\n{trust}")),
        ["invalid-value"]
    );
    assert_eq!(codes(&format!("name: a\n{trust}")), ["missing-key"]);
}

#[test]
fn a_misspelt_block_is_told_from_another_tools() {
    assert_eq!(
        codes(&format!("{SMALL}registryTrsut: {{enabled: true}}")),
        ["lookalike-key"]
    );
    assert_eq!(
        codes(&format!("{SMALL}manifest: [a.yaml]")),
        ["lookalike-key"]
    );
    assert_eq!(
        codes(&format!("{SMALL}nodeSelector: ok-infra\ntags: [a]")),
        [""; 0]
    );
}

#[test]
fn without_a_word_the_manifest_is_cluster_base_yaml() {
    let names = |text: &str| -> Vec<String> {
        clean(text)
            .manifests
            .into_iter()
            .map(|it| it.value)
            .collect()
    };

    assert_eq!(names(SMALL), ["cluster-base.yaml"]);
    assert_eq!(
        names(&format!(
            "{SMALL}manifests: [workers/a.yaml, cluster-base.yaml]"
        )),
        ["workers/a.yaml", "cluster-base.yaml"]
    );
}

#[test]
fn a_manifest_stays_in_its_clusters_folder_and_has_one_spelling() {
    for path in [
        "../a.yaml",
        "/etc/passwd",
        "a/../../b",
        "..",
        ".",
        "./a.yaml",
        "a//b",
        "a/",
        "a\\b",
    ] {
        assert_eq!(
            codes(&format!("{SMALL}manifests: ['{path}']")),
            ["invalid-value"],
            "{path}"
        );
    }
    assert_eq!(codes(&format!("{SMALL}manifests: []")), ["invalid-value"]);
    assert_eq!(
        codes(&format!("{SMALL}manifests: [a.yaml, a.yaml]")),
        ["invalid-value"]
    );
}

#[test]
fn consent_is_given_host_by_host() {
    let text = "platformDefaults: true\nconsents: {insecureSkipVerify: ['lab.example:5000']}\n";
    let cluster = clean(&format!("{SMALL}{text}"));

    assert!(cluster.consents_to_insecure(&"lab.example:5000".parse().unwrap()));
    assert!(!cluster.consents_to_insecure(&"lab.example".parse().unwrap()));
    assert!(!clean(SMALL).consents_to_insecure(&"lab.example".parse().unwrap()));
}

#[test]
fn every_leaf_knows_its_place() {
    let text = format!(
        "{SMALL}platformDefaults: true\nworkers: {{replicas: 3, cores: 2}}\nos:\n  schematic_id: abc\n"
    );
    let cluster = clean(&text);
    let replicas = cluster.workers.unwrap().value.replicas.unwrap();
    let schematic = cluster.os.unwrap().value.schematic_id.unwrap();

    assert_eq!(replicas.value, 3);
    assert_eq!(
        replicas.at.locator(),
        "clusters/ok-edge/cluster-config.yaml:4:21"
    );
    assert_eq!(
        schematic.at.locator(),
        "clusters/ok-edge/cluster-config.yaml:6:17"
    );
}
