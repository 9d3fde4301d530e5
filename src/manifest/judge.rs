//! Holding values against the shapes that Talos' loader knows.
//!
//! It says what is wrong with what will be there after the merge; it decides nothing about the merge.

use super::merge;
use super::shape::{Names, Pem, Shape};
use crate::diagnostic::{Code, did_you_mean};
use crate::talos::{Endpoint, is_base64, is_base64_of_certificates, is_base64_of_pem};
use crate::yaml::{Node, NodeKind, Reading};
use serde_json::Value;
use std::net::IpAddr;

/// Something that Talos does not load, or that does nothing.
pub(super) struct Fault<'d> {
    pub(super) code: Code,
    pub(super) message: String,
    pub(super) help: String,
    pub(super) node: Node<'d>,
}

/// Holds values against shapes.
pub(super) struct Judge<'d> {
    /// Who reads the text.
    reading: Reading,
    pub(super) faults: Vec<Fault<'d>>,
}

impl<'d> Judge<'d> {
    pub(super) fn new(reading: Reading) -> Self {
        Self {
            reading,
            faults: Vec::new(),
        }
    }

    /// Judges `node`, called `name`, as it will be once `overlay` is merged into it: what the merge
    /// replaces is not judged.
    pub(super) fn judge(
        &mut self,
        node: Node<'d>,
        name: &str,
        shape: &Shape,
        overlay: Option<&Value>,
    ) {
        // An alias has its finding where it is owned, and null is what says nothing.
        if node.is_alias() || node.is_null() {
            return;
        }
        match shape {
            Shape::Fields(fields) => self.judge_fields(node, name, fields, overlay),
            Shape::ByName(names, shape) => self.judge_names(node, name, *names, shape, overlay),
            Shape::List(shape) => self.judge_list(node, name, shape, overlay),
            _ if overlay.is_some_and(|want| !merge::says(node, want, self.reading)) => {}
            _ => self.judge_scalar(node, name, shape),
        }
    }

    fn judge_fields(
        &mut self,
        node: Node<'d>,
        name: &str,
        fields: &[(&str, Shape)],
        overlay: Option<&Value>,
    ) {
        if !self.is_of(NodeKind::Mapping, node, name, "a mapping") {
            return;
        }
        for (key, text, value) in entries(node) {
            let known = fields.iter().find(|(field, _)| *field == text);
            if let Some((_, shape)) = known {
                let overlay = overlay.and_then(|tree| tree.get(text));
                self.judge(value, text, shape, overlay);
                continue;
            }
            let names = || fields.iter().map(|(field, _)| *field);
            let help = match did_you_mean(text, names()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("known here: {}", names().collect::<Vec<_>>().join(", ")),
            };
            self.push(
                Code::UnknownField,
                format!("{name} has no key `{text}`"),
                help,
                key,
            );
        }
    }

    fn judge_names(
        &mut self,
        node: Node<'d>,
        name: &str,
        names: Names,
        shape: &Shape,
        overlay: Option<&Value>,
    ) {
        if !self.is_of(NodeKind::Mapping, node, name, "a mapping") {
            return;
        }
        for (key, text, value) in entries(node) {
            let overlay = overlay.and_then(|tree| tree.get(text));
            if value.is_null() && overlay.is_none() {
                let message = format!("the entry for {text} in `{name}` is null");
                self.push(
                    Code::NullEntry,
                    message,
                    "remove it, or say something in it",
                    key,
                );
            }
            match names {
                Names::Mirrors => self.judge_mirror_name(key),
                Names::Hosts if text == "*" => self.judge_wildcard(key, value),
                Names::Hosts => {}
            }
            self.judge(value, text, shape, overlay);
        }
    }

    /// Is `*` alone, or a name?
    pub(super) fn judge_mirror_name(&mut self, key: Node<'d>) {
        let text = key.text().unwrap_or_default();
        if text != "*" && text.contains(['*', '?']) {
            let message = format!("the mirror for {text} looks like a pattern");
            let help = "name each registry, or use `*` for all that have no mirror of their own";
            self.push(Code::GlobMirror, message, help, key);
        }
    }

    fn judge_wildcard(&mut self, key: Node<'d>, value: Node<'d>) {
        if value.get("tls").is_some_and(|tls| !tls.is_null()) {
            let help = "say them for each endpoint by its name";
            self.push(Code::WildcardTls, "TLS settings for `*`", help, key);
        }
    }

    fn judge_list(&mut self, node: Node<'d>, name: &str, shape: &Shape, overlay: Option<&Value>) {
        if overlay.is_some_and(|want| !merge::says(node, want, self.reading)) {
            return;
        }
        if !self.is_of(NodeKind::Sequence, node, name, "a list") {
            return;
        }
        for item in node.items() {
            if item.is_null() {
                let message = format!("an item of `{name}` is null");
                self.push(
                    Code::WrongField,
                    message,
                    "remove it, or say something in it",
                    item,
                );
            }
            self.judge(item, name, shape, None);
        }
    }

    fn judge_scalar(&mut self, node: Node<'d>, name: &str, shape: &Shape) {
        let Some(text) = node.text() else {
            return self.wrong(node, name, "one value, not a list or a mapping");
        };
        // A variable that another tool fills in can become anything.
        if text.contains("${") {
            return;
        }
        match shape {
            Shape::Boolean => {
                if !matches!(node.meaning(self.reading), Ok(Value::Bool(_))) {
                    self.wrong(node, name, "`true` or `false`, without quotes");
                }
                return;
            }
            _ if !self.is_text(node, text) => return self.wrong(node, name, "a string"),
            _ => {}
        }
        match shape {
            Shape::Base64(pem) => self.judge_base64(node, name, text, *pem),
            Shape::Pem(pem) => self.judge_pem(node, name, text, *pem),
            Shape::Url {
                is_judged_by_loader,
            } => self.judge_url(node, text, *is_judged_by_loader),
            Shape::Address if text.parse::<IpAddr>().is_err() => {
                self.wrong(node, name, "an IP address");
            }
            _ => {}
        }
    }

    /// Does the text reach a string of Talos as it is written? Its loader takes the text of any scalar,
    /// but a JSON patch has been through JSON, where `0644` is 420.
    fn is_text(&self, node: Node<'d>, text: &str) -> bool {
        if node.string(self.reading).is_some() || self.reading == Reading::Talos {
            return true;
        }
        match node.meaning(self.reading) {
            Ok(Value::Number(number)) => number.to_string() == text,
            Ok(Value::Bool(is)) => is.to_string() == text,
            _ => false,
        }
    }

    fn judge_base64(&mut self, node: Node<'d>, name: &str, text: &str, pem: Pem) {
        let help = "write it with `base64 -w0`, or let hydrant write it from the store";
        if text.contains("-----BEGIN ") {
            let message = format!("`{name}` is PEM, and this field holds base64 of it");
            self.push(Code::CaEncoding, message, help, node);
        } else if !is_base64(text) {
            let message = format!("`{name}` is not base64");
            self.push(Code::CaEncoding, message, help, node);
        } else if pem == Pem::Ca && !text.is_empty() && !is_base64_of_certificates(text) {
            let message = format!("`{name}` is base64 of something without a readable certificate");
            self.push(Code::UnreadableCa, message, "encode the CA's PEM", node);
        }
    }

    fn judge_pem(&mut self, node: Node<'d>, name: &str, text: &str, pem: Pem) {
        let is_certificate = text.contains("-----BEGIN CERTIFICATE-----");
        let message = if text.is_empty() || is_certificate {
            return;
        } else if is_base64_of_pem(text) || (pem == Pem::Ca && is_base64(text)) {
            format!("`{name}` is base64, and a document holds the PEM itself")
        } else if pem == Pem::Ca {
            format!("`{name}` is not a certificate in PEM")
        } else {
            return;
        };
        self.push(
            Code::CaEncoding,
            message,
            "write the PEM, as a literal block (`|`)",
            node,
        );
    }

    fn judge_url(&mut self, node: Node<'d>, text: &str, is_judged_by_loader: bool) {
        let Err(why) = Endpoint::parse(text) else {
            return;
        };
        let has_scheme = ["http://", "https://"]
            .iter()
            .any(|it| text.starts_with(it));
        let code = if is_judged_by_loader && !has_scheme {
            Code::WrongField
        } else {
            Code::UselessEndpoint
        };
        let help = "write it like `https://registry.example`";
        self.push(code, format!("the endpoint {why}"), help, node);
    }

    fn is_of(&mut self, kind: NodeKind, node: Node<'d>, name: &str, expected: &str) -> bool {
        if node.kind() != kind {
            self.wrong(node, name, expected);
        }
        node.kind() == kind
    }

    fn wrong(&mut self, node: Node<'d>, name: &str, expected: &str) {
        let message = format!("`{name}` must be {expected}");
        self.push(Code::WrongField, message, "write it in that form", node);
    }

    pub(super) fn push(
        &mut self,
        code: Code,
        message: impl Into<String>,
        help: impl Into<String>,
        node: Node<'d>,
    ) {
        self.faults.push(Fault {
            code,
            message: message.into(),
            help: help.into(),
            node,
        });
    }
}

/// The entries of a mapping that are fields or names, with the text of each key.
///
/// A directive has its finding where it stands, and a merge key is behind an alias.
fn entries(node: Node<'_>) -> impl Iterator<Item = (Node<'_>, &str, Node<'_>)> {
    let named = node
        .entries()
        .map(|(key, value)| (key, key.text().unwrap_or("?"), value));
    named.filter(|(_, text, _)| !matches!(*text, "$patch" | "<<"))
}
