use super::*;

fn folder(name: &str, text: &str) -> ClusterFolder {
    let path = PathBuf::from("clusters").join(name).join(DEFINITION);
    ClusterFolder {
        name: name.to_owned(),
        definition: Some(Ok(Arc::new(SourceFile::new(path, text)))),
        misnamed: None,
    }
}

fn read(folders: Vec<ClusterFolder>) -> (Vec<String>, Vec<&'static str>) {
    let repo = FleetRepo::read(FleetFiles {
        folders,
        ..FleetFiles::default()
    });
    let names = repo.clusters.iter().map(|it| it.name.value.to_string());
    let codes = repo.findings.iter().map(|it| it.code.name());
    (names.collect(), codes.collect())
}

#[test]
fn clusters_come_by_name_whatever_the_order_of_the_folders() {
    let folders = vec![
        folder("b", "name: b\n"),
        folder("a-1", "name: a-1\n"),
        folder("a", "name: a\n"),
    ];

    assert_eq!(
        read(folders),
        (vec!["a".into(), "a-1".into(), "b".into()], vec![])
    );
}

#[test]
fn a_definition_in_another_clusters_folder_is_not_that_cluster() {
    let (names, codes) = read(vec![folder("a", "name: b\n"), folder("b", "name: b\n")]);

    assert_eq!(names, ["b"]);
    assert_eq!(codes, ["cluster-name", "duplicate-cluster"]);
}

#[test]
fn a_definition_without_a_name_is_no_cluster() {
    assert_eq!(
        read(vec![folder("a", "type: talos\n")]),
        (vec![], vec!["missing-key"])
    );
}

#[test]
fn two_definitions_in_a_folder_are_refused_and_a_misnamed_one_alone_is_told_its_name() {
    let mut two = folder("a", "name: a\n");
    two.misnamed = Some("clusters/a/cluster-config.yml".into());
    let mut one = folder("b", "");
    one.definition = None;
    one.misnamed = Some("clusters/b/cluster-config.yml".into());

    assert_eq!(
        read(vec![two, one]).1,
        ["two-definitions", "misnamed-definition"]
    );
}

#[test]
fn a_folder_without_a_definition_is_not_a_cluster() {
    let mut secrets = folder("secrets", "");
    secrets.definition = None;

    assert_eq!(read(vec![secrets]), (vec![], vec![]));
}

#[test]
fn a_platform_of_another_version_is_not_half_understood() {
    let read = |text: &str| {
        let file = Arc::new(SourceFile::new("clusters/platform.yaml", text));
        FleetRepo::read(FleetFiles {
            platform: Some(Ok(file)),
            ..FleetFiles::default()
        })
    };

    let other = read("apiVersion: hydrant.dev/v2\nkind: Platform\n");
    assert!(other.platform.is_none());
    assert_eq!(
        other.findings[0].places[0].locator(),
        "clusters/platform.yaml:1:13"
    );
    let known =
        read("apiVersion: hydrant.dev/v1alpha1\nkind: Platform\nproviders: {bootstrap: v0.6.12}\n");
    assert_eq!(known.findings, []);
    assert_eq!(
        known
            .platform
            .unwrap()
            .providers
            .unwrap()
            .value
            .bootstrap
            .unwrap()
            .value,
        "v0.6.12"
    );
}

#[test]
fn a_near_miss_of_a_clusters_name_is_recognised() {
    let known = ["ok-edge", "ok-shared"];

    assert_eq!(
        no_such_cluster("ok-egde", known).help,
        "did you mean `ok-edge`?"
    );
    assert!(
        no_such_cluster("other", known)
            .help
            .starts_with("a cluster is a folder")
    );
}
