//! Test documents: a value written in whatever style the dice say.

use super::super::quote::{self, Context};
use super::super::{Document, Meaning, Reading};
use serde_json::{Map, Value};

/// Choices of style, one after the other; all zero is the plainest style.
pub(super) struct Dice {
    pub(super) rolls: Vec<u8>,
    pub(super) at: usize,
}

impl Dice {
    pub(super) fn roll(&mut self, sides: u8) -> u8 {
        let roll = self
            .rolls
            .get(self.at % self.rolls.len().max(1))
            .copied()
            .unwrap_or(0);
        self.at += 1;
        roll % sides
    }
}

/// Writes a value in whatever style the dice say.
pub(super) struct Writer {
    pub(super) dice: Dice,
    pub(super) step: usize,
    pub(super) out: String,
    pub(super) ending: &'static str,
    pub(super) comments: usize,
}

impl Writer {
    fn comment(&mut self) -> String {
        self.comments += 1;
        format!("# c{};", self.comments)
    }

    /// Ends a line, perhaps with a comment and with blank or comment lines below it.
    fn end_line(&mut self, column: usize) {
        if self.dice.roll(5) == 4 {
            let comment = self.comment();
            self.out.push_str("  ");
            self.out.push_str(&comment);
        }
        self.out.push_str(self.ending);
        if self.dice.roll(7) == 6 {
            let comment = self.comment();
            self.indent(column);
            self.out.push_str(&comment);
            self.out.push_str(self.ending);
        }
        if self.dice.roll(7) == 6 {
            self.out.push_str(self.ending);
        }
    }

    fn indent(&mut self, column: usize) {
        self.out.push_str(&" ".repeat(column));
    }

    fn after_key(&mut self, value: &Value, column: usize) {
        let is_flow = self.dice.roll(5) == 4;
        match value {
            Value::Object(map) if !map.is_empty() && !is_flow => {
                self.end_line(column + self.step);
                self.indent(column + self.step);
                self.mapping(map, column + self.step);
            }
            Value::Array(items) if !items.is_empty() && !is_flow => {
                let column = column + if self.dice.roll(2) == 0 { self.step } else { 0 };
                self.end_line(column);
                self.indent(column);
                self.sequence(items, column);
            }
            _ => {
                if !(value.is_null() && self.dice.roll(2) == 1) {
                    self.out
                        .push_str(if self.dice.roll(4) == 3 { "   " } else { " " });
                    self.inline(value, column, column + self.step);
                }
                self.end_line_after(value, column);
            }
        }
    }

    /// A literal block has ended its line already.
    fn end_line_after(&mut self, value: &Value, column: usize) {
        if value.is_string() && self.out.ends_with(self.ending) {
            return;
        }
        self.end_line(column);
    }

    fn mapping(&mut self, map: &Map<String, Value>, column: usize) {
        for (count, (key, value)) in map.iter().enumerate() {
            if count > 0 {
                self.indent(column);
            }
            let key = self.quoted(key, Context::Block);
            self.out.push_str(&key);
            self.out.push(':');
            self.after_key(value, column);
        }
    }

    fn sequence(&mut self, items: &[Value], column: usize) {
        for (count, item) in items.iter().enumerate() {
            if count > 0 {
                self.indent(column);
            }
            self.out.push('-');
            let gap = if self.dice.roll(4) == 3 { 3 } else { 1 };
            let is_below = self.dice.roll(5) == 4;
            let inner = column + 1 + gap;
            match item {
                Value::Object(map) if !map.is_empty() => {
                    self.start_item(is_below, gap, inner);
                    self.mapping(map, inner);
                }
                Value::Array(items) if !items.is_empty() => {
                    self.start_item(is_below, gap, inner);
                    self.sequence(items, inner);
                }
                _ => {
                    if !(item.is_null() && is_below) {
                        self.out.push_str(&" ".repeat(gap));
                        self.inline(item, column, inner);
                    }
                    self.end_line_after(item, column);
                }
            }
        }
    }

    fn start_item(&mut self, is_below: bool, gap: usize, inner: usize) {
        if is_below {
            self.end_line(inner);
            self.indent(inner);
        } else {
            self.indent(gap);
        }
    }

    /// A scalar, or a collection in flow style.
    fn inline(&mut self, value: &Value, column: usize, inner: usize) {
        match value {
            Value::String(text) if quote::fits_literal(text) && self.dice.roll(3) > 0 => {
                self.literal(text, inner, inner - column);
            }
            Value::String(text) => {
                let text = self.quoted(text, Context::Block);
                self.out.push_str(&text);
            }
            Value::Array(_) | Value::Object(_) => self.flow(value, inner),
            _ => self.out.push_str(&value.to_string()),
        }
    }

    pub(super) fn literal(&mut self, text: &str, column: usize, indentation: usize) {
        self.out.push('|');
        if text.trim_start_matches('\n').starts_with(' ') || self.dice.roll(4) == 3 {
            self.out.push_str(&indentation.to_string());
        }
        let body = text.strip_suffix('\n').unwrap_or(text);
        if body.len() == text.len() {
            self.out.push('-');
        } else if body.ends_with('\n') {
            self.out.push('+');
        }
        for line in body.split('\n') {
            self.out.push_str(self.ending);
            let is_short = line.is_empty() && self.dice.roll(2) == 0;
            self.indent(if is_short { 0 } else { column });
            self.out.push_str(line);
        }
        self.out.push_str(self.ending);
    }

    fn quoted(&mut self, text: &str, context: Context) -> String {
        match self.dice.roll(4) {
            1 => quote::double(text),
            2 => quote::single(text).unwrap_or_else(|| quote::double(text)),
            _ => quote::shortest(text, context),
        }
    }

    fn flow(&mut self, value: &Value, column: usize) {
        let is_tall = self.dice.roll(3) == 2;
        let (open, close) = if value.is_object() {
            ("{", "}")
        } else {
            ("[", "]")
        };
        let entries: Vec<(Option<&String>, &Value)> = match value {
            Value::Object(map) => map.iter().map(|(key, value)| (Some(key), value)).collect(),
            Value::Array(items) => items.iter().map(|item| (None, item)).collect(),
            Value::String(text) => {
                let text = self.quoted(text, Context::Flow);
                return self.out.push_str(&text);
            }
            _ => return self.out.push_str(&value.to_string()),
        };
        self.out.push_str(open);
        let count = entries.len();
        for (index, (key, value)) in entries.into_iter().enumerate() {
            if is_tall {
                self.end_line(column);
                self.indent(column);
            }
            if let Some(key) = key {
                let key = self.quoted(key, Context::Flow);
                self.out.push_str(&key);
                self.out.push_str(": ");
            }
            self.flow(value, column + 2);
            if index + 1 < count || self.dice.roll(4) == 3 {
                self.out.push(',');
            }
        }
        if is_tall {
            self.end_line(column);
            self.indent(column);
        }
        self.out.push_str(close);
    }
}

/// A document that means `value`, in the style of `rolls`.
pub(super) fn written(value: &Value, rolls: Vec<u8>) -> String {
    let mut dice = Dice { rolls, at: 0 };
    let step = 2 + usize::from(dice.roll(3));
    let ending = ["\n", "\r\n", "\r"][usize::from(dice.roll(3))];
    let (mark, head, foot) = (dice.roll(6) == 5, dice.roll(4) == 3, dice.roll(6) == 5);
    let is_cut = dice.roll(4) == 3;
    let mut writer = Writer {
        dice,
        step,
        out: String::new(),
        ending,
        comments: 0,
    };
    if mark {
        writer.out.push('\u{feff}');
    }
    if head {
        writer.out.push_str("---");
        writer.end_line(0);
    }
    match value {
        Value::Object(map) => writer.mapping(map, 0),
        Value::Array(items) => writer.sequence(items, 0),
        _ => unreachable!("generated documents are collections"),
    }
    if foot {
        writer.out.push_str("...");
        writer.end_line(0);
    }
    let mut out = writer.out;
    // A literal block that loses its last line ending loses it from its value.
    if is_cut && !out.ends_with(&ending.repeat(2)) {
        let cut = out.trim_end_matches(['\r', '\n']).to_string();
        if meaning(&cut).as_ref() == Some(value) {
            out = cut;
        }
    }
    out
}

pub(super) fn meaning(text: &str) -> Option<Meaning> {
    let document = Document::parse(text, 0..text.len()).ok()?;
    document.root()?.meaning(Reading::Talos).ok()
}
