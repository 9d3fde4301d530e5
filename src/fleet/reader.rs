//! Reading a mapping by the keys that somebody asks for.
//!
//! What was asked for is what is known: the unknown keys, the "did you mean" and the test that holds
//! schema and reader together all follow from it, so no list of keys is kept by hand.

mod values;

use super::{InvalidName, Placed};
use crate::diagnostic::{Code, Diagnostic, Place, did_you_mean};
use crate::text::SourceFile;
use crate::yaml::{Document, Node, NodeKind, Problem, Reading, Stream};
use std::cell::RefCell;
use std::fmt::{self, Display};
use std::str::FromStr;
use std::sync::Arc;

/// One file being read, and everything found wrong with it so far.
pub(super) struct Reader {
    pub(super) file: Arc<SourceFile>,
    findings: RefCell<Vec<Diagnostic>>,
}

/// A mapping that is read key by key.
pub(super) trait Block: Sized {
    /// What a key that nobody asks for means.
    const UNKNOWN: Unknown = Unknown::Refused;

    /// Asks for every key there can be; `None` where one that must be there is not.
    fn read_keys(keys: &mut Keys<'_>) -> Option<Self>;
}

/// What a key that nobody asks for means.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Unknown {
    /// hydrant owns the block: a misspelt key would silently have no effect.
    Refused,
    /// Other tools read the block too.
    Ignored,
}

/// A value that can be read; what is wrong with it goes to the reader.
pub(super) trait Read: Sized {
    fn read(value: Value<'_>) -> Option<Self>;
}

/// A node, and the keys that lead to it.
#[derive(Clone, Copy)]
pub(super) struct Value<'v> {
    pub(super) reader: &'v Reader,
    node: Node<'v>,
    trail: Trail<'v>,
}

/// The keys that lead to a value, for messages.
#[derive(Clone, Copy)]
enum Trail<'v> {
    Root,
    Key(&'v Trail<'v>, &'v str),
    Item(&'v Trail<'v>, usize),
}

/// A mapping whose keys are being asked for.
pub(super) struct Keys<'v> {
    value: Value<'v>,
    asked: Vec<&'static str>,
}

impl Reader {
    pub(super) fn new(file: &Arc<SourceFile>) -> Self {
        Self {
            file: Arc::clone(file),
            findings: RefCell::default(),
        }
    }

    /// Reads the whole file as one mapping. What is wrong with it comes beside it; where an error is
    /// among that, the value must not be used.
    pub(super) fn read<T: Block>(file: &Arc<SourceFile>) -> (Option<T>, Vec<Diagnostic>) {
        let reader = Self::new(file);
        let read = match Stream::parse(file.text()) {
            Ok(stream) => reader.root(&stream),
            Err(problems) => {
                for problem in problems {
                    reader.report(broken(file, problem));
                }
                None
            }
        };
        (read, reader.findings.into_inner())
    }

    fn root<T: Block>(&self, stream: &Stream<'_>) -> Option<T> {
        let mut roots = stream.documents.iter().filter_map(Document::root);
        let Some(node) = roots.next() else {
            self.report(
                Diagnostic::new(
                    Code::MissingKey,
                    "the file says nothing",
                    "write what it must say, or remove it",
                )
                .at(Place::whole(&self.file)),
            );
            return None;
        };
        if let Some(second) = roots.next() {
            self.report(
                Diagnostic::new(
                    Code::WrongType,
                    "the file holds a second document",
                    "keep one document: the others would not be read",
                )
                .at(Place::new(&self.file, second.span())),
            );
        }
        T::read(Value {
            reader: self,
            node,
            trail: Trail::Root,
        })
    }

    pub(super) fn report(&self, finding: Diagnostic) {
        self.findings.borrow_mut().push(finding);
    }
}

fn broken(file: &Arc<SourceFile>, problem: Problem) -> Diagnostic {
    let at = Place::new(file, problem.span);
    match problem.duplicate_of {
        Some(first) => Diagnostic::new(Code::DuplicateKey, problem.message, "keep one of the two")
            .at(at)
            .at(Place::new(file, first).labelled("said here first")),
        None => Diagnostic::new(
            Code::InvalidYaml,
            problem.message,
            "correct the YAML at this place",
        )
        .at(at),
    }
}

impl Display for Trail<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Key(Self::Root, key) => f.write_str(key),
            Self::Key(parent, key) => write!(f, "{parent}.{key}"),
            Self::Item(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}

impl<'v> Value<'v> {
    pub(super) fn place(&self) -> Place {
        Place::new(&self.reader.file, self.node.span())
    }

    /// The value's own name in messages: `registryTrust.host`, or the file's root.
    pub(super) fn name(&self) -> String {
        match self.trail {
            Trail::Root => "the file".to_owned(),
            trail => format!("`{trail}`"),
        }
    }

    pub(super) fn refuse(&self, code: Code, message: impl Display, help: impl Into<String>) {
        let message = format!("{} {message}", self.name());
        self.reader
            .report(Diagnostic::new(code, message, help).at(self.place()));
    }

    fn wrong_type(&self, expected: &str) {
        if self.node.resolved().is_null() {
            let help = format!("write {expected}, or leave the key out to say nothing");
            self.refuse(Code::WrongType, "is null", help);
        } else {
            let message = format!("must be {expected}");
            let help = match (expected, self.node.resolved().kind()) {
                (STRING, NodeKind::Scalar) => "put it in quotes",
                (BOOLEAN, NodeKind::Scalar) => "write `true` or `false`, without quotes",
                _ => "write the value in that form",
            };
            self.refuse(Code::WrongType, message, help);
        }
    }

    fn string(&self) -> Option<&'v str> {
        let node = self.node.resolved();
        let text = node
            .string(Reading::Kubernetes)
            .filter(|_| node.string(Reading::Talos).is_some());
        match text {
            None => self.wrong_type(STRING),
            Some("") => {
                let help = "leave the key out to say nothing";
                self.refuse(Code::InvalidValue, "is an empty string", help);
                return None;
            }
            Some(text) if text.chars().any(char::is_control) => {
                let help = "remove it: control characters have no business in this value";
                self.refuse(Code::InvalidValue, "holds a control character", help);
                return None;
            }
            Some(_) => {}
        }
        text
    }

    fn parsed<T: FromStr<Err = InvalidName>>(&self) -> Option<T> {
        let text = self.string()?;
        match text.parse() {
            Ok(parsed) => Some(parsed),
            Err(InvalidName(reason)) => {
                let message = format!("is {text:?}, which {reason}");
                self.refuse(Code::InvalidValue, message, "correct the value");
                None
            }
        }
    }
}

const STRING: &str = "a string";
const BOOLEAN: &str = "a boolean";

impl<'v> Keys<'v> {
    /// The value of `key`; `None` where the key is not there, or its value is of no use.
    pub(super) fn optional<T: Read>(&mut self, key: &'static str) -> Option<Placed<T>> {
        self.asked.push(key);
        let node = self.value.node.get(key)?;
        let value = Value {
            reader: self.value.reader,
            node,
            trail: Trail::Key(&self.value.trail, key),
        };
        let at = value.place();
        T::read(value).map(|value| Placed { value, at })
    }

    /// Like [`Keys::optional`], and its absence is a finding.
    pub(super) fn required<T: Read>(&mut self, key: &'static str) -> Option<Placed<T>> {
        if !self.has(key) {
            let place = match self.value.trail {
                Trail::Root => Place::whole(&self.value.reader.file),
                _ => self.value.place(),
            };
            self.value.reader.report(
                Diagnostic::new(
                    Code::MissingKey,
                    format!("{} does not say `{key}`", self.value.name()),
                    format!("add `{key}`"),
                )
                .at(place),
            );
        }
        self.optional(key)
    }

    /// Like [`Keys::optional`] where `wanted`; the key is known either way.
    pub(super) fn optional_if<T: Read>(
        &mut self,
        wanted: bool,
        key: &'static str,
    ) -> Option<Placed<T>> {
        if wanted {
            return self.optional(key);
        }
        self.asked.push(key);
        None
    }

    /// Is the key written?
    pub(super) fn has(&self, key: &str) -> bool {
        self.value.node.get(key).is_some()
    }

    /// The mapping itself.
    pub(super) fn value(&self) -> Value<'v> {
        self.value
    }

    /// The keys that nobody asked for, with their places.
    pub(super) fn strangers(&self) -> Vec<(String, Place)> {
        let file = &self.value.reader.file;
        self.value
            .node
            .entries()
            .map(|(key, _)| (key.text().unwrap_or("?"), key.span()))
            .filter(|(key, _)| !self.asked.contains(key))
            .map(|(key, span)| (key.to_owned(), Place::new(file, span)))
            .collect()
    }

    fn refuse_strangers(&self, unknown: Unknown) {
        for (key, place) in self.strangers() {
            // A merge key could bring any of the keys that are read, unseen by a reader of the file.
            let merge = key == "<<";
            if unknown == Unknown::Ignored && !merge {
                continue;
            }
            let help = match did_you_mean(&key, self.asked.iter().copied()) {
                _ if merge => "write the keys out: a merge is not read here".to_owned(),
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("known here: {}", self.asked.join(", ")),
            };
            let message = format!("{} has no key `{key}`", self.value.name());
            let finding = Diagnostic::new(Code::UnknownKey, message, help).at(place);
            self.value.reader.report(finding);
        }
    }
}

impl<T: Block> Read for T {
    fn read(value: Value<'_>) -> Option<Self> {
        let node = value.node.resolved();
        if node.kind() != NodeKind::Mapping {
            value.wrong_type("a mapping");
            return None;
        }
        let mut keys = Keys {
            value: Value { node, ..value },
            asked: Vec::new(),
        };
        let read = T::read_keys(&mut keys);
        keys.refuse_strangers(T::UNKNOWN);
        read
    }
}

#[cfg(test)]
mod tests;
