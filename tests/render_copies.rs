//! `hydrant render` of clusters that did not opt in, and of everything that is not a cluster: the
//! program as it is run, on folders of its own.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "the test stands outside: it makes files and runs the program"
)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const OUT: &str = "registryTrust: {enabled: false}\n";
const IN: &str = "type: talos\nregistryTrust: {enabled: true}\n";

/// A fleet of clusters: name, the definition's text behind the name, the manifest.
fn fleet(clusters: &[(&str, &str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, definition, manifest) in clusters {
        let cluster = folder.path().join("clusters").join(name);
        fs::create_dir_all(&cluster).unwrap();
        let definition = format!("name: {name}\n{definition}");
        fs::write(cluster.join("cluster-config.yaml"), definition).unwrap();
        fs::write(cluster.join("cluster-base.yaml"), manifest).unwrap();
    }
    folder
}

fn hydrant(at: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hydrant"))
        .current_dir(at)
        .env_clear()
        .args(arguments)
        .output()
        .unwrap()
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

#[track_caller]
fn fails(output: &Output, code: i32, says: &[&str]) {
    assert_eq!(output.status.code(), Some(code), "{}", stderr(output));
    assert!(
        output.stdout.is_empty(),
        "nothing is printed when something fails"
    );
    for word in says {
        assert!(
            stderr(output).contains(word),
            "no {word:?} in:\n{}",
            stderr(output)
        );
    }
}

#[test]
fn what_did_not_opt_in_comes_out_as_the_bytes_it_is_whatever_they_are() {
    for manifest in [
        &b"a: 1\r\nb:\t${VAR:-x: {}}\r\n"[..],
        b"",
        b"\xef\xbb\xbf---\na: 1",
        b"a: 1\rb: 2\r",
        b"\x00\xff\xfe not text at all",
        b"{{ template }}\n  broken: [",
    ] {
        let fleet = fleet(&[("a", OUT, manifest)]);
        for arguments in [&["render", "a"][..], &["render", "--all", "--redact"]] {
            let output = hydrant(fleet.path(), arguments);
            assert_eq!(output.stdout, manifest);
            assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
        }
    }
}

#[test]
fn the_order_is_the_clusters_names_and_the_manifests_as_listed() {
    let fleet = fleet(&[
        (
            "b",
            "manifests: [z.yaml, cluster-base.yaml]\n",
            b"---\nb: base\n",
        ),
        ("a", "", b"---\na: base"),
    ]);
    fs::write(fleet.path().join("clusters/b/z.yaml"), "b: z\n").unwrap();
    let expected = "---\na: base\n---\nb: z\n---\nb: base\n";

    for arguments in [&["render", "--all"][..], &["render", "b", "a", "b"]] {
        let output = hydrant(fleet.path(), arguments);
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    }
}

#[test]
fn one_failing_cluster_leaves_no_output_at_all_and_everything_wrong_is_said() {
    let fleet = fleet(&[
        ("a", "", b"a: 1\n"),
        ("b", "registryTrust: {enabled: yes}\n", b"b: 1\n"),
        ("c", "manifests: [gone.yaml]\n", b""),
        ("d", IN, b"broken: [\n"),
    ]);
    let output = hydrant(fleet.path(), &["render", "--all"]);

    fails(
        &output,
        2,
        &[
            "error[wrong-type]",
            "clusters/b/cluster-config.yaml:2:26",
            "error[missing-manifest]",
            "clusters/c/gone.yaml",
            "clusters/c/cluster-config.yaml:2:13",
            "clusters/d/",
        ],
    );
    assert_eq!(hydrant(fleet.path(), &["render", "a"]).stdout, b"a: 1\n");
}

#[test]
fn a_run_that_matches_nothing_is_no_success() {
    let fleet = fleet(&[("ok-edge", "", b"a: 1\n")]);
    let at = fleet.path();

    fails(
        &hydrant(at, &["render", "ok-egde"]),
        2,
        &["no-cluster", "did you mean `ok-edge`?"],
    );
    fails(
        &hydrant(at, &["render", "../clusters/ok-edge"]),
        2,
        &["cluster-name"],
    );
    fails(&hydrant(at, &["render", ".."]), 2, &["cluster-name"]);
    fails(&hydrant(at, &["render"]), 2, &["--all", "Usage"]);
    fs::remove_dir_all(at.join("clusters/ok-edge")).unwrap();
    fails(&hydrant(at, &["render", "--all"]), 2, &["no-fleet"]);
    fs::write(
        at.join("clusters/platform.yaml"),
        "apiVersion: hydrant.dev/v1alpha1\nkind: Platform\n",
    )
    .unwrap();
    fails(
        &hydrant(at, &["render", "--all"]),
        2,
        &["no-cluster", "the fleet has no cluster"],
    );
}

#[test]
fn the_root_may_be_named_and_places_are_shown_as_a_user_would_type_them() {
    let fleet = fleet(&[("a", "registryTrust: {enabled: 1}\n", b"")]);
    let outside = tempfile::tempdir().unwrap();
    let named = fleet.path().join("clusters");
    let named = named.to_str().unwrap();

    let output = hydrant(outside.path(), &["--fleet", named, "render", "a"]);
    fails(
        &output,
        2,
        &[&format!("{named}/a/cluster-config.yaml:2:26")],
    );
    let inside = fleet.path().join("clusters/a");
    fails(
        &hydrant(&inside, &["render", "a"]),
        2,
        &["../a/cluster-config.yaml:2:26"],
    );
}

#[test]
fn findings_for_programs_go_to_stderr_so_that_stdout_stays_data() {
    let fleet = fleet(&[("a", "registryTrsut: {}\n", b"a: 1\n")]);
    let output = hydrant(fleet.path(), &["render", "a", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(stderr(&output)).unwrap();

    assert_eq!(output.stdout, b"a: 1\n");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(report["findings"][0]["code"], "lookalike-key");
    assert_eq!(report["summary"]["warnings"], 1);
    assert_eq!(stderr(&hydrant(fleet.path(), &["render", "a", "-q"])), "");
}

#[test]
fn a_reader_that_closes_early_is_no_crash() {
    let long = "a: 1\n".repeat(100_000);
    let fleet = fleet(&[("a", "", long.as_bytes())]);
    let mut child = Command::new(env!("CARGO_BIN_EXE_hydrant"))
        .current_dir(fleet.path())
        .args(["render", "a"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();

    assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
}

#[test]
fn a_full_disk_behind_stdout_is_no_success() {
    let fleet = fleet(&[("a", "", b"a: 1\n")]);
    let status = Command::new(env!("CARGO_BIN_EXE_hydrant"))
        .current_dir(fleet.path())
        .args(["render", "a"])
        .stdout(
            fs::OpenOptions::new()
                .write(true)
                .open("/dev/full")
                .unwrap(),
        )
        .stderr(Stdio::null())
        .status()
        .unwrap();

    assert_eq!(status.code(), Some(3));
}
