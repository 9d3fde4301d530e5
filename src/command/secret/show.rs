//! `hydrant secret show NAME`: gives a value out.

use super::{Doors, Outcome};
use crate::diagnostic::{Code, Diagnostic};
use crate::edge::vault::{Identities, Store};
use crate::secret::SecretName;
use std::io;
use std::path::Path;

/// Gives a value out, byte for byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Show {
    /// Which one.
    pub name: SecretName,
    /// `--yes-print`: stdout may be a file or a pipe.
    pub yes_print: bool,
}

pub(super) fn run(
    root: &Path,
    request: &Show,
    identities: &Identities,
    doors: &mut Doors<'_>,
) -> io::Result<Outcome> {
    if !doors.stdout_is_terminal && !request.yes_print {
        let message = format!(
            "stdout is not a terminal, so `{}` is not printed",
            request.name
        );
        let help = "`--yes-print` prints it all the same";
        return Ok(Diagnostic::new(Code::RefusedPrint, message, help).into());
    }
    match Store::open(root).and_then(|store| store.read(&request.name, identities)) {
        Ok(value) => {
            doors.stdout.write_all(value.expose())?;
            doors.stdout.flush()?;
            Ok(Outcome::default())
        }
        Err(error) => Ok(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Fixture, codes};
    use super::*;
    use crate::command::secret::SecretRequest;

    fn show(here: &Fixture, name: &str, yes_print: bool) -> (Outcome, Vec<u8>) {
        let name = name.parse().expect("a name");
        here.run(&SecretRequest::Show(Show { name, yes_print }), b"")
    }

    #[test]
    fn a_pipe_gets_nothing_until_it_is_asked_for() {
        let here = Fixture::new();
        here.put("a", b"value");

        let (outcome, stdout) = show(&here, "a", false);
        assert_eq!(
            (codes(&outcome), stdout),
            (vec![Code::RefusedPrint], vec![])
        );
        assert_eq!(show(&here, "a", true).1, b"value");
    }

    #[test]
    fn a_misspelt_name_finds_its_neighbour() {
        let here = Fixture::new();
        here.put("registry-ca", b"value");

        let (outcome, _) = show(&here, "registry-cq", true);
        assert_eq!(codes(&outcome), [Code::UnknownSecret]);
        assert_eq!(outcome.diagnostics[0].help, "did you mean `registry-ca`?");
    }

    #[test]
    fn a_cut_off_secret_prints_none_of_its_bytes() {
        let here = Fixture::new();
        here.put("a", &vec![b'x'; 200_000]);
        here.cut_off("secrets/a.age", 150_000);

        let (outcome, stdout) = show(&here, "a", true);
        assert_eq!(
            (codes(&outcome), stdout.len()),
            (vec![Code::BrokenCiphertext], 0)
        );
    }

    #[test]
    fn a_link_out_of_the_store_is_not_opened_even_where_the_key_fits() {
        let here = Fixture::new();
        here.put("a", b"value");
        here.move_behind_link("secrets/a.age", "a.age");

        let (outcome, stdout) = show(&here, "a", true);
        assert_eq!(
            (codes(&outcome), stdout),
            (vec![Code::InvalidValue], vec![])
        );
    }
}
