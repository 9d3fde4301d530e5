//! YAML as people write it: the same tree in many spellings.
//!
//! It is a writer for tests only, and does not know what hydrant does with the text.

use super::chance::Chance;
use serde_json::Value;

/// What is to be written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Tree {
    Plain(Value),
    /// Text with its own way to be quoted, for instance a strategic patch.
    Text(String, Quoting),
    Map(Vec<(String, Tree)>),
    List(Vec<Tree>),
    Anchor(&'static str, Box<Tree>),
    Alias(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quoting {
    Literal,
    Folded,
    Double,
    Single,
}

/// A person's habits in one file.
#[derive(Clone, Copy, Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a habit that one has or has not"
)]
pub(crate) struct Hand {
    pub(crate) wide: bool,
    pub(crate) flush_lists: bool,
    pub(crate) quoted_keys: bool,
    pub(crate) single_quotes: bool,
    pub(crate) comments: bool,
    /// In how many of a hundred places that could be flow it is.
    pub(crate) flow: usize,
}

impl From<Value> for Tree {
    fn from(value: Value) -> Self {
        match value {
            Value::Object(fields) => Self::Map(
                fields
                    .into_iter()
                    .map(|(key, value)| (key, value.into()))
                    .collect(),
            ),
            Value::Array(items) => Self::List(items.into_iter().map(Self::from).collect()),
            Value::String(text) if text.contains('\n') => Self::Text(text, Quoting::Literal),
            plain => Self::Plain(plain),
        }
    }
}

impl Hand {
    pub(crate) fn draw(chance: &mut Chance) -> Self {
        Self {
            wide: chance.percent(15),
            flush_lists: chance.percent(50),
            quoted_keys: chance.percent(10),
            single_quotes: chance.percent(50),
            comments: chance.percent(40),
            flow: *chance.pick(&[0, 0, 15, 60]),
        }
    }
}

/// One document, without a marker before it.
pub(crate) fn write(tree: &Tree, hand: Hand, chance: &mut Chance) -> String {
    let mut writer = Writer {
        hand,
        chance,
        out: String::new(),
    };
    match tree {
        Tree::Map(entries) if !entries.is_empty() => writer.map(entries, 0),
        Tree::List(items) if !items.is_empty() => writer.list(items, 0),
        other => {
            let line = writer.flow(other);
            writer.out.push_str(&line);
            writer.out.push('\n');
        }
    }
    writer.out
}

/// The tree on one line.
pub(crate) fn flow(tree: &Tree) -> String {
    let mut chance = Chance::new(0, 0);
    Writer {
        hand: Hand::default(),
        chance: &mut chance,
        out: String::new(),
    }
    .flow(tree)
}

struct Writer<'w> {
    hand: Hand,
    chance: &'w mut Chance,
    out: String,
}

impl Writer<'_> {
    fn map(&mut self, entries: &[(String, Tree)], indent: usize) {
        for (index, (key, value)) in entries.iter().enumerate() {
            if index > 0 {
                self.comment_line(indent);
                self.pad(indent);
            } else if self.out.is_empty() || self.out.ends_with('\n') {
                self.pad(indent);
            }
            let key = self.key(key);
            self.out.push_str(&key);
            self.out.push(':');
            let step = if self.hand.wide { 4 } else { 2 };
            let list = if self.hand.flush_lists {
                indent
            } else {
                indent + step
            };
            self.value(value, indent + step, list);
        }
    }

    fn list(&mut self, items: &[Tree], indent: usize) {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.comment_line(indent);
            }
            self.pad(indent);
            self.out.push('-');
            match item {
                Tree::Map(entries) if !entries.is_empty() && !self.goes_flow(item) => {
                    self.out.push(' ');
                    self.map(entries, indent + 2);
                }
                other => self.value(other, indent + 2, indent + 2),
            }
        }
    }

    /// A value after `key:` or `-`, with the line end after it.
    fn value(&mut self, tree: &Tree, indent: usize, list: usize) {
        match tree {
            Tree::Map(entries) if !entries.is_empty() && !self.goes_flow(tree) => {
                self.out.push('\n');
                self.map(entries, indent);
            }
            Tree::List(items) if !items.is_empty() && !self.goes_flow(tree) => {
                self.out.push('\n');
                self.list(items, list);
            }
            Tree::Anchor(name, inner) => {
                self.out.push_str(" &");
                self.out.push_str(name);
                self.value(inner, indent, list);
            }
            Tree::Text(text, quoting) => self.text(text, *quoting, indent),
            other => {
                let line = self.flow(other);
                self.out.push(' ');
                self.out.push_str(&line);
                if self.hand.comments && self.chance.percent(8) {
                    self.out.push_str("  # as agreed");
                }
                self.out.push('\n');
            }
        }
    }

    fn text(&mut self, text: &str, quoting: Quoting, indent: usize) {
        self.out.push(' ');
        match quoting {
            Quoting::Literal => {
                self.out.push('|');
                self.out.push_str(match text.trim_end_matches('\n').len() {
                    len if len == text.len() => "-",
                    len if len + 1 == text.len() => "",
                    _ => "+",
                });
                self.out.push('\n');
                self.lines(text, indent);
            }
            Quoting::Folded => {
                self.out
                    .push_str(if text.ends_with('\n') { ">\n" } else { ">-\n" });
                self.lines(text, indent);
            }
            Quoting::Single => {
                self.out.push_str(&single(text));
                self.out.push('\n');
            }
            Quoting::Double => {
                self.out.push_str(&double(text));
                self.out.push('\n');
            }
        }
    }

    fn lines(&mut self, text: &str, indent: usize) {
        let body = text.strip_suffix('\n').unwrap_or(text);
        for line in body.split('\n') {
            if !line.is_empty() {
                self.pad(indent);
                self.out.push_str(line);
            }
            self.out.push('\n');
        }
    }

    fn goes_flow(&mut self, tree: &Tree) -> bool {
        can_flow(tree) && self.chance.percent(self.hand.flow)
    }

    fn flow(&mut self, tree: &Tree) -> String {
        match tree {
            Tree::Plain(Value::String(text)) => self.string(text),
            Tree::Plain(plain) => plain.to_string(),
            Tree::Text(text, _) => double(text),
            Tree::Alias(name) => format!("*{name}"),
            Tree::Anchor(name, inner) => format!("&{name} {}", self.flow(inner)),
            Tree::List(items) => {
                let items: Vec<_> = items.iter().map(|item| self.flow(item)).collect();
                format!("[{}]", items.join(", "))
            }
            Tree::Map(entries) => {
                let mut fields = Vec::new();
                for (key, value) in entries {
                    let key = if is_plain(key) {
                        key.clone()
                    } else {
                        double(key)
                    };
                    fields.push(format!("{key}: {}", self.flow(value)));
                }
                format!("{{{}}}", fields.join(", "))
            }
        }
    }

    fn string(&mut self, text: &str) -> String {
        let quoted = if self.hand.single_quotes {
            single(text)
        } else {
            double(text)
        };
        if is_plain(text) && !self.chance.percent(20) {
            text.to_string()
        } else {
            quoted
        }
    }

    fn key(&mut self, key: &str) -> String {
        let is_plain = is_plain(key)
            || key.split_once(':').is_some_and(|(host, port)| {
                is_plain(host) && port.bytes().all(|byte| byte.is_ascii_digit())
            });
        if key == "<<" || (is_plain && !(self.hand.quoted_keys && self.chance.percent(30))) {
            key.to_string()
        } else {
            double(key)
        }
    }

    fn comment_line(&mut self, indent: usize) {
        if self.hand.comments && self.chance.percent(6) {
            self.pad(indent);
            self.out.push_str("# see the runbook\n");
        }
    }

    fn pad(&mut self, indent: usize) {
        self.out.extend(std::iter::repeat_n(' ', indent));
    }
}

fn can_flow(tree: &Tree) -> bool {
    match tree {
        Tree::Plain(_) => true,
        Tree::Map(entries) => entries.len() < 6 && entries.iter().all(|(_, value)| can_flow(value)),
        Tree::List(items) => items.iter().all(can_flow),
        Tree::Text(..) | Tree::Anchor(..) | Tree::Alias(_) => false,
    }
}

/// Text that is a string in every YAML and in flow, without quotes.
fn is_plain(text: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || b"._/-".contains(&byte);
    let starts = text
        .bytes()
        .next()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'/');
    let is_keyword = matches!(
        text.to_ascii_lowercase().as_str(),
        "true" | "false" | "null" | "yes" | "no" | "on" | "off" | "y" | "n"
    );
    starts && !is_keyword && text.bytes().all(is_word)
}

pub(crate) fn double(text: &str) -> String {
    // JSON escapes are YAML escapes.
    Value::String(text.to_string()).to_string()
}

fn single(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_hand_writes_what_was_meant() {
        let meant = json!({
            "list": [{"ip": "192.0.2.1", "aliases": ["a.example"]}, "2001:db8::1", []],
            "registry.example:5000": {"tls": {"ca": "LS0t=", "on": true, "n": null}},
            "*": {"text": "a: 1\n\nb: |\n  c\n", "empty": {}, "number": "1", "word": "yes"},
        });
        for index in 0..200 {
            let mut chance = Chance::new(3, index);
            let hand = Hand::draw(&mut chance);
            let text = write(&meant.clone().into(), hand, &mut chance);
            let read: Value =
                serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(read, meant, "{text}");
        }
    }
}
