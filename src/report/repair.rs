//! A repair in words: what becomes of which patches, and what that does to machines.

use crate::diagnostic::Place;
use crate::manifest::{Block, Deed, FixedTarget};
use crate::plan::ClusterRepair;
use crate::talos::Form;

/// What is done and what follows from it, a line each.
pub fn words_of_repair(repair: &ClusterRepair) -> Vec<String> {
    let mut lines = Vec::new();
    for file in &repair.files {
        let path = file.file.path().display();
        for target in &file.fix.targets {
            let deeds = target.deeds.iter().map(deed);
            lines.extend(deeds.map(|deed| format!("{path}: {}: {deed}", target.name)));
            lines.push(format!(
                "{path}: {}: {}",
                target.name,
                effect(target, repair)
            ));
        }
        for comment in &file.fix.lost_comments {
            lines.push(format!(
                "{}: this comment goes with the patch that it stood in",
                comment.locator()
            ));
        }
    }
    if let Some(at) = repair
        .other_version
        .as_ref()
        .filter(|_| !repair.files.is_empty())
    {
        lines.push(format!(
            "{}: the definition names another Talos: change it when the machines are to run the new one",
            at.locator()
        ));
    }
    lines
}

/// On which bases each target was found to get the same config.
pub fn proof_of_repair(repair: &ClusterRepair) -> Vec<String> {
    let targets = repair.files.iter().flat_map(|file| {
        let path = file.file.path().display();
        let targets = file.fix.targets.iter();
        targets.map(move |target| (format!("{path}: {}", target.name), &target.proven_on))
    });
    targets
        .filter(|(_, bases)| !bases.is_empty())
        .map(|(name, bases)| format!("{name}: proven on the base config of {}", bases.join(", ")))
        .collect()
}

fn deed(deed: &Deed) -> String {
    match deed {
        Deed::Consolidated { parent, patches } => format!(
            "one JSON patch at `{}` instead of {}",
            parent.path(),
            by_line(patches)
        ),
        Deed::Migrated { patches, form } => {
            let form = match form {
                Some(Form::Documents) => ", registries and hosts as documents",
                Some(_) => ", registries and hosts as v1alpha1 fields",
                None => "",
            };
            format!("strategic patches instead of {}{form}", by_line(patches))
        }
        Deed::Versioned { from, to } => match from {
            Some(from) => format!("talosVersion {to} instead of {from}"),
            None => format!("talosVersion {to} instead of none"),
        },
    }
}

/// `those on lines 12, 15`.
fn by_line(patches: &[Place]) -> String {
    let lines = patches.iter().filter_map(|place| {
        let span = place.span.as_ref()?;
        Some(place.file.position(span.start).line.to_string())
    });
    let lines: Vec<String> = lines.collect();
    match &lines[..] {
        [line] => format!("that on line {line}"),
        _ => format!("those on lines {}", lines.join(", ")),
    }
}

fn effect(target: &FixedTarget, repair: &ClusterRepair) -> String {
    match target.name.block {
        Block::ControlPlane | Block::Init if target.is_patient => {
            "its machines are replaced as they are deleted (OnDelete)".to_string()
        }
        Block::ControlPlane | Block::Init => {
            "in a running cluster this replaces every control-plane machine, one after the other"
                .to_string()
        }
        Block::Config => {
            "in a running cluster its spec cannot change: the machine must be made anew, \
                          with a TalosConfig of another name"
                .to_string()
        }
        Block::Template => {
            let name = &target.name.name;
            let users = repair.references.iter().filter(|it| it.template == *name);
            let users: Vec<_> = users
                .map(|it| format!("{} ({})", it.by, it.at.locator()))
                .collect();
            let users = if users.is_empty() {
                "whatever refers to it".to_string()
            } else {
                users.join(", ")
            };
            format!(
                "in a running cluster its spec cannot change: give it a new `metadata.name`, and that \
                 name to {users}; this replaces those workers"
            )
        }
    }
}
