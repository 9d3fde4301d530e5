//! `${NAME}`, which another tool substitutes after hydration.
//!
//! What it will be is not known, nor of which type where it is not quoted, so nothing is proven about
//! it but that it stays as it is.

use super::operations::Operation;
use crate::diagnostic::{Code, Diagnostic, Place};
use crate::text::SourceFile;
use crate::yaml::{Node, NodeKind};
use std::sync::Arc;

/// The findings of a patch list of which some `patches` cannot be written anew because of what is
/// substituted: in the path of any, and in their values. Text in double quotes can: it stays text in
/// double quotes.
pub(super) fn refusals<'o, 'd: 'o>(
    file: &Arc<SourceFile>,
    operations: &[Operation<'d>],
    patches: impl Iterator<Item = &'o Operation<'d>>,
) -> Vec<Diagnostic> {
    let paths = operations.iter().map(|it| it.path.resolved());
    let mut open: Vec<Node<'d>> = paths.filter(|path| has_placeholder(*path)).collect();
    for value in patches.filter_map(|patch| patch.value) {
        collect(file, value.resolved(), &mut open);
    }
    let refusal = |node: Node<'_>| {
        let message = "this is substituted later, so what its patch makes of it is not known";
        let help = "fill it in, or put the value in double quotes if it is text";
        Diagnostic::new(Code::NotProvable, message, help).at(Place::new(file, node.span()))
    };
    open.into_iter().map(refusal).collect()
}

fn collect<'d>(file: &Arc<SourceFile>, node: Node<'d>, open: &mut Vec<Node<'d>>) {
    if node.kind() == NodeKind::Scalar && has_placeholder(node) {
        let is_quoted = file.text()[node.span()].starts_with('"');
        open.extend((!is_quoted).then_some(node));
    }
    for (key, value) in node.entries() {
        collect(file, key, open);
        collect(file, value, open);
    }
    node.items().for_each(|item| collect(file, item, open));
}

fn has_placeholder(node: Node<'_>) -> bool {
    node.text().is_some_and(|text| text.contains("${"))
}

#[cfg(test)]
mod tests {
    use super::super::fix::tests::{fixed, refused, request};
    use crate::diagnostic::Code;

    #[test]
    fn what_is_substituted_later_is_not_written_anew_unless_it_is_quoted_text() {
        let spec = "      generateType: worker
      talosVersion: v1.9
      configPatches:
        - {op: add, path: /machine/sysctls, value: {a: \"${A}\"}}
        - {op: add, path: /machine/registries, value: {mirrors: {}}}
        - op: add
          path: /machine/registries/mirrors/a
          value:
            endpoints: [\"${B}\"]
            overridePath: false
";
        let after = fixed(spec, request(None));
        assert!(after.contains("endpoints: [\"${B}\"]"), "{after}");
        let plain = spec.replace("overridePath: false", "overridePath: ${C}");
        for to in [None, Some("v1.13.2")] {
            assert_eq!(
                refused(&plain, request(to)),
                [(Code::NotProvable, vec!["${C}".to_string()])]
            );
        }
        let elsewhere = spec.replace("\"${A}\"", "'${A}'");
        assert!(fixed(&elsewhere, request(None)).contains("'${A}'"));
        assert_eq!(
            refused(&elsewhere, request(Some("v1.13.2"))),
            [(Code::NotProvable, vec!["'${A}'".to_string()])]
        );
        let path = spec.replace("mirrors/a\n", "mirrors/${A}\n");
        assert_eq!(refused(&path, request(None)).len(), 1);
    }
}
