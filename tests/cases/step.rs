//! A line of a case's `command`.

use crate::house::Call;
use std::fs;
use std::path::{Path, PathBuf};

/// What is done, one after the other.
#[derive(Debug)]
pub(crate) enum Step {
    /// `$ [NAME=VALUE…] hydrant ARGUMENT… [< FILE]`: runs the program. A word may be in single quotes.
    /// With `!` in place of `$` no file can grow, as on a full disk.
    Run(Call),
    /// `+ fill FILE N`: makes a file of N lines of a comment, too large to be committed.
    Fill(PathBuf, usize),
    /// `+ link PATH TARGET`: makes a symbolic link.
    Link(PathBuf, PathBuf),
}

impl Step {
    pub(crate) fn parse(line: &str) -> Self {
        let mut words = words(line).into_iter();
        let mut call = Call::default();
        match words.next().as_deref() {
            Some("$") => {}
            Some("!") => call.disk_is_full = true,
            Some("+") => return Self::preparation(&words.collect::<Vec<_>>()),
            _ => panic!("a line of `command` begins with `$`, `!` or `+`: {line}"),
        }
        let program = words.find(|word| match word.split_once('=') {
            Some((name, value)) => {
                call.variables.push((name.to_string(), value.to_string()));
                false
            }
            None => true,
        });
        assert_eq!(program.as_deref(), Some("hydrant"), "{line}");
        call.arguments = words.collect();
        call.stdin = call
            .arguments
            .iter()
            .position(|word| word == "<")
            .map(|at| {
                let mut redirect = call.arguments.split_off(at).into_iter().skip(1);
                PathBuf::from(redirect.next().expect("a file after `<`"))
            });
        Self::Run(call)
    }

    fn preparation(words: &[String]) -> Self {
        match words {
            [verb, path, lines] if verb == "fill" => {
                Self::Fill(path.into(), lines.parse().expect("a number"))
            }
            [verb, path, target] if verb == "link" => Self::Link(path.into(), target.into()),
            _ => panic!("nothing that can be prepared: {words:?}"),
        }
    }

    /// The path that a preparation makes something at.
    fn made(&self) -> Option<&Path> {
        match self {
            Self::Run(_) => None,
            Self::Fill(path, _) | Self::Link(path, _) => Some(path),
        }
    }

    /// Is it a preparation that makes something at this path?
    pub(crate) fn makes(&self, path: &Path) -> bool {
        self.made() == Some(path)
    }

    /// Does what a preparation says.
    pub(crate) fn prepare(&self, repository: &Path) {
        let Some(path) = self.made().map(|path| repository.join(path)) else {
            return;
        };
        fs::create_dir_all(path.parent().expect("it is below the repository")).expect("made");
        match self {
            Self::Run(_) => {}
            Self::Fill(_, lines) => {
                fs::write(path, "# 16 bytes here\n".repeat(*lines)).expect("written");
            }
            Self::Link(_, target) => std::os::unix::fs::symlink(target, path).expect("linked"),
        }
    }
}

/// Words between blanks; single quotes hold a word together.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut is_quoted = false;
    for c in line.chars() {
        match c {
            '\'' => {
                is_quoted = !is_quoted;
                word.get_or_insert_default();
            }
            ' ' if !is_quoted => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    assert!(!is_quoted, "a quote is not closed: {line}");
    words.extend(word);
    words
}
