//! The nodes of a document, in one list in the order of the text.
//!
//! granit-parser reports events; what it leaves out is found here: where a dash, a colon or a block
//! scalar's header is, and where a collection's last real token ends.

use super::Problem;
use super::block_scalar;
use super::lines::{is_document_end, line_end, skip_gap};
use crate::text::Span;
use granit_parser::{Event, Parser, ScalarStyle, StructureStyle};
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

/// All nodes of the document at `range`, children right after their parent; none where it is empty.
pub(super) fn build<'t>(text: &'t str, range: &Span) -> Result<Vec<Slot<'t>>, Vec<Problem>> {
    if u32::try_from(text.len()).is_err() {
        return Err(vec![Problem::new(
            range.clone(),
            "a text of more than 4 GiB",
        )]);
    }
    let options = granit_parser::options! {
        block_scalar_eof_without_line_feed: true,
        emit_anchor_events: true,
        emit_unresolved_aliases: true,
        emit_comments: false,
        flow_nesting_limit: 64,
        block_nesting_limit: 128,
    };
    let mut builder = Builder::new(text, range);
    for event in Parser::new_from_str_with_options(&text[range.clone()], options) {
        match event {
            Ok((event, span)) => builder.take(event, span),
            Err(error) => {
                builder.report_syntax(&error);
                break;
            }
        }
    }
    if builder.problems.is_empty() {
        Ok(builder.slots)
    } else {
        builder.problems.sort_by_key(|problem| problem.span.start);
        Err(builder.problems)
    }
}

/// A collection whose end is still to come.
struct Open {
    id: usize,
    shape: Shape,
    children: u32,
}

struct Builder<'t> {
    /// Up to the end of the document: no search may run into the next one.
    text: &'t str,
    range: Span,
    /// Where the last real token ended.
    last: usize,
    slots: Vec<Slot<'t>>,
    open: Vec<Open>,
    /// granit's anchor number and the node.
    anchors: Vec<(usize, usize)>,
    documents: usize,
    keys: Vec<usize>,
    problems: Vec<Problem>,
}

impl<'t> Builder<'t> {
    fn new(text: &'t str, range: &Span) -> Self {
        Self {
            text: &text[..range.end],
            range: range.clone(),
            last: range.start,
            slots: Vec::with_capacity(range.len() / 12),
            open: Vec::new(),
            anchors: Vec::new(),
            documents: 0,
            keys: Vec::new(),
            problems: Vec::new(),
        }
    }

    fn take(&mut self, event: Event<'t>, span: granit_parser::Span) {
        let at = self.span(&span);
        match event {
            Event::DocumentStart(explicit, _) => {
                self.documents += 1;
                if self.documents > 1 {
                    self.report(at.clone(), "a second document without `---` before it");
                }
                self.last = if explicit {
                    at.end
                } else {
                    self.after_prefix()
                };
            }
            Event::Scalar(text, style, _, tag) => {
                let tag = tag.as_deref().map_or(Tag::None, tag_of);
                self.scalar(text, style, tag, at, tag_span(&span, self.range.start));
            }
            Event::SequenceStart(style, _, tag) => {
                let shape = match style {
                    StructureStyle::Block => Shape::BlockSequence,
                    StructureStyle::Flow => Shape::FlowSequence,
                };
                let tag = tag.as_deref().map_or(Tag::None, tag_of);
                self.start(shape, tag, at, tag_span(&span, self.range.start));
            }
            Event::MappingStart(style, _, tag) => {
                let shape = match style {
                    StructureStyle::Block => Shape::BlockMapping,
                    StructureStyle::Flow if at.is_empty() => Shape::FlowPair,
                    StructureStyle::Flow => Shape::FlowMapping,
                };
                let tag = tag.as_deref().map_or(Tag::None, tag_of);
                self.start(shape, tag, at, tag_span(&span, self.range.start));
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(at.end),
            Event::Anchor(number, _) => self.anchor(number, &at),
            Event::Alias(number) => self.alias(Some(number), at),
            Event::UnresolvedAlias(_) => self.alias(None, at),
            _ => {}
        }
    }

    /// Where a document without `---` begins; granit may point past a block scalar's header.
    fn after_prefix(&self) -> usize {
        let mut at = self.range.start;
        loop {
            at = skip_gap(self.text, at);
            let rest = &self.text[at..];
            if rest.starts_with('\u{feff}') {
                at += '\u{feff}'.len_utf8();
            } else if is_document_end(&rest[..line_end(rest, 0)]) {
                at = line_end(self.text, at);
            } else {
                return at;
            }
        }
    }

    fn scalar(
        &mut self,
        text: Cow<'t, str>,
        style: ScalarStyle,
        tag: Tag,
        at: Span,
        tag_at: Option<Span>,
    ) {
        let lead = self.find_lead();
        let mut at = at;
        let mut text = text;
        let shape = match style {
            ScalarStyle::Plain => Shape::Plain,
            ScalarStyle::SingleQuoted => Shape::Single,
            ScalarStyle::DoubleQuoted => Shape::Double,
            ScalarStyle::Literal => Shape::Literal,
            ScalarStyle::Folded => Shape::Folded,
        };
        if matches!(shape, Shape::Literal | Shape::Folded) {
            let header = block_scalar::find_header(self.text, self.last);
            at = header..block_scalar::end(self.text, header, self.range.end, &text);
        } else if at.is_empty() {
            // granit calls an absent value `~` and puts it where the next token is looked for.
            text = Cow::Borrowed("");
            let after = tag_at.as_ref().map_or(self.last, |tag| tag.end);
            at = after..after;
        }
        let outer = tag_at.map_or(at.start, |tag| tag.start);
        self.last = at.end;
        self.push(shape, tag, at, outer, lead, text);
    }

    fn start(&mut self, shape: Shape, tag: Tag, at: Span, tag_at: Option<Span>) {
        let lead = self.find_lead();
        let outer = tag_at.as_ref().map_or(at.start, |tag| tag.start);
        if shape.is_flow() {
            self.last = at.end;
        } else if let Some(tag) = tag_at {
            self.last = tag.end;
        }
        let id = self.push(shape, tag, at, outer, lead, Cow::Borrowed(""));
        self.open.push(Open {
            id,
            shape,
            children: 0,
        });
    }

    fn end(&mut self, event_end: usize) {
        let Some(open) = self.open.pop() else { return };
        if matches!(open.shape, Shape::FlowMapping | Shape::FlowSequence) {
            self.last = event_end;
        }
        let next = small(self.slots.len());
        let slot = &mut self.slots[open.id];
        (slot.end, slot.skip, slot.link) = (small(self.last), next, open.children);
        if open.shape.is_mapping() {
            self.find_duplicates(open.id);
        }
    }

    fn anchor(&mut self, number: usize, at: &Span) {
        let Some(id) = self.slots.len().checked_sub(1) else {
            return;
        };
        let slot = &mut self.slots[id];
        slot.anchored = true;
        slot.outer = slot.outer.min(small(at.start));
        if slot.shape == Shape::Plain && slot.start == slot.end {
            let after = slot.start.max(small(at.end));
            (slot.start, slot.end) = (after, after);
        }
        self.last = self.last.max(at.end);
        self.anchors.push((number, id));
    }

    fn alias(&mut self, number: Option<usize>, at: Span) {
        let lead = self.find_lead();
        self.last = at.end;
        let target = self
            .anchors
            .iter()
            .rev()
            .find(|(known, _)| Some(*known) == number);
        let target = target.map(|(_, id)| *id);
        if target.is_none() {
            self.report(
                at.clone(),
                "an alias of an anchor that this document does not define before it",
            );
        } else if self.open.iter().any(|open| Some(open.id) == target) {
            self.report(at.clone(), "an alias of a value that contains it");
        }
        let start = at.start;
        let id = self.push(Shape::Alias, Tag::None, at, start, lead, Cow::Borrowed(""));
        self.slots[id].link = small(target.unwrap_or(id));
    }

    fn push(
        &mut self,
        shape: Shape,
        tag: Tag,
        at: Span,
        outer: usize,
        lead: u32,
        text: Cow<'t, str>,
    ) -> usize {
        let id = self.slots.len();
        if let Some(parent) = self.open.last_mut() {
            parent.children += 1;
        }
        self.slots.push(Slot {
            shape,
            tag,
            anchored: false,
            start: small(at.start),
            end: small(at.end),
            outer: small(outer),
            lead,
            skip: small(id + 1),
            link: 0,
            text,
        });
        id
    }

    /// Moves past the dash, colon or question mark that leads to the node that comes now.
    fn find_lead(&mut self) -> u32 {
        let Some(open) = self.open.last() else {
            return NOWHERE;
        };
        let (shape, id, children) = (open.shape, open.id, open.children);
        let is_value = children % 2 == 1;
        let sign = match shape {
            Shape::BlockSequence => b'-',
            _ if !shape.is_mapping() => return NOWHERE,
            _ if is_value => b':',
            _ => b'?',
        };
        let mut at = skip_gap(self.text, self.last);
        if shape == Shape::FlowMapping && !is_value && self.text.as_bytes().get(at) == Some(&b',') {
            at = skip_gap(self.text, at + 1);
        }
        let bytes = self.text.as_bytes();
        let is_sign = bytes.get(at) == Some(&sign)
            && (is_value || matches!(bytes.get(at + 1), None | Some(b' ' | b'\t' | b'\n' | b'\r')));
        if !is_sign {
            return NOWHERE;
        }
        if shape == Shape::BlockSequence && children == 0 {
            // granit points past the first dash.
            let slot = &mut self.slots[id];
            slot.start = small(at);
            slot.outer = slot.outer.min(slot.start);
        }
        self.last = at + 1;
        small(at)
    }

    /// Reports every key of the mapping `id` that was there before.
    fn find_duplicates(&mut self, id: usize) {
        let slots = &self.slots;
        let mut keys = std::mem::take(&mut self.keys);
        keys.clear();
        let mut at = id + 1;
        while at < slots.len() {
            keys.push(at);
            let value = slots[at].skip as usize;
            at = slots
                .get(value)
                .map_or(slots.len(), |value| value.skip as usize);
        }
        let mut found = Vec::new();
        if keys.len() <= 16 {
            for (count, later) in keys.iter().enumerate() {
                let earlier = keys[..count].iter();
                let same = earlier
                    .copied()
                    .find(|earlier| is_same_key(slots, *earlier, *later));
                found.extend(same.map(|earlier| (earlier, *later)));
            }
        } else {
            keys.sort_by(|a, b| key_text(slots, *a).cmp(&key_text(slots, *b)).then(a.cmp(b)));
            let mut first = keys[0];
            for key in &keys[1..] {
                if is_same_key(slots, first, *key) {
                    found.push((first, *key));
                } else {
                    first = *key;
                }
            }
        }
        self.keys = keys;
        for (earlier, later) in found {
            let of = |id: usize| self.slots[id].start as usize..self.slots[id].end as usize;
            self.problems.push(Problem {
                span: of(later),
                message: "this key is already there in the same mapping".to_string(),
                duplicate_of: Some(of(earlier)),
            });
        }
    }

    fn report(&mut self, span: Span, message: &str) {
        self.problems.push(Problem::new(span, message));
    }

    fn report_syntax(&mut self, error: &granit_parser::ScanError) {
        let offset = error.marker().byte_offset().unwrap_or(0) + self.range.start;
        let start = offset.min(self.range.end);
        let width = self.text[start..].chars().next().map_or(0, char::len_utf8);
        self.report(start..start + width, super::syntax::explain(error.kind()));
    }

    fn span(&self, span: &granit_parser::Span) -> Span {
        let range = span
            .byte_range()
            .expect("granit gives byte offsets for text that it borrows");
        range.start + self.range.start..range.end + self.range.start
    }
}

fn tag_span(span: &granit_parser::Span, base: usize) -> Option<Span> {
    let range = span.tag_span()?.byte_range()?;
    Some(range.start + base..range.end + base)
}

fn tag_of(tag: &granit_parser::Tag) -> Tag {
    match tag.core_suffix() {
        Some("str") => Tag::Str,
        Some("int") => Tag::Int,
        Some("float") => Tag::Float,
        Some("bool") => Tag::Bool,
        Some("null") => Tag::Null,
        _ => match tag.suffix_in_namespace("tag:yaml.org,2002:").as_deref() {
            Some("timestamp") => Tag::Timestamp,
            Some("binary") => Tag::Binary,
            _ if tag.original() == "!" => Tag::Bang,
            _ => Tag::Other,
        },
    }
}

/// The decoded text of a key; a key that is a collection has none.
fn key_text<'s>(slots: &'s [Slot<'_>], id: usize) -> Option<&'s str> {
    let slot = &slots[id];
    match slot.shape {
        Shape::Alias => {
            let target = &slots[slot.link as usize];
            target.shape.is_scalar().then_some(&*target.text)
        }
        shape => shape.is_scalar().then_some(&*slot.text),
    }
}

fn is_same_key(slots: &[Slot<'_>], a: usize, b: usize) -> bool {
    let (a, b) = (key_text(slots, a), key_text(slots, b));
    a.is_some() && a == b
}

fn small(offset: usize) -> u32 {
    u32::try_from(offset).expect("texts of more than 4 GiB are refused before")
}
