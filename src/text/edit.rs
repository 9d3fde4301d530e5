//! Exchanging some spans of a text and nothing else.

use super::Span;
use zeroize::Zeroizing;

/// One span of the committed text and what stands there instead.
///
/// The new text may hold decrypted values: it is wiped on drop and never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct TextEdit {
    /// The bytes that go, in the committed text.
    pub span: Span,
    /// The bytes that come.
    pub new_text: Zeroizing<String>,
}

impl TextEdit {
    /// Puts `new_text` where `span` was.
    pub fn new(span: Span, new_text: impl Into<String>) -> Self {
        Self {
            span,
            new_text: Zeroizing::new(new_text.into()),
        }
    }
}

impl std::fmt::Debug for TextEdit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "TextEdit({:?} becomes {} bytes)",
            self.span,
            self.new_text.len()
        )
    }
}

/// Two edits claim the same bytes, or an edit lies outside the text or inside a character.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("edits overlap or leave the text at byte {0}")]
pub struct OverlappingEdits(pub usize);

/// The text with every edit applied. Edits may come in any order; two insertions at one place keep
/// the order they are given in.
pub fn apply(text: &str, edits: &[TextEdit]) -> Result<Zeroizing<String>, OverlappingEdits> {
    let mut order: Vec<&TextEdit> = edits.iter().collect();
    order.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let grown: usize = edits.iter().map(|edit| edit.new_text.len()).sum();
    // Sized once: a buffer that grows leaves stale copies of decrypted values behind.
    let mut out = Zeroizing::new(String::with_capacity(text.len() + grown));
    let mut done = 0;
    for edit in order {
        let kept = (edit.span.start >= done && edit.span.end >= edit.span.start)
            .then(|| text.get(done..edit.span.start))
            .flatten()
            .filter(|_| text.is_char_boundary(edit.span.end) && edit.span.end <= text.len())
            .ok_or(OverlappingEdits(edit.span.start))?;
        out.push_str(kept);
        out.push_str(&edit.new_text);
        done = edit.span.end;
    }
    out.push_str(text.get(done..).ok_or(OverlappingEdits(done))?);
    Ok(out)
}

/// Edits made one after the other, each in the coordinates of the text as it then was, kept as edits
/// of the text as it is committed.
#[derive(Debug, Default)]
pub struct EditLog {
    edits: Vec<TextEdit>,
}

impl EditLog {
    /// Nothing edited yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Records that `span` of the current text became `new_text`.
    ///
    /// Earlier edits that the span touches are swallowed into one edit, so the log stays a list of
    /// disjoint edits of the committed text.
    pub fn push(&mut self, edit: &TextEdit) {
        let (mut before, mut touched, mut after) = (Vec::new(), Vec::new(), Vec::new());
        // What the edits so far add to a committed offset to make it a current one.
        let mut shift: isize = 0;
        let mut shift_before: isize = 0;
        for earlier in self.edits.drain(..) {
            let start = moved(earlier.span.start, shift);
            shift += growth(&earlier);
            if start + earlier.new_text.len() < edit.span.start {
                shift_before = shift;
                before.push(earlier);
            } else if start > edit.span.end {
                after.push(earlier);
            } else {
                touched.push((start, earlier));
            }
        }
        before.push(merge(edit, &touched, shift_before));
        before.append(&mut after);
        self.edits = before;
    }

    /// The edits, disjoint and in the order of the committed text.
    pub fn into_edits(self) -> Vec<TextEdit> {
        self.edits
    }
}

/// One edit of the committed text that does what `touched` and then `edit` do.
///
/// `touched` comes with the current start of each; `shift` leads from committed to current offsets
/// just before the first of them.
fn merge(edit: &TextEdit, touched: &[(usize, TextEdit)], shift: isize) -> TextEdit {
    let inner: isize = touched.iter().map(|(_, earlier)| growth(earlier)).sum();
    let start = touched
        .first()
        .map_or(edit.span.start, |(start, _)| edit.span.start.min(*start));
    let end = touched.last().map_or(edit.span.end, |(start, earlier)| {
        edit.span.end.max(start + earlier.new_text.len())
    });
    let mut text = Zeroizing::new(String::new());
    if let Some((first, earlier)) = touched.first()
        && *first < edit.span.start
    {
        text.push_str(&earlier.new_text[..edit.span.start - first]);
    }
    text.push_str(&edit.new_text);
    if let Some((last, earlier)) = touched.last()
        && last + earlier.new_text.len() > edit.span.end
    {
        text.push_str(&earlier.new_text[edit.span.end - last..]);
    }
    TextEdit {
        span: moved(start, -shift)..moved(end, -shift - inner),
        new_text: text,
    }
}

fn growth(edit: &TextEdit) -> isize {
    edit.new_text.len().cast_signed() - edit.span.len().cast_signed()
}

fn moved(offset: usize, by: isize) -> usize {
    offset
        .checked_add_signed(by)
        .expect("an edit never moves a byte before the text's start")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn edits_apply_in_any_order() {
        let edits = [TextEdit::new(4..5, "Y"), TextEdit::new(0..1, "XX")];

        assert_eq!(*apply("a b c", &edits).unwrap(), "XX b Y");
    }

    #[test]
    fn overlapping_edits_are_refused() {
        let edits = [TextEdit::new(0..3, "x"), TextEdit::new(2..4, "y")];

        assert_eq!(apply("abcdef", &edits), Err(OverlappingEdits(2)));
        assert_eq!(
            apply("ab", &[TextEdit::new(1..9, "")]),
            Err(OverlappingEdits(1))
        );
        assert_eq!(
            apply("ö", &[TextEdit::new(1..2, "")]),
            Err(OverlappingEdits(1))
        );
    }

    #[test]
    fn a_debug_print_does_not_show_the_new_text() {
        assert!(!format!("{:?}", TextEdit::new(0..1, "S3NTINEL")).contains("S3NTINEL"));
    }

    proptest! {
        /// A log replayed on the committed text is the text that the edits made one by one.
        #[test]
        fn a_log_says_what_was_done(
            text in "[a-z]{0,12}",
            steps in prop::collection::vec((0usize..20, 0usize..6, "[A-Z]{0,4}"), 0..8),
        ) {
            let mut log = EditLog::new();
            let mut current = text.clone();
            for (at, length, new_text) in steps {
                let start = at.min(current.len());
                let end = (start + length).min(current.len());
                let edit = TextEdit::new(start..end, new_text);
                current = apply(&current, std::slice::from_ref(&edit)).unwrap().to_string();
                log.push(&edit);
            }
            let replayed = apply(&text, &log.into_edits()).unwrap().to_string();
            prop_assert_eq!(replayed, current);
        }
    }
}
