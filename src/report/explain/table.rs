//! The table for people.

use super::{EffectName, Explanation, InManifest, Question, Setting, Statement, words};
use crate::report::printable;

/// No line is longer, unless a terminal is wider than any.
const WIDTH: usize = 100;

/// Where values begin.
const INDENT: usize = 10;

/// The explanation, setting by setting: a line that names it, then a row for each thing to know.
pub(super) fn table(explanation: &Explanation) -> String {
    let mut table = Table {
        is_one: explanation.question.is_some(),
        text: String::new(),
    };
    table.line(&opt_ins(explanation));
    if let Some(question) = &explanation.question {
        table.question(question, explanation);
    }
    for setting in &explanation.settings {
        table.setting(setting);
    }
    if !table.is_one
        && explanation
            .settings
            .iter()
            .any(|it| !it.readings.is_empty())
    {
        table.gap();
        let cluster = &explanation.cluster;
        table.line(&format!(
            "`hydrant explain {cluster} PATH` shows one of them in full."
        ));
    }
    table.text
}

fn opt_ins(explanation: &Explanation) -> String {
    let cluster = &explanation.cluster;
    let opt_ins = explanation.opt_ins;
    match (opt_ins.registry_trust, opt_ins.platform_defaults) {
        (true, true) => {
            format!("{cluster} takes part in the registry trust and takes the platform's defaults.")
        }
        (true, false) => format!(
            "{cluster} takes part in the registry trust. The platform's other defaults change nothing \
             for it: it does not say `platformDefaults: true`."
        ),
        (false, true) => format!(
            "{cluster} takes the platform's defaults. It does not take part in the registry trust."
        ),
        (false, false) => format!(
            "{cluster} did not opt in: its manifests are copied byte for byte, and neither its settings \
             nor the platform's are in them."
        ),
    }
}

struct Table {
    /// Is it about one thing, which is shown in full?
    is_one: bool,
    text: String,
}

impl Table {
    fn question(&mut self, question: &Question, explanation: &Explanation) {
        if question.is_said
            || !(explanation.opt_ins.registry_trust || explanation.opt_ins.platform_defaults)
        {
            return;
        }
        self.gap();
        self.line(&format!(
            "Nobody says {}: neither the definition nor the platform. What the manifests say there stays.",
            question.asked
        ));
        if let Some(near) = &question.did_you_mean {
            self.line(&format!("Did you mean {near}?"));
        }
        self.in_manifests(&question.in_manifests);
    }

    fn setting(&mut self, setting: &Setting) {
        self.gap();
        self.line(&title(setting));
        match (&setting.on_machine, &setting.winner) {
            (Some(value), _) => self.row("value", value),
            (None, Some(winner)) => self.row("value", &words::value(&winner.value)),
            (None, None) => self.row("value", "not set"),
        }
        if let Some(winner) = &setting.winner {
            self.row("from", &words::origin(winner));
        }
        for part in &setting.made_with {
            self.row("with", &said(part));
        }
        for loser in &setting.losers {
            self.row("lost", &said(&loser.statement));
            self.row("", &format!("because {}", loser.reason));
        }
        self.row("effect", self.effect(setting.effect));
        for reading in &setting.readings {
            let targets = reading.targets.join(", ");
            self.row("as", &format!("{} in {targets}", words::form(reading.form)));
        }
        self.in_manifests(&setting.in_manifests);
    }

    fn in_manifests(&mut self, places: &[InManifest]) {
        for place in places {
            let (file, line) = (&place.file, place.line);
            let (form, target) = (words::form(place.form), &place.target);
            self.row("found", &format!("{file}:{line}, {form} in {target}"));
        }
    }

    fn effect(&self, effect: EffectName) -> &'static str {
        match (effect, self.is_one) {
            (EffectName::NextBootstrap, false) => "next bootstrap",
            (EffectName::Rolls, false) => "rolls machines, and so is never rendered",
            (EffectName::NextBootstrap, true) => {
                "next bootstrap: machines get it when they are made. Applying a changed \
                 TalosControlPlane replaces its machines, unless its strategy is OnDelete"
            }
            (EffectName::Rolls, true) => {
                "rolls machines: it is part of their disks, so it is written once, when the cluster is \
                 made, and never rendered"
            }
        }
    }

    fn row(&mut self, label: &str, value: &str) {
        let value = printable(value);
        let mut lines = wrapped(&value, WIDTH - INDENT);
        if !self.is_one && lines.len() > 2 {
            lines.truncate(2);
            let last = &mut lines[1];
            while last.chars().count() > WIDTH - INDENT - 2 {
                last.pop();
            }
            last.push_str(" …");
        }
        let labels = [label].into_iter().chain(std::iter::repeat(""));
        for (label, line) in labels.zip(lines) {
            self.push(&format!("  {label:<8}{line}"));
        }
    }

    fn line(&mut self, text: &str) {
        for line in wrapped(&printable(text), WIDTH) {
            self.push(&line);
        }
    }

    fn push(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    fn gap(&mut self) {
        self.text.push('\n');
    }
}

/// The path on the machine. Two settings share a host entry: its name and its address.
fn title(setting: &Setting) -> String {
    let lost = setting.losers.iter().map(|it| &it.statement);
    let mut keys = setting
        .winner
        .iter()
        .chain(lost)
        .filter_map(|it| it.key.as_deref());
    let key = keys.next().unwrap_or_default();
    match (&setting.path, key) {
        (Some(path), "registryTrust.host") => format!("{path} (the name)"),
        (Some(path), "registryTrust.address") => format!("{path} (the address)"),
        (Some(path), _) => path.clone(),
        (None, key) => key.to_string(),
    }
}

fn said(statement: &Statement) -> String {
    format!(
        "{}: {}",
        words::origin(statement),
        words::value(&statement.value)
    )
}

/// The text in lines of at most `width` characters, broken between words; a longer word is cut.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut free = width;
    for word in text.split([' ', '\n', '\t']) {
        let mut length = word.chars().count();
        let begins = free == width;
        if !begins && length + 1 > free {
            lines.push(String::new());
            free = width;
        } else if !begins {
            push(&mut lines, " ");
            free -= 1;
        }
        let mut rest = word;
        while length > free {
            let at = rest
                .char_indices()
                .nth(free)
                .map_or(rest.len(), |(at, _)| at);
            push(&mut lines, &rest[..at]);
            rest = &rest[at..];
            length -= free;
            lines.push(String::new());
            free = width;
        }
        push(&mut lines, rest);
        free -= length;
    }
    lines
}

fn push(lines: &mut [String], text: &str) {
    if let Some(last) = lines.last_mut() {
        last.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_and_a_word_that_is_too_long_is_cut() {
        assert_eq!(wrapped("a bb ccc", 4), ["a bb", "ccc"]);
        assert_eq!(wrapped("a bbbbbbbbb c", 4), ["a", "bbbb", "bbbb", "b c"]);
        assert_eq!(wrapped("", 4), [""]);
        assert_eq!(wrapped("ööööö", 4), ["öööö", "ö"]);
    }
}
