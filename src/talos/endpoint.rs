//! URLs that nodes pull from, read as Go's `url.Parse` and Talos' registry code read them.

/// The URL of a mirror's endpoint or of an Image Factory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// Is it `http` rather than `https`?
    pub is_plain: bool,
    /// Host, and port where one is written: what Talos looks TLS and credentials up by.
    pub authority: String,
    /// What follows, without slashes at its end; empty where there is no path.
    pub path: String,
    /// Are credentials written before the host? Talos does not use them.
    pub has_credentials: bool,
}

impl Endpoint {
    /// Reads a URL. The error is the end of a sentence that begins with the URL, and repeats nothing of
    /// it.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let Some((scheme, rest)) = text.split_once("://") else {
            return Err("has no scheme: it must begin with `https://` or `http://`");
        };
        let is_plain = match scheme.to_ascii_lowercase().as_str() {
            "https" => false,
            "http" => true,
            _ => return Err("has a scheme other than `https` and `http`"),
        };
        if text.chars().any(char::is_whitespace) {
            return Err("has white space in it");
        }
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, tail) = rest.split_at(end);
        let path = tail.split(['?', '#']).next().unwrap_or_default();
        let (user, authority) = match authority.rsplit_once('@') {
            Some((user, authority)) => (Some(user), authority),
            None => (None, authority),
        };
        check_authority(authority)?;
        Ok(Self {
            is_plain,
            authority: authority.to_string(),
            path: path.trim_end_matches('/').to_string(),
            has_credentials: user.is_some(),
        })
    }

    /// The host without its port; an IPv6 address keeps its brackets.
    pub fn host(&self) -> &str {
        host_of(&self.authority)
    }
}

/// The host of `host` or `host:port`; an IPv6 address keeps its brackets.
pub fn host_of(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    }
}

fn check_authority(authority: &str) -> Result<(), &'static str> {
    let host = host_of(authority);
    if host.is_empty() {
        return Err("names no host");
    }
    let port = authority[host.len()..].strip_prefix(':');
    if port.is_some_and(|port| port.parse::<u16>().is_err() || port.starts_with('0')) {
        return Err("has no valid port: it must be a number from 1 to 65535");
    }
    let inner = host.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
    let is_plain_name = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    match inner {
        Some(inner) if inner.parse::<std::net::Ipv6Addr>().is_ok() => Ok(()),
        None if host.chars().all(is_plain_name) => Ok(()),
        _ => Err("names something that is no host"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_keeps_the_port_that_is_written_and_gets_none_that_is_not() {
        for (text, authority, host, path) in [
            ("https://r.example", "r.example", "r.example", ""),
            ("https://r.example:443/", "r.example:443", "r.example", ""),
            (
                "http://192.0.2.1:5000/v2/x/",
                "192.0.2.1:5000",
                "192.0.2.1",
                "/v2/x",
            ),
            (
                "https://[2001:db8::1]",
                "[2001:db8::1]",
                "[2001:db8::1]",
                "",
            ),
            (
                "https://[2001:db8::1]:5000",
                "[2001:db8::1]:5000",
                "[2001:db8::1]",
                "",
            ),
            (
                "HTTPS://r.example/a?proxy=1",
                "r.example",
                "r.example",
                "/a",
            ),
            (
                "https://Registry_1.example",
                "Registry_1.example",
                "Registry_1.example",
                "",
            ),
        ] {
            let read = Endpoint::parse(text).unwrap();
            assert_eq!(
                (read.authority.as_str(), read.host(), read.path.as_str()),
                (authority, host, path)
            );
        }
    }

    #[test]
    fn what_a_node_could_not_pull_from_is_no_endpoint() {
        for bad in [
            "",
            "r.example",
            "10.0.0.1:8082",
            "ftp://r.example",
            "https://",
            "https:///v2",
            "https://:5000",
            "https://r.example:0",
            "https://r.example:70000",
            "https://r.example:",
            "https://r example",
            "https://r.example/a b",
            "https://*.example",
            "https://[2001:db8::1",
            "https://2001:db8::1",
            "oci://r.example",
        ] {
            assert!(Endpoint::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn credentials_are_seen_and_are_no_part_of_the_host() {
        let read = Endpoint::parse("https://robot:S3NTINEL@r.example/v2").unwrap();

        assert!(read.has_credentials);
        assert_eq!(read.authority, "r.example");
    }
}
