//! Talos configs inside a manifest: the strings of `strategicPatches`, and `data`.
//!
//! Each string is read as Talos reads it: documents of their own kinds, the v1alpha1 document, or a
//! JSON patch in disguise.

use super::operations::{shared, wrong_shape};
use crate::diagnostic::{Code, Diagnostic, Place};
use crate::talos::{DocumentKind, OwnedParent, ProviderVersion, TalosVersion, is_known};
use crate::text::{SourceFile, Span};
use crate::yaml::{Node, NodeKind, Route, Stream};
use std::sync::Arc;

/// A string that holds Talos configs.
pub(super) struct Embedded<'d> {
    /// The string's node in the manifest.
    pub(super) scalar: Node<'d>,
    /// Where that is.
    pub(super) route: Route,
    /// Is it the base config (`data`) rather than a patch on it?
    pub(super) is_base: bool,
    /// Its decoded text, parsed.
    pub(super) stream: Stream<'d>,
}

/// What one document of an embedded string is.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Content {
    /// The v1alpha1 config, or a strategic patch on it.
    V1Alpha1,
    /// One of the documents that carry what hydrant owns, with its name.
    Owned(DocumentKind, String),
    /// Any other document.
    Other,
}

/// One document of an embedded string.
#[derive(Clone)]
pub(super) struct Part<'e> {
    /// The index of the embedded string.
    pub(super) embedded: usize,
    /// The index of the document in it.
    pub(super) document: usize,
    pub(super) root: Node<'e>,
    pub(super) content: Content,
}

impl Embedded<'_> {
    /// Where in the manifest a span of the decoded text is; for other than literal text, the whole string.
    pub(super) fn outer(&self, span: &Span) -> Span {
        let ends = (
            self.scalar.outer_offset(span.start),
            self.scalar.outer_offset(span.end),
        );
        match ends {
            (Some(start), Some(end)) if start <= end => start..end,
            _ => self.scalar.span(),
        }
    }

    /// Can its text be edited in place?
    pub(super) fn is_editable(&self) -> bool {
        self.scalar.is_literal()
    }
}

/// Reads `data` (where `generateType` is `none`) and `strategicPatches`, in the order in which they apply.
pub(super) fn read<'d>(
    file: &Arc<SourceFile>,
    spec: Node<'d>,
    route: &Route,
    findings: &mut Vec<Diagnostic>,
) -> Vec<Embedded<'d>> {
    let mut found = Vec::new();
    let generate_type = spec
        .get("generateType")
        .and_then(|node| node.resolved().text());
    if let Some(data) = spec
        .get("data")
        .filter(|data| !data.is_null() && generate_type == Some("none"))
    {
        found.extend(parse(file, data, route.key("data"), true, findings));
    }
    let Some(list) = spec.get("strategicPatches").filter(|list| !list.is_null()) else {
        return found;
    };
    if list.is_alias() {
        findings.push(shared(file, list));
        return found;
    }
    if list.kind() != NodeKind::Sequence {
        findings.push(wrong_shape(file, list, "`strategicPatches` is not a list"));
        return found;
    }
    for (index, item) in list.items().enumerate() {
        let route = route.key("strategicPatches").index(index);
        found.extend(parse(file, item, route, false, findings));
    }
    found
}

fn parse<'d>(
    file: &Arc<SourceFile>,
    node: Node<'d>,
    route: Route,
    is_base: bool,
    findings: &mut Vec<Diagnostic>,
) -> Option<Embedded<'d>> {
    let scalar = node.resolved();
    let Some(text) = scalar.text().filter(|_| scalar.kind() == NodeKind::Scalar) else {
        let message = "a strategic patch is a string; this is YAML of the manifest itself";
        findings.push(wrong_shape(file, node, message));
        return None;
    };
    match Stream::parse(text) {
        Ok(stream) => Some(Embedded {
            scalar,
            route,
            is_base,
            stream,
        }),
        Err(problems) => {
            let unparsed = Embedded {
                scalar,
                route,
                is_base,
                stream: Stream::default(),
            };
            for problem in problems {
                let code = match problem.duplicate_of {
                    Some(_) => Code::DuplicateKey,
                    None => Code::InvalidYaml,
                };
                findings.push(
                    Diagnostic::new(
                        code,
                        format!("in this Talos config: {}", problem.message),
                        "mend the text of the patch: Talos cannot load it",
                    )
                    .at(Place::new(file, unparsed.outer(&problem.span))),
                );
            }
            None
        }
    }
}

/// What to hold an embedded string against.
pub(super) struct Rules<'r> {
    pub(super) file: &'r Arc<SourceFile>,
    pub(super) talos: Option<TalosVersion>,
    pub(super) provider: Option<ProviderVersion>,
    pub(super) parents: &'r [OwnedParent],
}

/// The documents of all strings, and everything in them that Talos or the merge cannot take.
pub(super) fn parts<'e>(
    rules: &Rules<'_>,
    embedded: &'e [Embedded<'_>],
    findings: &mut Vec<Diagnostic>,
) -> Vec<Part<'e>> {
    let mut parts = Vec::new();
    for (index, string) in embedded.iter().enumerate() {
        let mut reader = PartReader {
            rules,
            string,
            findings,
            seen: Vec::new(),
        };
        reader.check_not_empty();
        for (document, root) in string
            .stream
            .documents
            .iter()
            .enumerate()
            .filter_map(|(document, parsed)| Some((document, parsed.root()?)))
        {
            if let Some(content) = reader.content(root) {
                parts.push(Part {
                    embedded: index,
                    document,
                    root,
                    content,
                });
            }
        }
    }
    check_crashes(rules, embedded, &parts, findings);
    parts
}

/// A `RegistryTLSConfig` without a client identity in any of the documents of its name, which are
/// merged, crashes the first patch releases of Talos 1.12.
fn check_crashes(
    rules: &Rules<'_>,
    embedded: &[Embedded<'_>],
    parts: &[Part<'_>],
    findings: &mut Vec<Diagnostic>,
) {
    if !rules
        .talos
        .is_some_and(TalosVersion::tls_document_may_crash)
    {
        return;
    }
    let is_tls =
        |part: &&Part<'_>| matches!(part.content, Content::Owned(DocumentKind::RegistryTls, _));
    for part in parts.iter().filter(is_tls) {
        let mut same = parts.iter().filter(|other| other.content == part.content);
        if same.any(|other| other.root.get("clientIdentity").is_some()) {
            continue;
        }
        let place = part.root.get("kind").unwrap_or(part.root).span();
        findings.push(
            Diagnostic::new(
                Code::CrashingDocument,
                "Talos 1.12.0 and 1.12.1 crash on a RegistryTLSConfig without `clientIdentity`",
                "use `machine.registries.config`, or say a `talosVersion` of v1.12.2 or later",
            )
            .at(Place::new(
                rules.file,
                embedded[part.embedded].outer(&place),
            )),
        );
    }
}

struct PartReader<'p, 'e, 'd> {
    rules: &'p Rules<'p>,
    string: &'e Embedded<'d>,
    findings: &'p mut Vec<Diagnostic>,
    seen: Vec<(String, String, String)>,
}

impl<'e> PartReader<'_, 'e, '_> {
    /// An empty string is read as an empty JSON patch, which fails on several documents; an empty last
    /// document fails up to CABPT 0.6.11.
    fn check_not_empty(&mut self) {
        let documents = &self.string.stream.documents;
        let is_empty = |node: Option<Node<'_>>| node.is_none_or(Node::is_null);
        let has_content = documents.iter().any(|document| !is_empty(document.root()));
        if self.string.is_base {
            return;
        }
        let message = if !has_content {
            "a strategic patch without content"
        } else if documents.len() > 1 && documents.last().is_some_and(|last| is_empty(last.root()))
        {
            "a strategic patch that ends in an empty document"
        } else {
            return;
        };
        let help = "remove it: the provider takes an empty patch for a JSON patch, or fails on it";
        self.push(Code::EmptyPatch, message, help, &self.string.scalar.span());
    }

    fn content(&mut self, root: Node<'e>) -> Option<Content> {
        if root.kind() == NodeKind::Sequence {
            self.push_inner(
                Code::HiddenJsonPatch,
                "this strategic patch is a JSON patch",
                "write it as an item of `configPatches`, or as a strategic patch",
                root,
            );
            return None;
        }
        if root.kind() != NodeKind::Mapping {
            return (!root.is_null())
                .then(|| {
                    self.push_inner(
                        Code::WrongShape,
                        "this strategic patch is not a mapping",
                        "write it as a part of a Talos config",
                        root,
                    );
                })
                .and(None);
        }
        let text = |key| {
            root.get(key)
                .and_then(|node| node.resolved().text())
                .unwrap_or("")
        };
        let (kind, name) = (text("kind"), text("name"));
        self.check_duplicate(root, [text("apiVersion"), kind, name]);
        if kind.is_empty() {
            return self.v1alpha1(root);
        }
        self.check_kind(root, kind);
        let content = match DocumentKind::of(kind) {
            Some(owned) => Content::Owned(owned, name.to_string()),
            None => Content::Other,
        };
        if content != Content::Other {
            self.check_deletion(root);
            self.check_shared(root);
        }
        Some(content)
    }

    fn v1alpha1(&mut self, root: Node<'e>) -> Option<Content> {
        let marks = ["machine", "cluster", "debug", "persist"];
        if !marks.iter().any(|mark| root.get(mark).is_some()) {
            self.push_inner(
                Code::WrongShape,
                "this is neither a Talos document nor a part of the v1alpha1 config",
                "give it `apiVersion` and `kind`, or one of `machine`, `cluster`",
                root,
            );
            return None;
        }
        for parent in self.rules.parents {
            let mut node = root;
            for key in parent.keys() {
                self.check_deletion(node);
                if node.has_merge_key() {
                    self.check_shared(node);
                }
                match node.get(key) {
                    Some(next) if next.is_alias() => {
                        self.check_shared(next);
                        break;
                    }
                    Some(next) => node = next,
                    None => break,
                }
                if key == parent.keys().last().expect("a parent has keys") {
                    self.check_shared(node);
                    self.check_deletions_below(node);
                }
            }
        }
        Some(Content::V1Alpha1)
    }

    fn check_duplicate(&mut self, root: Node<'e>, id: [&str; 3]) {
        let id = (id[0].to_string(), id[1].to_string(), id[2].to_string());
        if self.seen.contains(&id) {
            self.push_inner(
                Code::DuplicateDocument,
                "the same document stands twice in this strategic patch",
                "merge the two: Talos refuses the patch",
                root,
            );
        }
        self.seen.push(id);
    }

    fn check_kind(&mut self, root: Node<'e>, kind: &str) {
        let place = root.get("kind").unwrap_or(root);
        let machinery = self.rules.provider.map(ProviderVersion::machinery);
        let readers = [machinery, self.rules.talos];
        let is_unknown = |talos: TalosVersion| is_known(kind, talos) == Some(false);
        if readers.into_iter().flatten().any(is_unknown) {
            self.push_inner(
                Code::UnknownDocument,
                &format!("`{kind}` is not known to this target's Talos or provider"),
                "use the v1alpha1 fields, or raise `talosVersion` (and the provider)",
                place,
            );
        }
    }

    fn check_deletion(&mut self, node: Node<'e>) {
        if let Some(directive) = node.get("$patch") {
            self.push_inner(
                Code::PatchDelete,
                "`$patch` on, or above, a value that hydrant owns",
                "say the value that is wanted instead of deleting and adding",
                directive,
            );
        }
    }

    fn check_deletions_below(&mut self, node: Node<'e>) {
        match node.kind() {
            NodeKind::Mapping => {
                self.check_deletion(node);
                for (_, value) in node.entries() {
                    self.check_deletions_below(value);
                }
            }
            NodeKind::Sequence => node
                .items()
                .for_each(|item| self.check_deletions_below(item)),
            NodeKind::Scalar | NodeKind::Alias => {}
        }
    }

    fn check_shared(&mut self, node: Node<'e>) {
        if node.is_shared() {
            let place = Place::new(self.rules.file, self.string.outer(&node.span()));
            let mut finding = shared(self.rules.file, self.string.scalar);
            finding.places = vec![place];
            self.findings.push(finding);
        }
    }

    fn push_inner(&mut self, code: Code, message: &str, help: &str, node: Node<'e>) {
        self.push(code, message, help, &self.string.outer(&node.span()));
    }

    fn push(&mut self, code: Code, message: &str, help: &str, span: &Span) {
        let place = Place::new(self.rules.file, span.clone());
        self.findings
            .push(Diagnostic::new(code, message, help).at(place));
    }
}
