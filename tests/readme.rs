//! The README and the pages beside it do what they say: every console block is run, in a copy of the
//! demonstration fleets, and must print what stands there.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "the test reads the README and runs what stands in it"
)]

use std::fs;
use std::path::Path;
use std::process::Command;

const END: &str = "--- end of a command:";

/// The code blocks of a language, line by line.
fn blocks(readme: &str, language: &str) -> Vec<Vec<String>> {
    let mut blocks = Vec::new();
    let mut lines = readme.lines();
    while let Some(line) = lines.next() {
        if let Some(fence) = line.strip_prefix("```") {
            let block = lines
                .by_ref()
                .take_while(|line| *line != "```")
                .map(str::to_owned);
            let block: Vec<String> = block.collect();
            if fence == language {
                blocks.push(block);
            }
        }
    }
    blocks
}

/// The commands of a console block, each with what it prints.
fn commands(block: &[String]) -> Vec<(String, String)> {
    let mut commands: Vec<(String, String)> = Vec::new();
    for line in block {
        if let Some(command) = line.strip_prefix("$ ") {
            commands.push((command.to_owned(), String::new()));
        } else {
            let (_, output) = commands.last_mut().expect("a block begins with a command");
            output.push_str(line);
            output.push('\n');
        }
    }
    commands
}

/// Runs the commands in one shell; what each prints, and at its end a code that is not 0.
fn run(commands: &[(String, String)], at: &Path) -> Vec<String> {
    let end = format!("printf '\\n{END}%s\\n' $?");
    let lines = commands
        .iter()
        .map(|(command, _)| format!("{command}\n{end}\n"));
    let script: Vec<String> = ["exec 2>&1\n".to_owned()]
        .into_iter()
        .chain(lines)
        .collect();
    let program = Path::new(env!("CARGO_BIN_EXE_hydrant"));
    let path = format!(
        "{}:{}",
        program.parent().unwrap().display(),
        std::env::var("PATH").unwrap()
    );
    let output = Command::new("sh")
        .args(["-c", &script.concat()])
        .current_dir(at)
        .env_clear()
        .env("PATH", path)
        .output()
        .unwrap();
    let output = String::from_utf8(output.stdout).unwrap();
    let mut printed = Vec::new();
    for part in output.split(&format!("\n{END}")) {
        let (code, text) = match printed.last() {
            None => ("0", part),
            Some(_) => part.split_once('\n').unwrap(),
        };
        if let Some(last) = printed.last_mut().filter(|_| code != "0") {
            *last = format!("{last}(exit code {code})\n");
        }
        printed.push(text.to_owned());
    }
    printed.pop();
    printed
}

fn copy(from: &Path, to: &Path) {
    for entry in walkdir::WalkDir::new(from) {
        let entry = entry.unwrap();
        let to = to.join(entry.path().strip_prefix(from).unwrap());
        if entry.file_type().is_dir() {
            fs::create_dir_all(to).unwrap();
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

fn readme() -> String {
    page("README.md")
}

fn page(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

#[test]
fn every_console_block_prints_what_the_readme_shows() {
    play(&readme());
}

#[test]
fn every_console_block_prints_what_the_page_on_closed_networks_shows() {
    play(&page("docs/airgapped.md"));
}

fn play(page: &str) {
    let blocks = blocks(page, "console");
    assert!(!blocks.is_empty());
    for block in blocks {
        let commands = commands(&block);
        let folder = tempfile::tempdir().unwrap();
        for fleet in ["clusters", "examples"] {
            copy(
                &Path::new(env!("CARGO_MANIFEST_DIR")).join(fleet),
                &folder.path().join(fleet),
            );
        }
        let printed = run(&commands, folder.path());
        for ((command, expected), printed) in commands.iter().zip(&printed) {
            assert_eq!(printed, expected, "$ {command}");
        }
        assert_eq!(printed.len(), commands.len());
    }
}

#[test]
fn the_page_on_closed_networks_shows_the_platform_as_it_is() {
    let shown = blocks(&page("docs/airgapped.md"), "yaml").concat();
    let platform = page("examples/airgapped/platform.yaml");
    let told: Vec<&str> = platform
        .lines()
        .skip_while(|line| line.starts_with('#'))
        .collect();

    assert_eq!(shown[1..], told);
}

#[test]
fn every_make_target_that_the_readme_names_is_there() {
    let lines: Vec<String> = blocks(&readme(), "sh").concat();
    assert!(!lines.is_empty());
    for line in lines {
        let words: Vec<&str> = line.split('#').next().unwrap().split_whitespace().collect();
        let output = Command::new(words[0])
            .arg("--dry-run")
            .args(&words[1..])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{line}");
    }
}

#[test]
fn the_exit_codes_are_those_of_the_program() {
    use hydrant::report::ExitCode::{Clean, Findings, Input, Refused, World};

    let readme = readme();
    let (_, table) = readme.split_once("### Exit codes").unwrap();
    let rows = table
        .lines()
        .skip_while(|line| !line.starts_with("| ---"))
        .skip(1);
    let codes = rows.take_while(|line| line.starts_with('|'));
    let codes: Vec<u8> = codes
        .map(|row| row.split('|').nth(1).unwrap().trim().parse().unwrap())
        .collect();

    assert_eq!(
        codes,
        [Clean, Findings, Input, World, Refused].map(|code| code as u8)
    );
}
