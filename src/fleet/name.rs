//! Names that cross rooms, each with its own rules.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use std::borrow::Cow;
use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// Why a text is not such a name, as the end of a sentence that begins with the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidName(pub &'static str);

// The patterns are for editors: they may let more through than the readers below, and never less.
macro_rules! name {
    ($(#[$doc:meta])* $name:ident $pattern:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema)]
        #[schemars(inline)]
        pub struct $name(#[schemars(regex(pattern = $pattern))] String);

        impl $name {
            /// The name as it was written.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

name! {
    /// A cluster's name: a DNS-1123 label of at most 63 characters, as Cluster API needs it.
    ClusterName "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$"
}

name! {
    /// A registry's host, or `host:port`: a lower-case DNS name, an IPv4 address or an IPv6 address in
    /// brackets. The port, where there is one, is 1 to 65535.
    HostName "^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*|\\[[0-9A-Fa-f:.]+\\])(:[1-9][0-9]{0,4})?$"
}

name! {
    /// The name of a Kubernetes object or namespace: a DNS-1123 subdomain.
    ObjectName "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$"
}

name! {
    /// A key in a Kubernetes Secret: letters, digits, `-`, `_` and `.`.
    SecretKey "^[A-Za-z0-9._-]{1,253}$"
}

/// What a mirror answers for: one registry, or (`*`) every registry without a mirror of its own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MirrorKey {
    /// One registry, by the first segment of an image reference.
    Host(HostName),
    /// `*`.
    Any,
}

impl FromStr for ClusterName {
    type Err = InvalidName;

    fn from_str(text: &str) -> Result<Self, InvalidName> {
        if is_label(text) {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidName(
                "is not a cluster name: it must be lower-case letters, digits and `-`, at most 63 of \
                 them, and begin and end with a letter or digit",
            ))
        }
    }
}

impl FromStr for ObjectName {
    type Err = InvalidName;

    fn from_str(text: &str) -> Result<Self, InvalidName> {
        if text.len() <= 253 && text.split('.').all(is_label) {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidName("is not the name of a Kubernetes object"))
        }
    }
}

impl FromStr for SecretKey {
    type Err = InvalidName;

    fn from_str(text: &str) -> Result<Self, InvalidName> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        if (1..=253).contains(&text.len()) && text.bytes().all(allowed) {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidName("is not a key of a Kubernetes Secret"))
        }
    }
}

impl FromStr for HostName {
    type Err = InvalidName;

    fn from_str(text: &str) -> Result<Self, InvalidName> {
        if text.contains("://") {
            return Err(InvalidName(
                "is a URL: only the host, or host:port, belongs here",
            ));
        }
        if text.contains('*') {
            return Err(InvalidName(
                "is a pattern: hosts are looked up exactly, and TLS settings for `*` stop a node's \
                 registry configuration",
            ));
        }
        let (host, port) = split_port(text)?;
        if let Some(port) = port {
            check_port(port)?;
        }
        check_host(host)?;
        Ok(Self(text.to_owned()))
    }
}

impl HostName {
    /// The host without its port; an IPv6 address keeps its brackets.
    pub fn host(&self) -> &str {
        split_port(&self.0).map_or(&self.0, |(host, _)| host)
    }

    /// Is the host an address itself, so that there is no name to resolve?
    pub fn is_address(&self) -> bool {
        self.host().starts_with('[') || self.host().parse::<Ipv4Addr>().is_ok()
    }

    /// The port, where one was written.
    pub fn port(&self) -> Option<u16> {
        split_port(&self.0).ok()?.1?.parse().ok()
    }
}

impl JsonSchema for MirrorKey {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "MirrorKey".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let host = generator.subschema_for::<HostName>();
        schemars::json_schema!({ "anyOf": [{ "const": "*" }, host] })
    }
}

impl FromStr for MirrorKey {
    type Err = InvalidName;

    fn from_str(text: &str) -> Result<Self, InvalidName> {
        match text {
            "*" => Ok(Self::Any),
            pattern if pattern.contains(['*', '?']) => Err(InvalidName(
                "is a pattern: Talos looks mirrors up exactly, and only `*` stands for all others",
            )),
            host => host.parse().map(Self::Host),
        }
    }
}

impl fmt::Display for MirrorKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host(host) => host.fmt(f),
            Self::Any => f.write_str("*"),
        }
    }
}

fn split_port(text: &str) -> Result<(&str, Option<&str>), InvalidName> {
    if let Some(rest) = text.strip_prefix('[') {
        let end = rest
            .find(']')
            .ok_or(InvalidName("opens `[` and never closes it"))?;
        let (host, after) = text.split_at(end + 2);
        return match after.strip_prefix(':') {
            Some(port) => Ok((host, Some(port))),
            None if after.is_empty() => Ok((host, None)),
            None => Err(InvalidName("has something other than a port after `]`")),
        };
    }
    Ok(match text.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (text, None),
    })
}

fn check_port(port: &str) -> Result<(), InvalidName> {
    let plain = port.bytes().all(|byte| byte.is_ascii_digit()) && !port.starts_with('0');
    match port.parse::<u16>() {
        Ok(1..) if plain => Ok(()),
        _ if port.contains(':') => Err(InvalidName(
            "is not a host: an IPv6 address must stand in brackets",
        )),
        _ => Err(InvalidName(
            "has no valid port: it must be a number from 1 to 65535",
        )),
    }
}

fn check_host(host: &str) -> Result<(), InvalidName> {
    if let Some(v6) = host.strip_prefix('[') {
        return match v6.trim_end_matches(']').parse::<Ipv6Addr>() {
            Ok(_) => Ok(()),
            Err(_) => Err(InvalidName("holds no IPv6 address between its brackets")),
        };
    }
    if host.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Err(InvalidName(
            "must be lower case: Talos looks hosts up letter by letter",
        ));
    }
    // A name whose last label is a number would be read as an address by some and as a name by others.
    let ends_in_number = host
        .rsplit('.')
        .next()
        .is_some_and(|last| !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit()));
    if ends_in_number {
        return match host.parse::<Ipv4Addr>() {
            Ok(_) => Ok(()),
            Err(_) => Err(InvalidName("is neither an IPv4 address nor a host name")),
        };
    }
    if host.len() <= 253 && host.split('.').all(is_label) {
        Ok(())
    } else {
        Err(InvalidName(
            "is not a host: it must be a DNS name, an IPv4 address or an IPv6 address in brackets",
        ))
    }
}

fn is_label(text: &str) -> bool {
    let bytes = text.as_bytes();
    let alphanumeric = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    (1..=63).contains(&bytes.len())
        && bytes.iter().all(|byte| alphanumeric(byte) || *byte == b'-')
        && bytes.first().is_some_and(alphanumeric)
        && bytes.last().is_some_and(alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_with_a_port_is_an_address_and_a_name_of_digits_is_none() {
        let is_address = |text: &str| text.parse::<HostName>().unwrap().is_address();

        assert!(is_address("192.0.2.10:5000") && is_address("[2001:db8::10]:5000"));
        assert!(!is_address("1.registry.example") && !is_address("registry.example:443"));
    }

    #[test]
    fn a_cluster_name_cannot_lead_out_of_its_folder() {
        for bad in ["..", "a/b", "../a", ".", "", "A", "-a", "a-", "a_b", "a.b"] {
            assert!(bad.parse::<ClusterName>().is_err(), "{bad}");
        }
        assert!("a".repeat(64).parse::<ClusterName>().is_err());
        assert_eq!(
            "ok-edge".parse::<ClusterName>().unwrap().as_str(),
            "ok-edge"
        );
    }

    #[test]
    fn a_host_may_be_a_name_or_an_address_with_or_without_a_port() {
        for (text, host, port) in [
            (
                "registry.example.internal",
                "registry.example.internal",
                None,
            ),
            (
                "registry.example.internal:5000",
                "registry.example.internal",
                Some(5000),
            ),
            ("192.0.2.10:443", "192.0.2.10", Some(443)),
            ("[2001:db8::1]", "[2001:db8::1]", None),
            ("[2001:db8::1]:5000", "[2001:db8::1]", Some(5000)),
            ("localhost", "localhost", None),
        ] {
            let name: HostName = text.parse().unwrap();
            assert_eq!((name.host(), name.port()), (host, port));
        }
    }

    #[test]
    fn what_talos_would_never_look_up_is_no_host() {
        for bad in [
            "",
            "*",
            "*.example",
            "Registry.example",
            "https://registry.example",
            "registry.example/path",
            "registry.example:0",
            "registry.example:65536",
            "registry.example:0443",
            "registry.example:+80",
            "registry.example:",
            "registry.example.",
            "192.0.2.256",
            "192.0.2",
            "2001:db8::1",
            "[2001:db8::1",
            "[2001:db8::1]x",
            "[192.0.2.1]",
            "[fe80::1%eth0]",
            "a b",
        ] {
            assert!(bad.parse::<HostName>().is_err(), "{bad}");
        }
    }

    #[test]
    fn only_a_mirror_may_answer_for_everything() {
        assert_eq!("*".parse(), Ok(MirrorKey::Any));
        assert!("*.example".parse::<MirrorKey>().is_err());
    }

    #[test]
    fn an_object_name_cannot_be_taken_for_an_option() {
        assert!("--kubeconfig".parse::<ObjectName>().is_err());
        assert!("cert-manager.v1".parse::<ObjectName>().is_ok());
        assert!("ca.crt".parse::<SecretKey>().is_ok());
        assert!("a=b".parse::<SecretKey>().is_err());
    }
}
