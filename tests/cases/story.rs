//! One case: what its folder says, played and compared.

use crate::house::{Call, Files, House, files};
use crate::step::Step;
use crate::tells::SHARED;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// A case folder.
pub(crate) struct Story {
    folder: PathBuf,
    steps: Vec<Step>,
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
        if let [.., Step::Run(call)] = &self.steps[..]
            && is_clean
        {
            self.render_again(&house, call, &printed.stdout, &mut wrong);
        }
        if wrong.is_empty() { Ok(()) } else { Err(wrong) }
    }

    fn run(&self, house: &House, wrong: &mut String) -> Printed {
        let mut printed = Printed::default();
        for step in &self.steps {
            let Step::Run(call) = step else {
                step.prepare(&house.path("repo"));
                continue;
            };
            let output = house.hydrant(call);
            self.check_leaks(house, call, &output.stdout, &output.stderr, wrong);
            printed.stdout.extend(output.stdout);
            printed.stderr.extend(output.stderr);
            let code = output.status.code();
            printed
                .codes
                .push(code.map_or("signal".into(), |code| code.to_string()));
        }
        printed
    }

    fn check_leaks(
        &self,
        house: &House,
        call: &Call,
        stdout: &[u8],
        stderr: &[u8],
        wrong: &mut String,
    ) {
        let mut known = self.steps_text();
        let committed = house
            .repository()
            .into_iter()
            .filter(|(path, _)| path.extension().is_none_or(|end| end != "age"));
        known.extend(committed.flat_map(|(_, bytes)| bytes));
        known.extend(call.variables.iter().flat_map(|(_, value)| value.bytes()));
        let says = |word: &str| call.arguments.iter().any(|argument| argument == word);
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
        let made_by_steps = |path: &Path| self.steps.iter().any(|step| step.makes(path));
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
    fn render_again(&self, house: &House, call: &Call, stdout: &[u8], wrong: &mut String) {
        let arguments = &call.arguments;
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
        let again = house.hydrant(call);
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
