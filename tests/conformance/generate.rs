//! Draws specs: what existing manifests hold, in every form and mixture that Talos accepts.
//!
//! Every draw is labelled by what was put into it, never by asking hydrant.

use super::ambiguous::Twist;
use super::case::{Case, Kind, Label, Object};
use super::chance::Chance;
use super::drawing::Drawing;
use super::hand::Hand;
use super::trust::Wanted;
use hydrant::talos::TalosVersion;

const OLD: [Option<&str>; 4] = [Some("v1.9.5"), Some("v1.10"), Some("v1.11.6"), Some("1.11")];
const NEW: [Option<&str>; 6] = [
    Some("v1.12.0"),
    Some("v1.12.1"),
    Some("v1.12"),
    Some("v1.12.6"),
    Some("v1.13.9"),
    Some("v1.14.0"),
];

/// What can carry a unit in a spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carrier {
    /// The JSON patch on the owned parent.
    Json,
    /// The strategic patch of v1alpha1 fields with that number.
    Fields(usize),
    /// A document of its own.
    Document,
    /// The given base config.
    Data,
}

/// What the target's provider and nodes accept.
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a yes or no of the table"
)]
pub(crate) struct Channels {
    pub(crate) json: bool,
    pub(crate) strings: bool,
    pub(crate) documents: bool,
    /// A `RegistryTLSConfig` without client identity crashes its nodes.
    pub(crate) crashes: bool,
    pub(crate) minor: (u32, u32),
}

/// Case `index` of the seed.
pub(crate) fn draw(seed: u64, index: u64) -> Case {
    let chance = &mut Chance::new(seed, index);
    let releases = ["v0.6.4", "v0.6.7", "v0.6.10", "v0.6.11", "v0.6.12"];
    let provider = chance.percent(45).then(|| *chance.pick(&releases));
    let wanted = Wanted {
        registry: chance.pick::<&str>(&["registry.fleet.internal", "registry.fleet.internal:5000"]),
        ip: chance.pick::<&str>(&["198.51.100.27", "198.51.100.27", "2001:db8::27"]),
        has_defaults: chance.percent(25),
    };
    let mut case = Case {
        provider,
        wanted,
        objects: Vec::new(),
        label: Label::Plain,
        is_settled: true,
        hand: Hand::draw(chance),
        is_crlf: chance.percent(15),
        lacks_end: chance.percent(8),
        mood: chance.next(),
    };
    let twist = chance.percent(30).then(|| Twist::draw(chance));
    for number in 0..=chance.below(3) {
        let twist = twist.filter(|_| number == 0);
        let object = object(chance, &mut case, twist);
        case.objects.push(object);
    }
    case
}

fn object(chance: &mut Chance, case: &mut Case, mut twist: Option<Twist>) -> Object {
    let kind = *chance.pick(&[
        Kind::ControlPlane,
        Kind::Template,
        Kind::Template,
        Kind::Config,
    ]);
    let count = if kind == Kind::ControlPlane && chance.percent(25) {
        2
    } else {
        1
    };
    let mut specs = Vec::new();
    for number in 0..count {
        let is_control_plane =
            kind == Kind::ControlPlane || (kind == Kind::Config && chance.percent(30));
        let generate_type = match is_control_plane {
            true if number == 1 => "init",
            true => "controlplane",
            false => "worker",
        };
        let mut drawing = Drawing::new(chance, case, generate_type);
        specs.push(drawing.spec(twist.take()));
        let (label, is_settled) = (drawing.label, drawing.is_settled);
        case.is_settled &= is_settled && !case.wanted.has_defaults;
        if label != Label::Plain {
            case.label = label;
        }
    }
    Object { kind, specs }
}

/// A version that the provider is made for.
pub(crate) fn version(chance: &mut Chance, provider: Option<&str>) -> Option<&'static str> {
    let mut fit: Vec<Option<&'static str>> = OLD.to_vec();
    match provider {
        None | Some("v0.6.12") => fit.extend(NEW),
        Some("v0.6.11") => fit.extend(&NEW[..4]),
        Some("v0.6.10") => fit.push(Some("v1.12.6")),
        Some(_) => {}
    }
    if provider.is_some() {
        fit.push(None);
    }
    *chance.pick(&fit)
}

/// What a provider and the nodes take, by the delivery table.
pub(crate) fn channels(
    talos: Option<&str>,
    provider: Option<&str>,
    data: Option<usize>,
    minor: (u32, u32),
) -> Channels {
    let talos = talos.and_then(TalosVersion::parse);
    let is_new_provider = !matches!(provider, Some("v0.6.4" | "v0.6.7" | "v0.6.10"));
    let several = match (data, talos) {
        (Some(documents), _) => documents > 1,
        (None, Some(talos)) => talos.minor >= (1, 12) && is_new_provider,
        (None, None) => is_new_provider,
    };
    let crashes = talos
        .is_some_and(|talos| talos.minor == (1, 12) && talos.patch.is_none_or(|patch| patch < 2));
    Channels {
        json: !several,
        strings: provider != Some("v0.6.4"),
        documents: is_new_provider && talos.is_some_and(|talos| talos.minor >= (1, 12)),
        crashes,
        minor,
    }
}
