//! Versions: of Talos as `talosVersion` says it, and of its bootstrap provider.

use std::fmt;

/// A `talosVersion`, as the provider accepts it: an optional `v`, then MAJOR.MINOR, then the end or a dot.
///
/// Source: `ParseContractFromVersion` in Talos' machinery. The patch number decides nothing for the
/// provider, but a node of 1.12.0 or 1.12.1 crashes on one kind of document, so it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TalosVersion {
    /// The contract: what the provider decides by.
    pub minor: (u32, u32),
    /// The patch number, where one is said.
    pub patch: Option<u32>,
}

impl TalosVersion {
    /// Reads a version; `None` where the provider would answer "invalid talos-version".
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.strip_prefix('v').unwrap_or(text);
        let mut parts = text.splitn(3, '.');
        let major = number(parts.next()?)?;
        let minor = number(parts.next()?)?;
        let patch = parts
            .next()
            .and_then(|rest| number(rest.split(['.', '-', '+']).next().unwrap_or_default()));
        Some(Self {
            minor: (major, minor),
            patch,
        })
    }

    /// From 1.12 on a generated base config has several documents (CABPT 0.6.11 and later), and a
    /// node understands the registry and host documents.
    pub fn has_documents(self) -> bool {
        self.minor >= (1, 12)
    }

    /// A `RegistryTLSConfig` without a client identity crashes nodes of 1.12.0 and 1.12.1.
    pub fn tls_document_may_crash(self) -> bool {
        self.minor == (1, 12) && self.patch.is_none_or(|patch| patch < 2)
    }
}

impl fmt::Display for TalosVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}.{}", self.minor.0, self.minor.1)?;
        self.patch.map_or(Ok(()), |patch| write!(f, ".{patch}"))
    }
}

/// A release of the Talos bootstrap provider (CABPT).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProviderVersion(u32, u32, u32);

impl ProviderVersion {
    /// Reads `v0.6.12`, with or without the `v`; a pre-release counts as its release.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.strip_prefix('v').unwrap_or(text);
        let text = text.split(['-', '+']).next().unwrap_or_default();
        let mut parts = text.split('.').map(number);
        let version = Self(parts.next()??, parts.next()??, parts.next()??);
        parts.next().is_none().then_some(version)
    }

    /// The Talos whose machinery library the release is built with, which decides what it loads.
    ///
    /// Source: the provider's `go.mod`; a release that is newer than this one of hydrant counts as
    /// the newest known.
    pub fn machinery(self) -> TalosVersion {
        let minor = match self {
            Self(0, 0..=5, _) | Self(0, 6, 0..=5) => 7,
            Self(0, 6, 6) => 8,
            Self(0, 6, 7) => 9,
            Self(0, 6, 8 | 9) => 10,
            Self(0, 6, 10) => 11,
            Self(0, 6, 11) => 12,
            _ => 13,
        };
        TalosVersion {
            minor: (1, minor),
            patch: None,
        }
    }

    /// `strategicPatches` exist since 0.6.5.
    pub fn has_strategic_patches(self) -> bool {
        self >= Self(0, 6, 5)
    }

    /// Since 0.6.11 the base of a 1.12 contract has several documents, and the kinds of Talos 1.12 load.
    pub fn has_documents(self) -> bool {
        self >= Self(0, 6, 11)
    }
}

impl fmt::Display for ProviderVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}.{}.{}", self.0, self.1, self.2)
    }
}

/// The Kubernetes minors that a Talos minor supports, inclusive; `None` for a Talos that this release
/// of hydrant does not know.
///
/// Source: `pkg/machinery/compatibility` of Talos 1.9 to 1.14.
pub fn kubernetes_range(talos: TalosVersion) -> Option<((u32, u32), (u32, u32))> {
    let (min, max) = match talos.minor {
        (1, 9) => (27, 32),
        (1, 10) => (28, 33),
        (1, 11) => (29, 34),
        (1, 12) => (30, 35),
        (1, 13) => (31, 36),
        (1, 14) => (32, 37),
        _ => return None,
    };
    Some(((1, min), (1, max)))
}

fn number(text: &str) -> Option<u32> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_provider_accepts_is_accepted() {
        for text in ["v1.9", "1.9", "v1.9.5", "v1.12.0-beta.0", "v1.9.5.6"] {
            assert!(TalosVersion::parse(text).is_some(), "{text}");
        }
    }

    #[test]
    fn what_the_provider_rejects_is_rejected() {
        for text in [
            "",
            "v1",
            "latest",
            "v1.9-alpha",
            "v1.12-rc.1",
            " v1.9",
            "v1.9 ",
            "vv1.9",
            "1.",
        ] {
            assert_eq!(TalosVersion::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_bare_minor_may_be_the_patch_release_that_crashes() {
        let crashes = |text| TalosVersion::parse(text).unwrap().tls_document_may_crash();

        assert!(crashes("v1.12"));
        assert!(crashes("v1.12.1"));
        assert!(crashes("v1.12.0-beta.0"));
        assert!(!crashes("v1.12.2"));
        assert!(!crashes("v1.13"));
    }

    #[test]
    fn providers_compare_by_number_not_by_text() {
        let provider = |text| ProviderVersion::parse(text).unwrap();

        assert!(provider("v0.6.12").has_documents());
        assert!(provider("0.7.0-alpha.2").has_documents());
        assert!(!provider("v0.6.9").has_documents());
        assert!(!provider("v0.6.4").has_strategic_patches());
        assert_eq!(ProviderVersion::parse("v0.6"), None);
    }

    #[test]
    fn a_provider_loads_what_its_machinery_knows() {
        let minor = |text| ProviderVersion::parse(text).unwrap().machinery().minor.1;

        assert_eq!(
            [minor("v0.6.7"), minor("v0.6.10"), minor("v0.6.11")],
            [9, 11, 12]
        );
        assert_eq!(
            [minor("v0.5.6"), minor("v0.6.12"), minor("v0.7.0-alpha.2")],
            [7, 13, 13]
        );
    }
}
