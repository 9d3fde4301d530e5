//! JSON patches become strategic ones, as a config of several documents needs them.
//!
//! Proven is: what the JSON patches would make of every new base, if its provider took them, is what
//! the strategic patches make of it; and they made something of an old base before.

use super::bases::{self, Base};
use super::consolidate::takers;
use super::embedded::{self, Content, Embedded, Part, Rules};
use super::engine;
use super::fix::{Deed, FixRequest, FixedTarget, Subject};
use super::placeholders;
use super::strategic::{self, Patches, overlap};
use super::supplement::Supplement;
use crate::diagnostic::{Code, Diagnostic, Place};
use crate::talos::{
    Form, GenerateType, OwnedParent, Pointer, ProviderVersion, TalosVersion, decide,
};
use crate::yaml::{self, Change, Reading};
use serde_json::Value;

/// The changes that leave no JSON patch, or findings.
pub(super) fn migrate(
    subject: &Subject<'_, '_>,
    embedded: &[Embedded<'_>],
    to: TalosVersion,
    request: FixRequest<'_>,
    fixed: &mut FixedTarget,
    findings: &mut Vec<Diagnostic>,
) -> Option<Vec<Change>> {
    if subject.steps.is_empty() {
        return Some(Vec::new());
    }
    let open = placeholders::refusals(subject.file, subject.operations, subject.operations.iter());
    if !open.is_empty() {
        findings.extend(open);
        return None;
    }
    let mut migration = Migration {
        subject,
        to,
        provider: request.provider,
        findings,
    };
    let (strings, parts_are_plain) = migration.existing(embedded)?;
    let supplement = migration.supplement(fixed)?;
    let patches = migration.patches(supplement, parts_are_plain)?;
    migration.check_order(&patches, &strings)?;
    fixed.deeds.push(Deed::Migrated {
        patches: (0..subject.steps.len())
            .map(|it| subject.place(it))
            .collect(),
        form: patches.form,
    });
    Some(changes(subject, &patches))
}

struct Migration<'m, 's, 'd> {
    subject: &'m Subject<'s, 'd>,
    to: TalosVersion,
    provider: Option<ProviderVersion>,
    findings: &'m mut Vec<Diagnostic>,
}

impl Migration<'_, '_, '_> {
    fn refuse(&mut self, message: String, help: &str, places: impl Iterator<Item = Place>) {
        let finding = Diagnostic::new(Code::NotProvable, message, help);
        self.findings.push(places.fold(finding, Diagnostic::at));
    }

    /// What the strategic patches say already: the v1alpha1 trees, and whether nothing of it is about
    /// what hydrant owns, so that documents cannot win over it.
    fn existing(&mut self, embedded: &[Embedded<'_>]) -> Option<(Vec<Value>, bool)> {
        let known = self.findings.len();
        let decided = decide(Some(self.to), GenerateType::Generated, self.provider);
        let delivery = decided.expect("a version is said");
        let rules = Rules {
            file: self.subject.file,
            talos: Some(self.to),
            provider: self.provider,
            parents: &OwnedParent::ALL,
        };
        let parts = embedded::parts(&rules, embedded, self.findings);
        if !delivery.strategic_patches {
            let message = format!(
                "{} has JSON patches, and its provider knows no other ones",
                self.subject.target.name
            );
            let help = "upgrade the bootstrap provider to v0.6.11 or later first";
            self.findings.push(
                Diagnostic::new(Code::NoStrategicPatches, message, help).at(self.subject.place(0)),
            );
        }
        if self.findings.len() > known {
            return None;
        }
        let is_plain = parts.iter().all(|part| !says_owned(part));
        let fields = parts
            .iter()
            .filter(|part| part.content == Content::V1Alpha1);
        let trees = fields.filter_map(|part| part.root.meaning(Reading::Talos).ok());
        Some((trees.collect(), is_plain))
    }

    /// What the JSON patches add to every base of the new version.
    fn supplement(&mut self, fixed: &mut FixedTarget) -> Option<Supplement> {
        let target = self.subject.target;
        let old = bases::of_one_document(target.role, current(self.subject));
        let taken = takers(&self.subject.steps, &old);
        if taken.is_empty() {
            self.refuse_failing(&old);
            return None;
        }
        let new = bases::of_several_documents(target.role, Some(self.to));
        let mut supplements = Vec::new();
        for base in &new {
            let Ok(after) = engine::apply(base.document.clone(), &self.subject.steps) else {
                self.refuse_failing(std::slice::from_ref(base));
                return None;
            };
            match Supplement::between(&base.document, &after) {
                Ok(supplement) => supplements.push(supplement),
                Err(paths) => {
                    self.refuse_foreign(&paths);
                    return None;
                }
            }
        }
        let makers = new.into_iter().map(|base| base.maker);
        let makers = makers.map(|maker| format!("{maker} for {}", self.to));
        fixed.proven_on = taken.into_iter().chain(makers).collect();
        let last = supplements.pop();
        let first = last.filter(|last| supplements.iter().all(|it| it == last));
        if first.is_none() {
            let places = (0..self.subject.steps.len()).map(|it| self.subject.place(it));
            let message = "what the JSON patches add depends on the provider's release".to_string();
            self.refuse(message, MOVE, places.collect::<Vec<_>>().into_iter());
        }
        first
    }

    fn refuse_failing(&mut self, bases: &[Base]) {
        let failed = bases.iter().find_map(|base| {
            let applied = engine::apply(base.document.clone(), &self.subject.steps);
            Some((applied.err()?, &base.maker))
        });
        let Some((failure, maker)) = failed else {
            return;
        };
        let path = &self.subject.steps[failure.at].path;
        let message = format!(
            "`{path}` fails on the base config of {maker}: {}",
            failure.why
        );
        let place = self.subject.place(failure.at);
        self.refuse(message, MOVE, [place].into_iter());
    }

    /// The patches that made what a merge cannot, and those that speak about the same places.
    fn refuse_foreign(&mut self, paths: &[String]) {
        let subject = self.subject;
        let is_about = |path: &str, step: &engine::Step| {
            let (path, patched) = (Pointer::parse(path), Pointer::parse(&step.path));
            let shared = path.segments().iter().zip(patched.segments());
            shared.into_iter().all(|(left, right)| left == right)
        };
        let steps = subject.steps.iter().enumerate();
        let guilty = steps.filter(|(_, step)| paths.iter().any(|path| is_about(path, step)));
        let guilty: Vec<usize> = guilty.map(|(index, _)| index).collect();
        let message = format!(
            "{} of the JSON patches of {} have no strategic patch that is proven to say the same: {}",
            guilty.len(),
            subject.target.name,
            paths.join(", ")
        );
        let finding = Diagnostic::new(Code::ForeignJsonPatches, message, MOVE);
        let places = guilty.into_iter().map(|index| subject.place(index));
        self.findings.push(places.fold(finding, Diagnostic::at));
    }

    fn patches(&mut self, supplement: Supplement, parts_are_plain: bool) -> Option<Patches> {
        let decided = decide(Some(self.to), GenerateType::Generated, self.provider);
        let prefers_documents = decided.is_ok_and(|it| it.preferred == Form::Documents);
        match strategic::patches(supplement, prefers_documents && parts_are_plain) {
            Ok(patches) => Some(patches),
            Err(paths) => {
                let steps = self.subject.steps.len();
                let places: Vec<_> = (0..steps).map(|it| self.subject.place(it)).collect();
                let message = format!("Talos would refuse to load {}", paths.join(", "));
                let help = "correct it in the JSON patches first: from a strategic patch the provider \
                            refuses it too";
                self.refuse(message, help, places.into_iter());
                None
            }
        }
    }

    /// New patches come behind those that are there, which the JSON patches came before.
    fn check_order(&mut self, patches: &Patches, existing: &[Value]) -> Option<()> {
        let is_field = |tree: &&Value| tree.get("kind").is_none();
        let new = patches.trees.iter().filter(is_field);
        let collides = new.flat_map(|new| existing.iter().map(move |old| overlap(new, old)));
        if !collides.into_iter().any(|it| it) {
            return Some(());
        }
        let list = self.subject.target.spec.get("strategicPatches");
        let places: Vec<_> = list
            .into_iter()
            .map(|list| Place::new(self.subject.file, list.span()))
            .collect();
        let message = format!(
            "the strategic patches of {} speak about what its JSON patches set, and their order counts",
            self.subject.target.name
        );
        self.refuse(message, "say it in one of the two", places.into_iter());
        None
    }
}

const MOVE: &str =
    "move it into `strategicPatches` by hand, or remove it; then `hydrant fix --to` takes the rest";

/// Does the part say anything about what hydrant owns?
fn says_owned(part: &Part<'_>) -> bool {
    let is_said = |parent: OwnedParent| {
        let node = parent
            .keys()
            .iter()
            .try_fold(part.root, |node, key| node.get(key));
        node.is_some()
    };
    match &part.content {
        Content::V1Alpha1 => OwnedParent::ALL.into_iter().any(is_said),
        Content::Owned(..) => true,
        Content::Other => false,
    }
}

/// The `talosVersion` as it is committed.
fn current(subject: &Subject<'_, '_>) -> Option<TalosVersion> {
    let said = subject.target.spec.get("talosVersion")?;
    TalosVersion::parse(said.resolved().text()?)
}

fn changes(subject: &Subject<'_, '_>, patches: &Patches) -> Vec<Change> {
    let route = &subject.target.route;
    let mut changes = vec![Change::Remove {
        at: route.key("configPatches"),
    }];
    let strings = patches.trees.iter();
    let mut strings: Vec<Value> = strings
        .map(|tree| Value::String(yaml::text_of(tree).to_string()))
        .collect();
    if subject.target.spec.get("strategicPatches").is_some() {
        let to = route.key("strategicPatches");
        changes.extend(strings.drain(..).map(|value| Change::Append {
            to: to.clone(),
            value,
        }));
    } else if !strings.is_empty() {
        changes.push(Change::Insert {
            into: route.clone(),
            key: "strategicPatches".into(),
            value: Value::Array(strings),
        });
    }
    changes
}

/// The change that sets `talosVersion`, where it is not set so already.
pub(super) fn version(
    subject: &Subject<'_, '_>,
    to: TalosVersion,
    text: &str,
    fixed: &mut FixedTarget,
) -> Result<Option<Change>, Diagnostic> {
    let said = subject.target.spec.get("talosVersion");
    let from = said.and_then(|node| node.resolved().text());
    let from = from.filter(|_| said.is_some_and(|node| !node.is_null()));
    if from == Some(text) {
        return Ok(None);
    }
    if let (Some(node), Some(from)) = (said, current(subject).filter(|from| from.minor > to.minor))
    {
        let message = format!(
            "{} says talosVersion {from}, which is later than {text}",
            subject.target.name
        );
        let help = "name a version that is not earlier than any target's";
        let finding = Diagnostic::new(Code::NotProvable, message, help);
        return Err(finding.at(Place::new(subject.file, node.span())));
    }
    fixed.deeds.push(Deed::Versioned {
        from: from.map(str::to_string),
        to: text.to_string(),
    });
    let (route, value) = (&subject.target.route, Value::String(text.to_string()));
    Ok(Some(match said {
        Some(_) => Change::Set {
            at: route.key("talosVersion"),
            value,
        },
        None => Change::Insert {
            into: route.clone(),
            key: "talosVersion".into(),
            value,
        },
    }))
}
