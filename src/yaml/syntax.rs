//! What is wrong with a text that is not YAML, in our words.
//!
//! The parser's own messages may quote a character of the file; these never do.

use granit_parser::ErrorKind;

/// One short sentence for `kind`.
pub(super) fn explain(kind: &ErrorKind) -> &'static str {
    use ErrorKind as K;
    match kind {
        K::RecursionLimitExceeded => "nested too deeply",
        K::TabNotAllowed | K::TabInBlockIndentation | K::TabInIndentation | K::TabInPlainScalar => {
            "a tab where YAML allows only spaces"
        }
        K::TabAtBlockScalarStart => "a block of text that starts with a tab",
        K::InvalidIndentation
        | K::InvalidBlockScalarIndent
        | K::InvalidQuotedScalarIndent
        | K::InvalidFlowScalarIndent => "wrong indentation",
        K::UnclosedQuotedScalar => "a quote that is never closed",
        K::DocumentIndicatorInQuotedScalar => "a document marker inside a quoted string",
        K::UnclosedFlowCollection { .. }
        | K::UnexpectedEofFlowSequence
        | K::UnexpectedEofFlowMapping
        | K::UnexpectedEofImplicitFlowMapping => "a bracket that is never closed",
        K::MisplacedFlowCollectionEnd | K::MismatchedFlowCollectionEnd { .. } => {
            "a closing bracket that closes nothing"
        }
        K::ExpectedFlowMappingSeparator | K::ExpectedFlowSequenceSeparator => {
            "expected a comma or a closing bracket"
        }
        K::ExpectedBlockMappingKey => "expected a key of the mapping around it",
        K::ExpectedBlockSequenceEntry => "expected an item of the list around it",
        K::SimpleKeyExpected | K::InvalidSimpleKey => "expected a colon after this key",
        K::MappingValueNotAllowed | K::InvalidColonPlacement | K::MappingKeyNotAllowed => {
            "a key and value where none can be"
        }
        K::BlockEntryInFlowCollection
        | K::BlockSequenceEntryNotAllowed
        | K::InvalidBlockEntryWhitespace => "a list item where none can be",
        K::UnexpectedCharacter { .. } | K::PlainScalarStartsWithDashFlowIndicator => {
            "a character that cannot start a value: quote it"
        }
        K::CommentNotSeparated => "a comment needs a space before it",
        K::CommentInterceptedScalar => "a comment inside a value of several lines",
        K::InvalidTrailingSingleQuotedScalar | K::InvalidTrailingDoubleQuotedScalar => {
            "something follows a quoted string"
        }
        K::UnknownQuotedScalarEscape
        | K::InvalidQuotedScalarHexEscape
        | K::InvalidUnicodeEscape => "an escape that YAML does not know",
        K::BomInsideDocument => "a byte order mark inside a document",
        K::MissingDocumentEndBeforeDirective => "a directive needs `...` before it",
        K::UndeclaredTagHandle => "a tag whose handle is not declared",
        K::ExpectedDocumentStart => "expected `---`",
        K::InvalidDocumentEnd => "something follows `...`",
        _ => "not valid YAML from here on",
    }
}
