//! The parser's events become nodes.
//!
//! What granit-parser leaves out is found here: where a dash, a colon or a block scalar's header is,
//! and where a collection's last real token ends.

use super::Problem;
use super::arena::{NOWHERE, Shape, Slot, Tag};
use super::block_scalar;
use super::duplicates::Duplicates;
use super::lines::{is_document_end, line_end, skip_gap};
use crate::text::Span;
use granit_parser::{Event, Parser, ScalarStyle, StructureStyle};
use std::borrow::Cow;

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
            Ok((Event::DocumentStart(..), span)) if builder.has_document => {
                // Whoever chose the range did not split the text.
                let at = builder.span(&span);
                builder.report(at, "a second document");
                break;
            }
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
    has_document: bool,
    duplicates: Duplicates,
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
            has_document: false,
            duplicates: Duplicates::default(),
            problems: Vec::new(),
        }
    }

    fn take(&mut self, event: Event<'t>, span: granit_parser::Span) {
        let at = self.span(&span);
        let tag_at = tag_span(&span, self.range.start);
        let tag = event.tag().map_or(Tag::None, tag_of);
        match event {
            Event::DocumentStart(explicit, _) => self.document(explicit, &at),
            Event::Scalar(text, style, ..) => self.scalar(text, style, tag, at, tag_at),
            Event::SequenceStart(StructureStyle::Block, ..) => {
                self.start(Shape::BlockSequence, tag, at, tag_at);
            }
            Event::SequenceStart(StructureStyle::Flow, ..) => {
                self.start(Shape::FlowSequence, tag, at, tag_at);
            }
            Event::MappingStart(StructureStyle::Block, ..) => {
                self.start(Shape::BlockMapping, tag, at, tag_at);
            }
            Event::MappingStart(StructureStyle::Flow, ..) => {
                let is_braced = self.text[at.start..].starts_with('{');
                let shape = if is_braced {
                    Shape::FlowMapping
                } else {
                    Shape::FlowPair
                };
                self.start(shape, tag, at, tag_at);
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(at.end),
            Event::Anchor(number, _) => self.anchor(number, &at),
            Event::Alias(number) => self.alias(Some(number), at),
            Event::UnresolvedAlias(_) => self.alias(None, at),
            _ => {}
        }
    }

    fn document(&mut self, explicit: bool, at: &Span) {
        self.has_document = true;
        self.last = if explicit {
            at.end
        } else {
            self.after_prefix()
        };
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
            self.report_duplicates(open.id);
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
        let target = number.and_then(|number| {
            // granit counts anchors upward.
            let found = self
                .anchors
                .binary_search_by_key(&number, |(known, _)| *known);
            found.ok().map(|at| self.anchors[at].1)
        });
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

    fn report_duplicates(&mut self, id: usize) {
        for (earlier, later) in self.duplicates.of(&self.slots, id) {
            let span = |id: usize| self.slots[id].start as usize..self.slots[id].end as usize;
            self.problems.push(Problem {
                span: span(later),
                message: "this key is already there in the same mapping".to_string(),
                duplicate_of: Some(span(earlier)),
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

fn small(offset: usize) -> u32 {
    u32::try_from(offset).expect("texts of more than 4 GiB are refused before")
}
