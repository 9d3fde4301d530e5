//! How a run ended, as the number that scripts see.

use crate::diagnostic::{Class, Diagnostic};

/// How a run ended. The worst finding decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum ExitCode {
    /// Nothing wrong; warnings may have been printed.
    Clean = 0,
    /// The input was understood, and something in it must change.
    Findings = 1,
    /// The input is broken, or the program was called in a way it does not know.
    Input = 2,
    /// The world failed: the network, another program, a key.
    World = 3,
    /// Understood, and refused for safety.
    Refused = 4,
}

impl ExitCode {
    /// What the worst error among `findings` says; warnings leave a run clean.
    pub fn of(findings: &[Diagnostic]) -> Self {
        let errors = findings.iter().filter(|finding| finding.is_error());
        errors
            .map(|finding| Self::from(finding.code.class()))
            .max()
            .unwrap_or(Self::Clean)
    }
}

impl From<Class> for ExitCode {
    fn from(class: Class) -> Self {
        match class {
            Class::Finding => Self::Findings,
            Class::Input => Self::Input,
            Class::World => Self::World,
            Class::Safety => Self::Refused,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Code;

    fn of(codes: &[Code]) -> ExitCode {
        let findings = codes.iter().map(|code| Diagnostic::new(*code, "", ""));
        ExitCode::of(&findings.collect::<Vec<_>>())
    }

    #[test]
    fn the_worst_finding_decides_wherever_it_stands() {
        assert_eq!(
            of(&[Code::RefusedPrint, Code::NestedPatch]),
            ExitCode::Refused
        );
        assert_eq!(
            of(&[Code::NestedPatch, Code::WrongKey, Code::NoFleet]),
            ExitCode::World
        );
        assert_eq!(of(&[Code::NestedPatch]), ExitCode::Findings);
    }

    #[test]
    fn warnings_alone_leave_a_run_clean() {
        assert_eq!(of(&[Code::PortDiffers]), ExitCode::Clean);
    }
}
