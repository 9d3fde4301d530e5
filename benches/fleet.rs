//! How fast hydrant is: bytes a second inside, and whole runs as ratios to `sha256sum` over the same files.
//!
//! Ratios are medians of pairs taken in turn within one run, so that a machine whose speed drifts, or
//! that is busy with something else, does not decide them.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark makes files, starts programs and prints what it measured"
)]

#[path = "fleet/generate.rs"]
mod generate;

use divan::Bencher;
use divan::counter::BytesCount;
use generate::{Fleet, manifest};
use hydrant::manifest::{Request, hydrate};
use hydrant::secret::Secret;
use hydrant::talos::{HostEntry, PatchIntent, PemText, Tls};
use hydrant::text::SourceFile;
use hydrant::yaml::Stream;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

const PAIRS: usize = 7;

fn main() {
    divan::main();
    let is_listing = std::env::args().any(|argument| argument == "--list" || argument == "--test");
    if !is_listing {
        compare_with_sha256sum();
    }
}

#[divan::bench]
fn parse(bencher: Bencher) {
    let text = manifest(0);
    bencher.counter(BytesCount::of_str(&text)).bench(|| {
        Stream::parse(&text)
            .expect("generated YAML is valid")
            .documents
            .len()
    });
}

#[divan::bench]
fn parse_and_compose(bencher: Bencher) {
    let file = Arc::new(SourceFile::new("cluster-base.yaml", manifest(0)));
    let ca = PemText::new(Secret::new("-----BEGIN CERTIFICATE-----\n".repeat(20)));
    let host = "registry.example.internal".to_string();
    let intent = PatchIntent {
        tls: [(
            host.clone(),
            Tls {
                ca: Some(ca),
                ..Tls::default()
            },
        )]
        .into(),
        hosts: vec![HostEntry {
            alias: host,
            ip: Secret::new("198.51.100.27".to_string()),
        }],
        ..PatchIntent::default()
    };
    bencher.counter(BytesCount::of_str(file.text())).bench(|| {
        let request = Request {
            intent: &intent,
            provider: None,
        };
        hydrate(&file, request)
            .expect("generated manifests hydrate")
            .edits
            .len()
    });
}

/// The wall-clock time of `render --all`, and its ratio to reading and hashing the same files once.
fn compare_with_sha256sum() {
    println!("\nclusters  files MB  render --all s  sha256sum s  ratio (median of {PAIRS} pairs)");
    for clusters in [1_000, 10_000] {
        let fleet = Fleet::generate(clusters).expect("the temporary folder is writable");
        let files = fleet.files();
        let bytes: u64 = files
            .iter()
            .map(|file| file.metadata().expect("it was just written").len())
            .sum();
        let mut pairs: Vec<(Duration, Duration)> = Vec::new();
        for _ in 0..=PAIRS {
            pairs.push((time(&mut render(&fleet)), time(&mut sha256sum(&fleet))));
        }
        // The first pair warms the page cache.
        pairs.remove(0);
        let median = |pick: &dyn Fn(&(Duration, Duration)) -> f64| {
            let mut values: Vec<f64> = pairs.iter().map(pick).collect();
            values.sort_by(f64::total_cmp);
            values[values.len() / 2]
        };
        let megabytes =
            u32::try_from(bytes / 100_000).map_or(f64::NAN, |tenths| f64::from(tenths) / 10.0);
        println!(
            "{clusters:>8} {megabytes:>9.1} {:>15.3} {:>12.3} {:>6.2}",
            median(&|(render, _)| render.as_secs_f64()),
            median(&|(_, hash)| hash.as_secs_f64()),
            median(&|(render, hash)| render.as_secs_f64() / hash.as_secs_f64()),
        );
    }
}

fn render(fleet: &Fleet) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hydrant"));
    command
        .args(["render", "--all", "--quiet", "--fleet"])
        .arg(fleet.root());
    command.arg("--identity").arg(fleet.identity());
    command
}

/// One `sha256sum` over all files, as `xargs` would call it: the names go in through a shell's list.
fn sha256sum(fleet: &Fleet) -> Command {
    let mut command = Command::new("sh");
    command
        .arg("-c")
        .arg("find \"$1\" -name 'cluster-*.yaml' -print0 | xargs -0 sha256sum");
    command.arg("sh").arg(fleet.root());
    command
}

fn time(command: &mut Command) -> Duration {
    let begun = Instant::now();
    let status = command
        .stdout(Stdio::null())
        .status()
        .expect("the program starts");
    assert!(status.success(), "{command:?} failed");
    begun.elapsed()
}
