//! A few hundred generated specs: not one fault, and not one refusal of what is not ambiguous.

use super::case::{Case, Label};
use super::generate;
use super::judge::{Verdict, judge};
use super::oracle::Oracles;
use super::shrink::{self, kind_of};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
}

#[derive(Default)]
struct Counts {
    plain: usize,
    ambiguous: usize,
    refused: usize,
    compared: usize,
    skipped: usize,
}

impl Counts {
    fn add(&mut self, case: &Case, verdict: &Verdict) {
        self.plain += usize::from(case.label == Label::Plain);
        self.ambiguous += usize::from(case.label != Label::Plain);
        self.refused += usize::from(verdict.is_refused);
        self.compared += verdict.compared;
        self.skipped += verdict.skipped;
    }
}

#[test]
fn no_generated_spec_means_another_machine_and_no_plain_one_is_refused() {
    let seed = setting("HYDRANT_CONFORMANCE_SEED", 1);
    let count = setting("HYDRANT_CONFORMANCE_SPECS", 300);
    let oracles = Oracles::shared();
    let (mut counts, mut report, mut faulty) = (Counts::default(), String::new(), 0);
    // One spec of each kind of fault is shown, the smallest that has it.
    let mut shown: BTreeMap<String, usize> = BTreeMap::new();
    let judged: Vec<_> = (0..count)
        .into_par_iter()
        .map(|index| {
            let case = generate::draw(seed, index);
            let verdict = judge(oracles, &case);
            (index, case, verdict)
        })
        .collect();
    for (index, case, verdict) in &judged {
        counts.add(case, verdict);
        let Some(first) = verdict.faults.first() else {
            continue;
        };
        faulty += 1;
        let shown = shown.entry(kind_of(first)).or_default();
        *shown += 1;
        if *shown == 1 {
            describe(oracles, seed, *index, case, &mut report);
        }
    }
    let Counts {
        plain,
        ambiguous,
        refused,
        compared,
        skipped,
    } = counts;
    println!("seed {seed}: {count} specs, {plain} plain, {ambiguous} ambiguous, {refused} refused");
    println!("{compared} pairs of provider and node compared, {skipped} skipped");
    assert!(
        faulty == 0,
        "{report}{faulty} of {count} specs are faulty: {shown:#?}"
    );
    assert!(
        compared >= 9 * skipped,
        "fewer than 90 % of the pairs could be compared"
    );
}

fn describe(oracles: &Oracles, seed: u64, index: u64, case: &Case, report: &mut String) {
    let small = shrink::smallest(oracles, case);
    let verdict = judge(oracles, &small);
    let provider = small.provider.unwrap_or("not named");
    writeln!(
        report,
        "── seed {seed}, spec {index}, provider {provider}, {:?}, {:?}",
        small.label, small.wanted
    )
    .expect("a string takes it");
    for fault in &verdict.faults {
        writeln!(report, "   {fault}").expect("a string takes it");
    }
    writeln!(report, "{}", small.findings()).expect("a string takes it");
}

#[test]
fn the_same_seed_writes_the_same_manifests() {
    for index in 0..20 {
        assert_eq!(
            generate::draw(1, index).manifest(),
            generate::draw(1, index).manifest()
        );
    }
}
