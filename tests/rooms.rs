//! Which room names which, read from the sources against the table in `src/README.md`.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "the test reads the sources"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The rooms, from the top of the table.
fn rooms() -> Vec<String> {
    let tour = fs::read_to_string(sources().join("README.md")).unwrap();
    let rows = tour.lines().filter_map(|line| line.strip_prefix("| [`"));
    rows.map(|row| row.split('`').next().unwrap().to_owned())
        .collect()
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The names that stand after `crate::` in `text`, or after as many `super::` as lead from a module at
/// `depth` to the crate's root. Comments may name what they like.
fn named(text: &str, depth: usize) -> BTreeSet<String> {
    let code: String = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or(""))
        .collect::<Vec<_>>()
        .join("\n");
    let up = "super::".repeat(depth);
    let mut names = BTreeSet::new();
    for start in ["crate::", "hydrant::", &up] {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
                continue;
            }
            let rest = code[at + start.len()..]
                .trim_start_matches("super::")
                .trim_start();
            names.extend(first_names(rest));
        }
    }
    names
}

/// The first name of a path; of a group `{a::b, c}`, that of each path in it.
fn first_names(path: &str) -> Vec<String> {
    let name = |text: &str| -> String {
        text.trim_start()
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect()
    };
    let Some(group) = path.strip_prefix('{') else {
        return vec![name(path)];
    };
    let (mut depth, mut names, mut from) = (1, Vec::new(), 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 || (depth == 1 && c == ',') {
            names.push(name(&group[from..at]));
            from = at + 1;
        }
        if depth == 0 {
            break;
        }
    }
    names
}

/// The names in `text`, a file of the room at `own` in the table, that stand below it there.
fn below<'r>(rooms: &'r [String], own: usize, text: &str, depth: usize) -> Vec<&'r str> {
    let names = named(text, depth);
    rooms[own + 1..]
        .iter()
        .map(String::as_str)
        .filter(|room| names.contains(*room))
        .collect()
}

/// The files of a room, and how deep their modules are: its front is at 1.
fn files(room: &str) -> Vec<(PathBuf, usize)> {
    let mut files = vec![(sources().join(room).with_extension("rs"), 1)];
    let folder = sources().join(room);
    for entry in walkdir::WalkDir::new(&folder)
        .into_iter()
        .filter_map(Result::ok)
    {
        if entry.path().extension().is_some_and(|it| it == "rs") {
            files.push((entry.path().to_path_buf(), entry.depth() + 1));
        }
    }
    files
}

#[test]
fn no_room_names_one_below_it() {
    let rooms = rooms();
    let mut wrong = Vec::new();
    let mut seen = BTreeSet::new();
    for (own, room) in rooms.iter().enumerate() {
        for (file, depth) in files(room) {
            let text = fs::read_to_string(&file).unwrap();
            seen.extend(named(&text, depth));
            for named in below(&rooms, own, &text, depth) {
                wrong.push(format!(
                    "{} names `{named}`, which is below `{room}`",
                    file.display()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    seen.extend(named(
        &fs::read_to_string(sources().join("main.rs")).unwrap(),
        1,
    ));
    let unnamed: Vec<_> = rooms.iter().filter(|room| !seen.contains(*room)).collect();
    assert!(unnamed.is_empty(), "nobody needs {unnamed:?}");
}

#[test]
fn the_tour_shows_exactly_the_rooms_there_are() {
    let library = fs::read_to_string(sources().join("lib.rs")).unwrap();
    let modules = library
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod "));
    let modules: BTreeSet<String> = modules
        .map(|it| it.trim_end_matches(';').to_owned())
        .collect();

    assert_eq!(rooms().into_iter().collect::<BTreeSet<_>>(), modules);
    let front = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
    let files = fs::read_dir(sources())
        .unwrap()
        .map(|entry| front(entry.unwrap()));
    let fronts = files.filter_map(|name| name.strip_suffix(".rs").map(str::to_owned));
    let fronts: BTreeSet<String> = fronts
        .filter(|name| name != "lib" && name != "main")
        .collect();
    assert_eq!(fronts, modules);
}

#[test]
fn every_way_to_name_a_room_is_seen() {
    let rooms = ["text", "yaml", "edge"].map(String::from);
    for (text, depth) in [
        ("use crate::edge::disk;", 1),
        ("use crate::{text::{self, Span}, edge::disk};", 1),
        ("use crate::{\n    text,\n    edge,\n};", 1),
        ("fn f() { crate::edge::disk::read(); }", 3),
        ("use super::edge;", 1),
        ("use super::super::edge::disk;", 2),
        ("mod tests { use super::super::edge; }", 1),
        ("/* one */ pub(in crate::edge) fn f() {}", 1),
    ] {
        assert_eq!(below(&rooms, 0, text, depth), ["edge"], "{text}");
    }
    for (text, depth) in [
        ("// crate::edge does it", 1),
        ("use super::edge;", 2),
        ("use crate::text::edge;", 1),
        ("use mycrate::edge;", 1),
        ("use crate::edgeless;", 1),
    ] {
        assert_eq!(below(&rooms, 0, text, depth), [""; 0], "{text}");
    }
}
