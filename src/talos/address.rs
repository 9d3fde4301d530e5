//! The address that a registry's name resolves to on the nodes.

use std::net::{IpAddr, Ipv4Addr};

/// One IPv4 or IPv6 unicast address, fit for /etc/hosts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct NodeAddress(IpAddr);

impl NodeAddress {
    /// Reads one address; surrounding white space is no part of it.
    ///
    /// Errors say what is wrong and never repeat the text, which may come from the store. Refused are
    /// addresses that no node can reach a registry at: unspecified, loopback, multicast, broadcast
    /// and link-local ones, and an IPv4 address wrapped in IPv6.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let text = text.trim();
        if text.is_empty() {
            return Err("it is empty");
        }
        if text
            .split([',', ' ', '\n'])
            .filter(|part| !part.is_empty())
            .count()
            > 1
        {
            return Err("it holds more than one address");
        }
        let address: IpAddr = text
            .parse()
            .map_err(|_| "it is not an IPv4 or IPv6 address")?;
        match unreachable_kind(address) {
            Some(kind) => Err(kind),
            None => Ok(Self(address)),
        }
    }

    /// The address.
    pub fn ip(self) -> IpAddr {
        self.0
    }
}

fn unreachable_kind(address: IpAddr) -> Option<&'static str> {
    if address.is_unspecified() {
        return Some("it is the unspecified address");
    }
    if address.is_loopback() {
        return Some("it is a loopback address: every node would ask itself");
    }
    if address.is_multicast() {
        return Some("it is a multicast address");
    }
    match address {
        IpAddr::V4(v4) if v4 == Ipv4Addr::BROADCAST => Some("it is the broadcast address"),
        IpAddr::V4(v4) if v4.is_link_local() => Some("it is a link-local address"),
        IpAddr::V4(v4) if v4.octets()[0] == 0 || v4.octets()[0] >= 240 => {
            Some("it is a reserved address")
        }
        IpAddr::V6(v6) if v6.is_unicast_link_local() => Some("it is a link-local address"),
        IpAddr::V6(v6) if v6.to_ipv4_mapped().is_some() => {
            Some("it is an IPv4 address written as IPv6: write it as IPv4")
        }
        _ => None,
    }
}

/// An address out of the store is a secret like any other.
impl std::fmt::Debug for NodeAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("NodeAddress(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_unicast_address_of_either_family_is_accepted() {
        for text in [
            "198.51.100.27",
            "2001:db8::10",
            " 192.0.2.1\n",
            "10.0.0.1",
            "fd00::1",
        ] {
            assert!(NodeAddress::parse(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn addresses_that_no_node_can_reach_a_registry_at_are_refused() {
        let refused = [
            "",
            "0.0.0.0",
            "127.0.0.1",
            "::",
            "::1",
            "224.0.0.1",
            "ff02::1",
            "255.255.255.255",
            "169.254.1.1",
            "fe80::1",
            "::ffff:192.0.2.1",
            "240.0.0.1",
            "0.1.2.3",
        ];
        for text in refused {
            assert!(NodeAddress::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn several_addresses_a_prefix_and_octal_are_refused() {
        for text in [
            "192.0.2.1,192.0.2.2",
            "192.0.2.1 192.0.2.2",
            "192.0.2.1/24",
            "192.0.2.010",
        ] {
            assert!(NodeAddress::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_error_does_not_repeat_the_text() {
        assert!(
            !NodeAddress::parse("S3NTINEL")
                .unwrap_err()
                .contains("S3NTINEL")
        );
    }
}
