//! The JSON patches of a target: `configPatches`, read as the provider's engine reads them.

use crate::diagnostic::{Code, Diagnostic, Place};
use crate::talos::{OwnedParent, Pointer, Relation};
use crate::text::SourceFile;
use crate::yaml::{Node, NodeKind};
use std::collections::BTreeMap;
use std::sync::Arc;

/// One operation of `configPatches`.
#[derive(Clone)]
pub(super) struct Operation<'d> {
    pub(super) index: usize,
    pub(super) item: Node<'d>,
    pub(super) op: &'d str,
    pub(super) path: Node<'d>,
    pub(super) pointer: Pointer,
    /// What `move` and `copy` take; the API server drops it, and the patch then fails.
    pub(super) from: Option<Node<'d>>,
    pub(super) value: Option<Node<'d>>,
}

/// Reads the list; absent, `null` and `[]` are all no patches.
pub(super) fn read<'d>(
    file: &Arc<SourceFile>,
    spec: Node<'d>,
    findings: &mut Vec<Diagnostic>,
) -> Vec<Operation<'d>> {
    let Some(list) = spec.get("configPatches").filter(|list| !list.is_null()) else {
        return Vec::new();
    };
    if list.is_alias() {
        findings.push(shared(file, list));
        return Vec::new();
    }
    if list.kind() != NodeKind::Sequence {
        findings.push(wrong_shape(file, list, "`configPatches` is not a list"));
        return Vec::new();
    }
    let items = list.items().enumerate();
    items
        .filter_map(|(index, item)| operation(file, index, item, findings))
        .collect()
}

fn operation<'d>(
    file: &Arc<SourceFile>,
    index: usize,
    item: Node<'d>,
    findings: &mut Vec<Diagnostic>,
) -> Option<Operation<'d>> {
    let body = item.resolved();
    if body.has_merge_key() {
        findings.push(shared(file, item));
        return None;
    }
    let text = |key| body.get(key).and_then(|node| node.resolved().text());
    let (Some(op), Some(path)) = (text("op"), text("path")) else {
        let message = format!(
            "patch {} of `configPatches` lacks `op` or `path`",
            index + 1
        );
        findings.push(wrong_shape(file, item, message));
        return None;
    };
    if !["add", "replace", "remove", "test", "move", "copy"].contains(&op) {
        findings.push(wrong_shape(
            file,
            item,
            format!("patch {} has an unknown `op`", index + 1),
        ));
        return None;
    }
    Some(Operation {
        index,
        item,
        op,
        path: body.get("path")?,
        pointer: Pointer::parse(path),
        from: body.get("from"),
        value: body.get("value"),
    })
}

/// The one patch on each owned parent, where there is one, and every reason why the list cannot be
/// merged with ours.
pub(super) fn owned<'o, 'd>(
    file: &Arc<SourceFile>,
    operations: &'o [Operation<'d>],
    parents: &[OwnedParent],
    findings: &mut Vec<Diagnostic>,
) -> BTreeMap<OwnedParent, &'o Operation<'d>> {
    let mut found = BTreeMap::new();
    for parent in parents {
        let on_parent: Vec<_> = operations
            .iter()
            .filter(|operation| operation.pointer.relation(*parent) == Relation::Same)
            .collect();
        if let [first, second, ..] = on_parent[..] {
            findings.push(duplicate(file, *parent, first, second));
        }
        if let Some(first) = on_parent.first() {
            found.insert(*parent, *first);
        }
        for operation in operations {
            let own = on_parent.first().map(|own| own.index);
            findings.extend(refusal(file, *parent, operation, own));
        }
    }
    // One patch may stand in the way of two parents; it is one finding.
    let mut seen = Vec::new();
    findings.retain(|finding| {
        let key = (
            finding.code,
            finding.places.first().and_then(|place| place.span.clone()),
        );
        let is_new = !seen.contains(&key);
        seen.push(key);
        is_new
    });
    found
}

/// Why `operation` cannot stand beside ours on `parent`, which `own` is the index of where it exists.
fn refusal(
    file: &Arc<SourceFile>,
    parent: OwnedParent,
    operation: &Operation<'_>,
    own: Option<usize>,
) -> Option<Diagnostic> {
    if let Some(taken) = taken(file, parent, operation) {
        return Some(taken);
    }
    let relation = operation.pointer.relation(parent);
    let path = operation.path.resolved().text().unwrap_or_default();
    let owned = parent.path();
    let (code, message, help) = match relation {
        Relation::Unrelated => return None,
        Relation::Above if is_harmless_ancestor(parent, operation, own) => return None,
        _ if !operation.pointer.has_leading_slash() => (
            Code::UnsupportedOp,
            format!("`{path}` lacks its leading slash, so the engine writes somewhere else"),
            format!("write `/{path}`"),
        ),
        Relation::Same if matches!(operation.op, "add" | "replace") => {
            return operation
                .value
                .filter(|value| value.is_shared())
                .or_else(|| Some(operation.item).filter(|item| item.is_alias()))
                .map(|node| shared(file, node));
        }
        Relation::Same => (
            Code::UnsupportedOp,
            format!("`{}` on `{owned}`, which hydrant owns", operation.op),
            format!("say what is wanted with one `add` of the whole value at `{owned}`"),
        ),
        Relation::Below if matches!(operation.op, "add" | "replace") => (
            Code::NestedPatch,
            format!("`{path}` patches inside a value that hydrant owns"),
            format!("`hydrant fix` moves it into one patch at `{owned}`, where that is provable"),
        ),
        Relation::Below => (
            Code::UnsupportedOp,
            format!("`{}` inside `{owned}`, which hydrant owns", operation.op),
            format!("`hydrant fix` makes one patch at `{owned}` of it, where that is provable"),
        ),
        Relation::Above => (
            Code::AncestorPatch,
            format!(
                "`{}` carries, or would erase, `{owned}`, which hydrant owns",
                if path.is_empty() { "\"\"" } else { path }
            ),
            format!(
                "move what it says about `{owned}` into a patch of its own there, after this one"
            ),
        ),
    };
    Some(Diagnostic::new(code, message, help).at(Place::new(file, operation.path.span())))
}

/// A `move` or `copy` from the owned value, from inside it, or from an ancestor.
fn taken(
    file: &Arc<SourceFile>,
    parent: OwnedParent,
    operation: &Operation<'_>,
) -> Option<Diagnostic> {
    let from = operation
        .from
        .filter(|_| matches!(operation.op, "move" | "copy"))?;
    let pointer = Pointer::parse(from.resolved().text()?);
    (pointer.relation(parent) != Relation::Unrelated).then(|| {
        let message = format!(
            "`{}` from `{}`, which hydrant owns",
            operation.op,
            parent.path()
        );
        let help = "say the values where they are wanted: the API server drops `from`";
        Diagnostic::new(Code::UnsupportedOp, message, help).at(Place::new(file, from.span()))
    })
}

/// A patch on an ancestor leaves the owned value alone when it comes before every patch on it, sets a
/// mapping, says nothing about the owned value, and keeps the way to it open.
fn is_harmless_ancestor(
    parent: OwnedParent,
    operation: &Operation<'_>,
    own: Option<usize>,
) -> bool {
    let depth = operation.pointer.segments().len();
    let is_before = own.is_none_or(|own| operation.index < own);
    if !is_before || !matches!(operation.op, "add" | "replace") {
        return false;
    }
    if !operation.pointer.has_leading_slash() {
        return false;
    }
    let Some(mut node) = operation.value.map(Node::resolved) else {
        return false;
    };
    let keys = parent.keys();
    for key in &keys[depth..keys.len() - 1] {
        match node.get(key).map(Node::resolved) {
            Some(next) if node.kind() == NodeKind::Mapping => node = next,
            _ => return false,
        }
    }
    node.kind() == NodeKind::Mapping
        && node.get(keys[keys.len() - 1]).is_none()
        && !node.has_merge_key()
}

fn duplicate(
    file: &Arc<SourceFile>,
    parent: OwnedParent,
    first: &Operation<'_>,
    second: &Operation<'_>,
) -> Diagnostic {
    let message = format!("two patches on `{}`", parent.path());
    Diagnostic::new(
        Code::DuplicateParent,
        message,
        "merge them into one: `hydrant fix` does it where that is provable",
    )
    .at(Place::new(file, second.path.span()))
    .at(Place::new(file, first.path.span()).labelled("the first is here"))
}

pub(super) fn shared(file: &Arc<SourceFile>, node: Node<'_>) -> Diagnostic {
    Diagnostic::new(
        Code::OwnedAlias,
        "a value that hydrant owns is behind an anchor, an alias or a merge key",
        "write the value out where it is used",
    )
    .at(Place::new(file, node.span()))
}

pub(super) fn wrong_shape(
    file: &Arc<SourceFile>,
    node: Node<'_>,
    message: impl Into<String>,
) -> Diagnostic {
    Diagnostic::new(
        Code::WrongShape,
        message,
        "compare it with the provider's documentation",
    )
    .at(Place::new(file, node.span()))
}
