//! The nodes of a document, in one list in the order of the text, children right after their parent.

use std::borrow::Cow;

/// No offset: the node has no dash, colon or question mark.
pub(super) const NOWHERE: u32 = u32::MAX;

/// How a node is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Plain,
    Single,
    Double,
    Literal,
    Folded,
    BlockMapping,
    FlowMapping,
    /// `[key: value]`: a mapping without braces.
    FlowPair,
    BlockSequence,
    FlowSequence,
    Alias,
}

impl Shape {
    pub(super) fn is_mapping(self) -> bool {
        matches!(
            self,
            Self::BlockMapping | Self::FlowMapping | Self::FlowPair
        )
    }

    pub(super) fn is_sequence(self) -> bool {
        matches!(self, Self::BlockSequence | Self::FlowSequence)
    }

    pub(super) fn is_scalar(self) -> bool {
        !self.is_mapping() && !self.is_sequence() && self != Self::Alias
    }

    pub(super) fn is_flow(self) -> bool {
        matches!(
            self,
            Self::FlowMapping | Self::FlowPair | Self::FlowSequence
        )
    }
}

/// The explicit tag of a node, as far as it changes what the node means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    None,
    Str,
    Int,
    Float,
    Bool,
    Null,
    Timestamp,
    /// `!`: go-yaml v2 reads a string, v3 reads on as if it were not there.
    Bang,
    /// `!!map`, `!!seq` and every local tag: scalars are strings.
    Other,
    /// Decoding it would be needed to know the value.
    Binary,
}

/// A node. Offsets are bytes of the whole text.
#[derive(Clone, Debug)]
pub(super) struct Slot<'t> {
    pub(super) shape: Shape,
    pub(super) tag: Tag,
    pub(super) anchored: bool,
    /// Where the content starts, without anchor and tag.
    pub(super) start: u32,
    /// Where the last real token ends.
    pub(super) end: u32,
    /// Where anchor and tag start, or else the content.
    pub(super) outer: u32,
    /// The dash of an item, the colon of a value, the `?` of a key.
    pub(super) lead: u32,
    /// The first node after this one that is not inside it.
    pub(super) skip: u32,
    /// Of an alias, the node it stands for; of a collection, the number of children.
    pub(super) link: u32,
    /// The decoded text of a scalar.
    pub(super) text: Cow<'t, str>,
}
