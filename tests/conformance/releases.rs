//! Which provider releases and nodes fit a target, and the machinery that stands for each.

use hydrant::talos::TalosVersion;

/// The releases that `tests/talos/versions` pins.
pub(crate) const MACHINERY: [&str; 8] = [
    "v1.9.0", "v1.9.5", "v1.11.0", "v1.11.6", "v1.12.0", "v1.12.6", "v1.13.0", "v1.13.9",
];

/// Provider releases and the machinery that they are built with.
pub(crate) const PROVIDERS: [(&str, &str); 4] = [
    ("v0.6.7", "v1.9.0"),
    ("v0.6.10", "v1.11.0"),
    ("v0.6.11", "v1.12.0"),
    ("v0.6.12", "v1.13.0"),
];

/// The machinery of every provider release that may build the target.
///
/// A release before 0.6.5 has no machinery here and lacks only `strategicPatches`: where a spec has none,
/// 0.6.7 stands for it.
pub(crate) fn providers(said: Option<&str>, talos: Option<TalosVersion>) -> Vec<&'static str> {
    let machinery = |release: &str| {
        PROVIDERS
            .iter()
            .find(|(name, _)| *name == release)
            .map(|(_, machinery)| *machinery)
    };
    match (said, talos) {
        (Some(release), _) => vec![machinery(release).unwrap_or("v1.9.0")],
        (None, Some(talos)) if talos.minor >= (1, 13) => vec!["v1.13.0"],
        (None, Some(talos)) if talos.minor >= (1, 12) => vec!["v1.12.0", "v1.13.0"],
        (None, _) => PROVIDERS.iter().map(|(_, machinery)| *machinery).collect(),
    }
}

/// The nodes that may be booted with the target's config. There is none of 1.10: its neighbours on both
/// sides read it; of 1.14 there is no release here, and 1.13 is the nearest.
pub(crate) fn nodes(talos: Option<TalosVersion>, machinery: &str) -> Vec<&'static str> {
    let Some(talos) = talos else {
        return match machinery {
            "v1.9.0" => vec!["v1.9.5"],
            "v1.11.0" => vec!["v1.11.6"],
            "v1.12.0" => vec!["v1.12.0", "v1.12.6"],
            _ => vec!["v1.13.9"],
        };
    };
    match (talos.minor, talos.patch) {
        (minor, _) if minor <= (1, 9) => vec!["v1.9.5"],
        ((1, 10), _) => vec!["v1.9.5", "v1.11.6"],
        ((1, 11), _) => vec!["v1.11.6"],
        ((1, 12), None) => vec!["v1.12.0", "v1.12.6"],
        ((1, 12), Some(0 | 1)) => vec!["v1.12.0"],
        ((1, 12), Some(_)) => vec!["v1.12.6"],
        _ => vec!["v1.13.0", "v1.13.9"],
    }
}

/// Nodes from 1.12 on sort the lines of /etc/hosts, so that the order of entries means nothing there.
pub(crate) fn sorts_hosts(node: &str) -> bool {
    !node.starts_with("v1.9.") && !node.starts_with("v1.11.")
}
