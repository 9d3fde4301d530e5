//! `hydrant render` under the eyes of strace: what it decrypted is on its stdout, and in no other call,
//! file or message, whether it ends well, fails, or is killed halfway.
//!
//! Needs `strace`; without root also `unshare`, because the program closes itself to everyone else.
#![expect(
    clippy::disallowed_methods,
    reason = "the test stands outside: it makes files and runs the program"
)]

#[path = "cases/house.rs"]
#[expect(dead_code, reason = "the stories use more of it")]
mod house;
#[path = "store_sentinel/strace.rs"]
mod strace;
#[path = "cases/tells.rs"]
#[expect(dead_code, reason = "the stories use more of it")]
mod tells;

use house::House;
use std::path::Path;
use std::process::Output;
use strace::hydrant_under_strace;
use tells::SHARED;

/// A cluster that takes a CA, an address and credentials out of the store.
const PLATFORM: &str = "\
apiVersion: hydrant.dev/v1alpha1
kind: Platform
registryTrust: {host: registry.example.internal, ca: {secret: CA}, address: {secret: registry-address}}
registries: {config: {corp.example: {tls: {ca: {secret: corp-ca}}, auth: {secret: AUTH}}}}
";
const DEFINITION: &str = "\
name: edge
type: talos
platformDefaults: true
registryTrust: {enabled: true}
";
const MANIFEST: &str = "\
apiVersion: bootstrap.cluster.x-k8s.io/v1alpha3
kind: TalosConfigTemplate
metadata: {name: workers}
spec: {template: {spec: {generateType: worker, talosVersion: v1.11}}}
";

/// Every call by which a value could leave the process.
const WAYS_OUT: &str = "trace=open,openat,openat2,creat,memfd_create,write,writev,pwrite64,pwritev,sendto,sendmsg,\
                        execve,link,linkat,rename,renameat,renameat2,mkdir,mkdirat,symlink,symlinkat";

fn house(ca: &str, auth: &str) -> House {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/_shared");
    let house = House::new(&shared.join("test-key.txt"));
    house.bring_in(&shared.join("before"), |_| true);
    let clusters = house.path("repo/clusters");
    let platform = PLATFORM.replace("CA", ca).replace("AUTH", auth);
    for (file, text) in [
        ("platform.yaml", platform.as_str()),
        ("edge/cluster-config.yaml", DEFINITION),
        ("edge/cluster-base.yaml", MANIFEST),
    ] {
        std::fs::write(clusters.join(file), text).expect("written");
    }
    house
}

/// `hydrant render` under strace, with what it should watch for and do.
fn traced(house: &House, options: &[&str], variables: &[(&str, &str)]) -> (Output, String) {
    let trace = house.path("keys/trace");
    let start = |program: &str| house.command(program);
    let mut command = hydrant_under_strace(start, &trace, options);
    command.args(["render", "edge", "-v"]);
    command.envs(variables.iter().copied());
    let output = command
        .output()
        .expect("this test needs `strace` and `unshare`");
    let trace = std::fs::read(&trace).expect("strace wrote its trace");
    (output, String::from_utf8_lossy(&trace).into_owned())
}

/// The calls that show something decrypted, or the key.
fn telling(trace: &str) -> Vec<&str> {
    let shows = |line: &&str| SHARED.leak(line.as_bytes(), b"").is_some();
    trace.lines().filter(shows).collect()
}

fn opened_for_writing(trace: &str) -> Vec<&str> {
    let modes = ["O_WRONLY", "O_RDWR", "O_CREAT"];
    let opens = trace.lines().filter(|line| line.contains("open"));
    opens
        .filter(|line| modes.iter().any(|mode| line.contains(mode)))
        .collect()
}

const NOWHERE: [(&str, &str); 2] = [("HOME", "/nowhere"), ("TMPDIR", "/nowhere")];

#[test]
fn a_render_writes_what_it_decrypted_to_stdout_and_opens_no_file_for_writing() {
    let house = house("registry-ca", "corp-pull");
    let before = house.repository();
    // Where nothing can be written it must work all the same.
    let (output, trace) = traced(&house, &["-e", WAYS_OUT], &NOWHERE);

    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(
        SHARED.leak(&output.stdout, b"").is_some(),
        "the control: the output shows values"
    );
    let telling = telling(&trace);
    assert!(
        !telling.is_empty(),
        "the control: strace sees what is written"
    );
    for call in telling {
        assert!(
            call.contains("write(1<") || call.contains("writev(1<"),
            "{call}"
        );
    }
    assert_eq!(opened_for_writing(&trace), [""; 0]);
    assert_eq!(SHARED.leak(&output.stderr, b""), None);
    assert_eq!(house.repository(), before);
}

/// Ways to fail: a name, the secrets that are asked for, and the variables that differ.
type Failure = (
    &'static str,
    [&'static str; 2],
    &'static [(&'static str, &'static str)],
);

const FAILURES: &[Failure] = &[
    (
        "no key",
        ["registry-ca", "corp-pull"],
        &[("HYDRANT_IDENTITY_FILE", "")],
    ),
    (
        "a missing key file",
        ["registry-ca", "corp-pull"],
        &[("HYDRANT_IDENTITY_FILE", "nowhere")],
    ),
    ("sealed for others", ["foreign", "corp-pull"], &[]),
    ("cut off", ["truncated", "corp-pull"], &[]),
    ("not there", ["no-such", "corp-pull"], &[]),
    ("not PEM", ["not-pem", "corp-pull"], &[]),
    ("not DER", ["not-der", "corp-pull"], &[]),
    ("a private key in it", ["key-in-ca", "corp-pull"], &[]),
    (
        "malformed credentials",
        ["registry-ca", "malformed-auth"],
        &[],
    ),
    ("credentials twice", ["registry-ca", "two-logins"], &[]),
    ("a CA for credentials", ["registry-ca", "corp-ca"], &[]),
    ("credentials for a CA", ["corp-pull", "corp-pull"], &[]),
];

#[test]
fn no_failure_of_a_render_shows_a_value_or_opens_a_file_for_writing() {
    for (name, [ca, auth], variables) in FAILURES {
        let house = house(ca, auth);
        let before = house.repository();
        let variables: Vec<_> = NOWHERE.iter().chain(*variables).copied().collect();
        let (output, trace) = traced(&house, &["-e", WAYS_OUT], &variables);

        assert!(!output.status.success(), "{name}: it must fail");
        assert_eq!(output.stdout, b"", "{name}");
        assert!(!output.stderr.is_empty(), "{name}: it says why");
        assert_eq!(SHARED.leak(&output.stderr, b""), None, "{name}");
        assert_eq!(telling(&trace), [""; 0], "{name}");
        assert_eq!(opened_for_writing(&trace), [""; 0], "{name}");
        assert_eq!(house.repository(), before, "{name}");
    }
}

#[test]
fn killed_at_any_step_a_render_leaves_nothing_behind() {
    let house = house("registry-ca", "corp-pull");
    let before = house.repository();
    for call in ["openat", "read", "write"] {
        let killed = |n: &usize| {
            let inject = format!("inject={call}:signal=KILL:when={n}");
            let options = ["-e", &format!("trace={call}"), "-e", &inject];
            traced(&house, &options, &[])
                .1
                .contains("killed by SIGKILL")
        };
        // The last round is the one that was not killed any more.
        let kills = (1..300).take_while(killed).inspect(|n| {
            assert_eq!(house.repository(), before, "killed at {call} {n}");
            assert_eq!(
                house.leavings(),
                [""; 0].map(Path::new),
                "killed at {call} {n}"
            );
        });
        assert!(
            kills.count() > 0,
            "the control: it was never killed at {call}"
        );
    }
}
