//! The catalogue of findings, the stories that show each, and their rows in `docs/findings.md` are one
//! list.
#![expect(
    clippy::disallowed_methods,
    reason = "the test reads the project's own files"
)]

use hydrant::diagnostic::{CATALOGUE, Class, Code, Severity};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn severity(code: Code) -> &'static str {
    match code.severity() {
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

fn exit(code: Code) -> &'static str {
    match code.class() {
        Class::Finding => "1",
        Class::Input => "2",
        Class::World => "3",
        Class::Safety => "4",
    }
}

/// `error[no-fleet]` and its like, wherever a story expects it at the start of a line.
fn shown() -> BTreeSet<String> {
    let files = walkdir::WalkDir::new(project().join("tests/cases"));
    let files = files.into_iter().map(|entry| entry.expect("walked"));
    let expected = files.filter(|entry| entry.file_name() == "stderr");
    let paths: Vec<PathBuf> = expected.map(walkdir::DirEntry::into_path).collect();
    let texts = paths
        .iter()
        .map(|path| std::fs::read_to_string(path).expect("text"));
    let heads = texts.flat_map(|text| text.lines().filter_map(head).collect::<Vec<_>>());
    heads.collect()
}

fn head(line: &str) -> Option<String> {
    let (head, _) = line.split_once("]: ")?;
    Some(format!("{head}]"))
}

#[test]
fn every_code_has_a_story_that_shows_it() {
    let shown = shown();
    for code in CATALOGUE {
        let head = format!("{}[{}]", severity(*code), code.name());

        assert!(shown.contains(&head), "no story shows {head}");
    }
}

#[test]
fn every_code_has_its_row_for_people_in_the_catalogues_order() {
    let text = std::fs::read_to_string(project().join("docs/findings.md")).expect("the page");
    let cells = |line: &str| -> Vec<String> {
        line.trim_matches('|')
            .split(" | ")
            .map(|cell| cell.trim().to_string())
            .collect()
    };
    let rows = text.lines().filter(|line| line.starts_with("| "));
    let rows = rows
        .map(cells)
        .filter(|row| row[0] != "code" && row[0] != "---");
    let rows: Vec<_> = rows.collect();
    let heads: Vec<[&str; 3]> = rows
        .iter()
        .map(|row| [&*row[0], &*row[1], &*row[2]])
        .collect();
    let expected = CATALOGUE
        .iter()
        .map(|code| [code.name(), severity(*code), exit(*code)]);

    assert_eq!(heads, expected.collect::<Vec<_>>());
    for row in &rows {
        let is_whole = row.len() == 5 && row.iter().all(|cell| !cell.is_empty());
        assert!(is_whole, "a row has five cells: {row:?}");
    }
}
