//! One case: what its folder says, played and compared.

use crate::house::{Files, House, files};
use crate::tells::SHARED;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// A case folder.
pub(crate) struct Story {
    folder: PathBuf,
    steps: Vec<Step>,
}

/// A line of `command`.
#[derive(Debug)]
enum Step {
    /// `$ [NAME=VALUE…] hydrant ARGUMENT… [< FILE]`: runs the program. A word may be in single quotes.
    Run {
        variables: Vec<(String, String)>,
        arguments: Vec<String>,
        stdin: Option<PathBuf>,
    },
    /// `+ fill FILE N`: makes a file of N lines of a comment, too large to be committed.
    Fill(PathBuf, usize),
    /// `+ link PATH TARGET`: makes a symbolic link.
    Link(PathBuf, PathBuf),
}

/// What all steps printed, and their exit codes.
#[derive(Default)]
struct Printed {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    codes: Vec<String>,
}

impl Story {
    pub(crate) fn read(folder: &Path) -> Self {
        let command = fs::read(folder.join("command")).expect("a case has a `command`");
        let command = String::from_utf8(SHARED.spell_out(&command)).expect("text");
        let steps = command
            .lines()
            .filter(|line| !line.is_empty())
            .map(Step::parse)
            .collect();
        Self {
            folder: folder.to_path_buf(),
            steps,
        }
    }

    /// Plays it; the error says everything that is not as the folder says.
    pub(crate) fn play(&self) -> Result<(), String> {
        let shared = self.folder.join("../../_shared");
        let house = House::new(&shared.join("test-key.txt"));
        let alone = fs::read_to_string(self.folder.join("alone")).ok();
        let is_taken = |path: &Path| match &alone {
            Some(paths) => paths.lines().any(|line| Path::new(line) == path),
            None => true,
        };
        house.bring_in(&shared.join("before"), is_taken);
        if self.folder.join("before").is_dir() {
            house.bring_in(&self.folder.join("before"), |_| true);
        }
        let mut wrong = String::new();
        let before = house.repository();
        let printed = self.run(&house, &mut wrong);
        let after = house.repository();
        self.compare("stdout", &SHARED.name(&printed.stdout), &mut wrong);
        let stderr = SHARED.name(&house.name_itself(&printed.stderr));
        self.compare("stderr", &stderr, &mut wrong);
        let is_clean = printed.codes.iter().all(|code| code == "0");
        let codes = if is_clean {
            String::new()
        } else {
            printed.codes.join("\n") + "\n"
        };
        self.compare("code", codes.as_bytes(), &mut wrong);
        self.compare_files(&before, &after, &mut wrong);
        if let [.., Step::Run { arguments, .. }] = &self.steps[..]
            && is_clean
        {
            self.render_again(&house, arguments, &printed.stdout, &mut wrong);
        }
        if wrong.is_empty() { Ok(()) } else { Err(wrong) }
    }

    fn run(&self, house: &House, wrong: &mut String) -> Printed {
        let mut printed = Printed::default();
        for step in &self.steps {
            let (variables, arguments, stdin) = match step {
                Step::Run {
                    variables,
                    arguments,
                    stdin,
                } => (variables, arguments, stdin),
                Step::Fill(path, lines) => {
                    fs::write(
                        house.path("repo").join(path),
                        "# 16 bytes here\n".repeat(*lines),
                    )
                    .expect("written");
                    continue;
                }
                Step::Link(path, target) => {
                    let path = house.path("repo").join(path);
                    fs::create_dir_all(path.parent().expect("it is below the repository"))
                        .expect("made");
                    std::os::unix::fs::symlink(target, path).expect("linked");
                    continue;
                }
            };
            let stdin = stdin
                .as_ref()
                .map(|file| fs::read(house.path("repo").join(file)).expect("the input"));
            let output = house.hydrant(arguments, variables, &stdin.unwrap_or_default());
            self.check_leaks(house, step, &output.stdout, &output.stderr, wrong);
            printed.stdout.extend(output.stdout);
            printed.stderr.extend(output.stderr);
            printed.codes.push(
                output
                    .status
                    .code()
                    .map_or("signal".into(), |code| code.to_string()),
            );
        }
        printed
    }

    fn check_leaks(
        &self,
        house: &House,
        step: &Step,
        stdout: &[u8],
        stderr: &[u8],
        wrong: &mut String,
    ) {
        let Step::Run {
            variables,
            arguments,
            ..
        } = step
        else {
            return;
        };
        let mut known = self.steps_text();
        let committed = house
            .repository()
            .into_iter()
            .filter(|(path, _)| path.extension().is_none_or(|end| end != "age"));
        known.extend(committed.flat_map(|(_, bytes)| bytes));
        known.extend(variables.iter().flat_map(|(_, value)| value.bytes()));
        let says = |word: &str| arguments.iter().any(|argument| argument == word);
        let may_show = says("show") || (says("render") && !says("--redact"));
        let shown = if may_show {
            None
        } else {
            SHARED.leak(stdout, &known)
        };
        for (place, leak) in [("stdout", shown), ("stderr", SHARED.leak(stderr, &known))] {
            if let Some(leak) = leak {
                let _ = writeln!(wrong, "a decrypted value is in {place}: {leak}");
            }
        }
        let left = house.leavings();
        if !left.is_empty() {
            let _ = writeln!(
                wrong,
                "files were left in the home or the temporary folder: {left:?}"
            );
        }
    }

    fn steps_text(&self) -> Vec<u8> {
        fs::read(self.folder.join("command")).expect("a case has a `command`")
    }

    fn compare(&self, name: &str, actual: &[u8], wrong: &mut String) {
        compare(&self.folder.join(name), name, actual, wrong);
    }

    /// What was made or changed must be what `after/` says; a sealed file has other bytes each time.
    fn compare_files(&self, before: &Files, after: &Files, wrong: &mut String) {
        let folder = self.folder.join("after");
        let is_new = |(path, bytes): &(&PathBuf, &Vec<u8>)| before.get(*path) != Some(*bytes);
        let made_by_steps = |path: &Path| {
            self.steps.iter().any(|step| match step {
                Step::Run { .. } => false,
                Step::Fill(made, _) | Step::Link(made, _) => made == path,
            })
        };
        let changed = after
            .iter()
            .filter(is_new)
            .filter(|(path, _)| !made_by_steps(path));
        let mut expected = if folder.is_dir() {
            files(&folder)
        } else {
            Files::new()
        };
        for (path, bytes) in changed {
            expected.remove(path);
            let is_sealed = path.extension().is_some_and(|end| end == "age");
            let bytes = if is_sealed {
                b"sealed\n".to_vec()
            } else {
                SHARED.name(bytes)
            };
            compare(
                &folder.join(path),
                &format!("after/{}", path.display()),
                &bytes,
                wrong,
            );
        }
        for path in expected.into_keys() {
            compare(
                &folder.join(&path),
                &format!("after/{}", path.display()),
                b"",
                wrong,
            );
        }
        for path in before.keys().filter(|path| !after.contains_key(*path)) {
            let _ = writeln!(wrong, "the file {} is gone", path.display());
        }
    }

    /// For `render CLUSTER` of a cluster with one manifest: the lines that were lost are those of
    /// `removed`, and rendering the output again gives the output.
    fn render_again(&self, house: &House, arguments: &[String], stdout: &[u8], wrong: &mut String) {
        let (Some("render"), Some(cluster)) =
            (arguments.first().map(String::as_str), arguments.get(1))
        else {
            return;
        };
        let folder = house.path("repo/clusters").join(cluster);
        let manifest = folder.join("cluster-base.yaml");
        let is_redacted = arguments.iter().any(|argument| argument == "--redact");
        if is_redacted || !manifest.is_file() || files(&folder).len() != 2 {
            return;
        }
        let before = fs::read(&manifest).expect("read");
        self.compare("removed", &SHARED.name(&lost_lines(&before, stdout)), wrong);
        fs::write(&manifest, stdout).expect("written");
        let Some(Step::Run { variables, .. }) = self.steps.last() else {
            return;
        };
        let again = house.hydrant(arguments, variables, b"");
        if again.stdout != stdout {
            let diff = diff(&SHARED.name(stdout), &SHARED.name(&again.stdout));
            let stderr = String::from_utf8_lossy(&again.stderr);
            let _ = writeln!(
                wrong,
                "rendering the output again changes it:\n{diff}{stderr}"
            );
        }
    }
}

impl Step {
    fn parse(line: &str) -> Self {
        let mut words = words(line).into_iter();
        match words.next().as_deref() {
            Some("$") => {}
            Some("+") => return Self::prepare(&words.collect::<Vec<_>>()),
            _ => panic!("a line of `command` begins with `$` or `+`: {line}"),
        }
        let mut variables = Vec::new();
        let program = words.find(|word| match word.split_once('=') {
            Some((name, value)) => {
                variables.push((name.to_string(), value.to_string()));
                false
            }
            None => true,
        });
        assert_eq!(program.as_deref(), Some("hydrant"), "{line}");
        let mut arguments: Vec<String> = words.collect();
        let stdin = arguments.iter().position(|word| word == "<").map(|at| {
            let mut redirect = arguments.split_off(at).into_iter().skip(1);
            PathBuf::from(redirect.next().expect("a file after `<`"))
        });
        Self::Run {
            variables,
            arguments,
            stdin,
        }
    }

    fn prepare(words: &[String]) -> Self {
        match words {
            [verb, path, lines] if verb == "fill" => {
                Self::Fill(path.into(), lines.parse().expect("a number"))
            }
            [verb, path, target] if verb == "link" => Self::Link(path.into(), target.into()),
            _ => panic!("nothing that can be prepared: {words:?}"),
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

/// Compares with a file of the case, where nothing is said by no file; or writes it.
fn compare(file: &Path, name: &str, actual: &[u8], wrong: &mut String) {
    let expected = fs::read(file).unwrap_or_default();
    if expected == actual {
        return;
    }
    if std::env::var_os("SNAPSHOTS").is_some_and(|value| value == "overwrite") {
        if actual.is_empty() {
            fs::remove_file(file).expect("removed");
        } else {
            fs::create_dir_all(file.parent().expect("it is in the case")).expect("made");
            fs::write(file, actual).expect("written");
        }
        return;
    }
    let _ = writeln!(
        wrong,
        "{name} differs (- expected, + came):\n{}",
        diff(&expected, actual)
    );
}

/// Line by line, with what cannot be seen spelt out.
fn diff(expected: &[u8], actual: &[u8]) -> String {
    let (expected, actual) = (visible(expected), visible(actual));
    let diff = similar::TextDiff::from_lines(&expected, &actual);
    diff.unified_diff().context_radius(3).to_string()
}

fn visible(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text
            .replace('\r', "\\r")
            .replace('\t', "\\t")
            .replace('\u{feff}', "\\u{feff}"),
        Err(_) => bytes.escape_ascii().to_string().replace("\\n", "\n"),
    }
}

/// The lines of `before` that `after` does not have in the same order.
fn lost_lines(before: &[u8], after: &[u8]) -> Vec<u8> {
    let lines = |text: &'_ [u8]| -> Vec<Vec<u8>> {
        let lines = text.split_inclusive(|byte| *byte == b'\n' || *byte == b'\r');
        lines.map(|line| line.trim_ascii_end().to_vec()).collect()
    };
    let (before, after) = (lines(before), lines(after));
    let diff = similar::capture_diff_slices(similar::Algorithm::Myers, &before, &after);
    let changes = diff.iter().flat_map(|op| op.iter_changes(&before, &after));
    let lost = changes.filter(|change| change.tag() == similar::ChangeTag::Delete);
    lost.flat_map(|change| [change.value(), b"\n".to_vec()].concat())
        .collect()
}
