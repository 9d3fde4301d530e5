//! Asking the person at the keyboard, without an echo.

use crate::secret::Secret;

/// Nobody could be asked, or nobody answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no terminal to ask on")]
pub struct NoAnswer;

/// Somebody who can be asked for what must not be shown.
pub trait Ask: Send + Sync {
    /// Shows `prompt` and gives back one line without its ending. Nothing that is typed is shown.
    fn ask(&self, prompt: &str) -> Result<Secret<String>, NoAnswer>;
}

/// The terminal that controls this process, whatever stdin and stdout are.
#[derive(Clone, Copy, Debug, Default)]
pub struct Terminal;

impl Ask for Terminal {
    fn ask(&self, prompt: &str) -> Result<Secret<String>, NoAnswer> {
        // Without a controlling terminal `/dev/tty` cannot be opened, and that is the answer.
        rpassword::prompt_password(format!("{prompt}: "))
            .map(Secret::new)
            .map_err(|_| NoAnswer)
    }
}

/// Nobody: for runs that must not wait for a person.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

impl Ask for Nobody {
    fn ask(&self, _: &str) -> Result<Secret<String>, NoAnswer> {
        Err(NoAnswer)
    }
}
