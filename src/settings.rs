//! Which layer's word counts, and who said it.
//!
//! This room never looks anything up: it is handed what the repository says and the facts that were
//! read, and picks. It edits nothing and knows no manifest.

mod account;
mod checks;
mod cluster;
mod facts;
#[cfg(test)]
mod fixture;
mod intent;
mod layers;

pub use account::{Account, Asked, Lost, Stated, Statement, Why, account, ask};
pub use cluster::{AddressSource, ClusterSettings, HostSettings, TrustSettings, mirrors_of};
pub use facts::{Fact, Facts, Need, Required};
pub use intent::Sources;

use crate::diagnostic::Place;

/// Where a value was said. The order of the variants is the order of precedence, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// What holds when nobody says anything.
    BuiltIn,
    /// `platform.yaml`.
    Platform,
    /// The cluster's definition.
    Cluster,
    /// `--address`, or `REGISTRY_ADDRESS`.
    CommandLine,
}

impl Layer {
    /// The name of the layer, as reports show it.
    pub fn name(self) -> &'static str {
        match self {
            Self::BuiltIn => "built-in",
            Self::Platform => "platform",
            Self::Cluster => "cluster",
            Self::CommandLine => "command line",
        }
    }
}

/// What changing a value does to machines that exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It is part of the machine config: machines get it when they are made.
    NextBootstrap,
    /// It is part of the machine's disk: changing it replaces every machine.
    Rolls,
}

impl Effect {
    /// The effect, in a few words.
    pub fn name(self) -> &'static str {
        match self {
            Self::NextBootstrap => "next bootstrap",
            Self::Rolls => "rolls machines",
        }
    }
}

/// Who said something, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The layer.
    pub layer: Layer,
    /// The key in the layer's file, such as `talos.registryMirrors`; empty where there is no file.
    pub key: &'static str,
    /// The place; `None` for the built-in layer and the command line.
    pub at: Option<Place>,
}

/// A value and who said it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said<T> {
    /// The value.
    pub value: T,
    /// Who said it.
    pub origin: Origin,
}

impl<T> Said<T> {
    /// `value`, said by `layer` at `at`.
    pub fn new(layer: Layer, at: Option<Place>, value: T) -> Self {
        Self {
            value,
            origin: Origin { layer, key: "", at },
        }
    }

    /// The same, said under `key`.
    #[must_use]
    pub fn under(mut self, key: &'static str) -> Self {
        self.origin.key = key;
        self
    }
}

/// A value together with everyone who spoke for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved<T> {
    /// The value that counts.
    pub value: T,
    /// Who said it.
    pub origin: Origin,
    /// What lost, strongest first: the answer to "why is my setting ignored?"
    pub shadowed: Vec<Said<T>>,
}

/// Picks the word of the strongest layer; `None` where nobody spoke.
///
/// Within one layer the earlier in `said` is the stronger. Presence is what counts: a value equal to
/// a weaker layer's, or an empty one, still wins.
pub fn resolve<T>(said: impl IntoIterator<Item = Said<T>>) -> Option<Resolved<T>> {
    let mut all: Vec<Said<T>> = said.into_iter().collect();
    all.sort_by_key(|said| std::cmp::Reverse(said.origin.layer));
    let mut all = all.into_iter();
    let Said { value, origin } = all.next()?;
    Some(Resolved {
        value,
        origin,
        shadowed: all.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::SourceFile;
    use std::sync::Arc;

    fn at(path: &str) -> Place {
        Place::whole(&Arc::new(SourceFile::unread(path)))
    }

    #[test]
    fn platform_beats_built_in_even_when_they_say_the_same() {
        let url = "https://factory.example";
        let said = [
            Said::new(Layer::BuiltIn, None, url),
            Said::new(Layer::Platform, Some(at("platform.yaml")), url),
        ];
        let got = resolve(said).unwrap();

        assert_eq!(got.origin.at, Some(at("platform.yaml")));
        assert_eq!(got.shadowed[0].origin.layer, Layer::BuiltIn);
    }

    #[test]
    fn the_cluster_wins_with_an_empty_value_too() {
        let said = [
            Said::new(
                Layer::Platform,
                Some(at("platform.yaml")),
                vec!["https://a.example"],
            ),
            Said::new(Layer::Cluster, Some(at("cluster-config.yaml")), vec![]),
        ];
        let got = resolve(said).unwrap();

        assert!(got.value.is_empty());
        assert_eq!(got.shadowed[0].value, ["https://a.example"]);
    }

    #[test]
    fn within_a_layer_the_first_wins_and_the_second_is_remembered() {
        let said = [
            Said::new(Layer::Platform, Some(at("talos.registryMirrors")), 1),
            Said::new(Layer::Platform, Some(at("registries.mirrors")), 2),
        ];
        let got = resolve(said).unwrap();

        assert_eq!((got.value, got.shadowed[0].value), (1, 2));
    }

    #[test]
    fn nobody_spoke_is_not_a_value() {
        assert_eq!(resolve::<u8>([]), None);
    }
}
