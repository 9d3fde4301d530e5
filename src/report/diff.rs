//! A change of a file as a unified diff, as `patch` and Git take it.

use similar::TextDiff;
use std::path::Path;

/// The difference between two texts of the file at `path`.
pub fn diff(path: &Path, before: &str, after: &str) -> String {
    let (old, new) = (
        format!("a/{}", path.display()),
        format!("b/{}", path.display()),
    );
    let diff = TextDiff::from_lines(before, after);
    diff.unified_diff()
        .context_radius(3)
        .header(&old, &new)
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_endings_are_part_of_the_lines() {
        let got = diff(Path::new("c/m.yaml"), "a\r\nb\r\nc", "a\r\nd\r\nc");

        assert_eq!(
            got,
            "--- a/c/m.yaml\n+++ b/c/m.yaml\n@@ -1,3 +1,3 @@\n a\r\n-b\r\n+d\r\n c\n\
             \\ No newline at end of file\n"
        );
    }
}
