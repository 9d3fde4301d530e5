use super::*;
use crate::fleet::FleetRepo;
use std::os::unix::fs::symlink;
use tempfile::TempDir;

const PLATFORM_TEXT: &str = "apiVersion: hydrant.dev/v1alpha1\nkind: Platform\n";

fn tree(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        disk::make_folder(path.parent().unwrap()).unwrap();
        disk::write(&path, text.as_bytes(), disk::Overwrite::Never).unwrap();
    }
    folder
}

fn shown(found: Result<FleetRoot, Diagnostic>) -> String {
    found.unwrap().shown(PLATFORM).display().to_string()
}

fn codes(root: &FleetRoot) -> Vec<&'static str> {
    let repo = FleetRepo::read(root.read_all());
    repo.findings.iter().map(|it| it.code.name()).collect()
}

#[test]
fn both_layouts_are_found_from_any_depth() {
    let flat = tree(&[("a/cluster-config.yaml", "name: a\n"), ("a/x/y", "")]);
    let below = tree(&[
        ("clusters/a/cluster-config.yaml", "name: a\n"),
        ("docs/x", ""),
    ]);
    let find = |at: &TempDir, below: &str| FleetRoot::find(&at.path().join(below), None);

    assert_eq!(shown(find(&flat, "")), "platform.yaml");
    assert_eq!(shown(find(&flat, "a/x")), "../../platform.yaml");
    assert_eq!(shown(find(&below, "")), "clusters/platform.yaml");
    assert_eq!(shown(find(&below, "docs")), "../clusters/platform.yaml");
    assert_eq!(shown(find(&below, "clusters/a")), "../platform.yaml");
}

#[test]
fn a_platform_is_the_stronger_sign_of_a_root_than_definitions_beside_it() {
    let both = tree(&[
        ("clusters/platform.yaml", PLATFORM_TEXT),
        ("example/cluster-config.yaml", "name: example\n"),
    ]);

    assert_eq!(
        shown(FleetRoot::find(both.path(), None)),
        "clusters/platform.yaml"
    );
}

#[test]
fn a_root_that_was_asked_for_is_shown_as_it_was_typed() {
    let below = tree(&[("repo/clusters/a/cluster-config.yaml", "name: a\n")]);
    let find = |asked: &str| FleetRoot::find(below.path(), Some(Path::new(asked)));

    assert_eq!(shown(find("repo")), "repo/clusters/platform.yaml");
    assert_eq!(shown(find("repo/clusters")), "repo/clusters/platform.yaml");
    assert_eq!(find("nowhere").unwrap_err().code, Code::NoFleet);
    assert_eq!(find("repo/clusters/a").unwrap_err().code, Code::NoFleet);
}

#[test]
fn a_loop_of_links_is_a_finding_and_no_hang() {
    let fleet = tree(&[("a/cluster-config.yaml", "name: a\n"), ("b/x", "")]);
    let path = |below: &str| fleet.path().join(below);
    symlink(path("loop"), path("loop")).unwrap();
    symlink("cluster-config.yaml", path("b/cluster-config.yaml")).unwrap();
    symlink("nowhere", path("dangling")).unwrap();
    symlink("..", path("a/up")).unwrap();
    let root = FleetRoot::find(fleet.path(), None).unwrap();

    assert_eq!(codes(&root), ["unreadable-file"; 3]);
}

#[test]
fn a_pipe_in_place_of_a_definition_is_not_waited_for() {
    let fleet = tree(&[("a/cluster-config.yaml", "name: a\n"), ("b/x", "")]);
    let pipe = fleet.path().join("b/cluster-config.yaml");
    let (kind, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR);
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, kind, mode, 0).unwrap();

    assert_eq!(
        codes(&FleetRoot::find(fleet.path(), None).unwrap()),
        ["unreadable-file"]
    );
}

#[test]
fn a_definition_that_is_no_text_or_too_large_is_refused_by_name() {
    let fleet = tree(&[
        ("a/cluster-config.yaml", "name: a\n"),
        ("b/x", ""),
        ("c/x", ""),
    ]);
    let write = |below: &str, bytes: &[u8]| {
        disk::write(&fleet.path().join(below), bytes, disk::Overwrite::Never).unwrap();
    };
    write("b/cluster-config.yaml", b"name: \xff\n");
    write("c/cluster-config.yaml", &vec![b'#'; LARGEST_TEXT + 1]);
    let root = FleetRoot::find(fleet.path(), None).unwrap();

    assert_eq!(codes(&root), ["not-utf-8", "file-too-large"]);
    assert_eq!(
        root.read_bytes(Path::new("b/cluster-config.yaml")).unwrap(),
        b"name: \xff\n"
    );
}

#[test]
fn asking_for_some_reads_no_other_folder() {
    let fleet = tree(&[
        ("a/cluster-config.yaml", "name: a\n"),
        ("b/cluster-config.yaml", "{{"),
    ]);
    let root = FleetRoot::find(fleet.path(), None).unwrap();
    let files = root.read_some(&["a".parse().unwrap(), "none".parse().unwrap()]);

    assert_eq!(files.cluster_names().collect::<Vec<_>>(), ["a"]);
    assert!(FleetRepo::read(files).findings.is_empty());
    assert_eq!(root.cluster_names().unwrap(), ["a", "b"]);
}

#[test]
fn hidden_folders_and_files_are_not_clusters() {
    let fleet = tree(&[
        ("a/cluster-config.yaml", "name: a\n"),
        (".git/cluster-config.yaml", "{{"),
        ("notes.md", ""),
    ]);

    assert_eq!(
        FleetRoot::find(fleet.path(), None)
            .unwrap()
            .cluster_names()
            .unwrap(),
        ["a"]
    );
}
