//! Credentials for a registry, as a secret holds them.

use super::Auth;
use crate::secret::Secret;
use crate::yaml::{NodeKind, Reading, Stream};

impl Auth {
    /// Reads YAML with `username` and `password`, or `auth`, or `identityToken`: exactly one of the
    /// three ways, because Talos refuses two in a document and picks one silently in v1alpha1 fields.
    ///
    /// The error is the reason, and never repeats anything of the text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let stream = Stream::parse(text).map_err(|_| "it is not YAML".to_string())?;
        let [document] = &stream.documents[..] else {
            return Err("it is not one YAML document".to_string());
        };
        let root = document
            .root()
            .filter(|root| root.kind() == NodeKind::Mapping);
        let root = root.ok_or("it is not a mapping")?;
        let mut auth = Self::default();
        for (key, value) in root.entries() {
            let field = match key.text() {
                Some("username") => &mut auth.username,
                Some("password") => &mut auth.password,
                Some("auth") => &mut auth.auth,
                Some("identityToken") => &mut auth.identity_token,
                // The key is not repeated either: in a malformed secret it may be the password.
                _ => return Err("it has an unknown key".to_string()),
            };
            let text = value.string(Reading::Talos).filter(|text| !text.is_empty());
            let text = text.ok_or("a value in it is empty or not a string: put it in quotes")?;
            *field = Some(Secret::new(text.to_string()));
        }
        match (
            &auth.username,
            &auth.password,
            &auth.auth,
            &auth.identity_token,
        ) {
            (Some(_), Some(_), None, None)
            | (None, None, Some(_), None)
            | (None, None, None, Some(_)) => Ok(auth),
            _ => {
                Err("it must hold `username` and `password`, or `auth`, or `identityToken`".into())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_of_the_three_ways_is_read() {
        for text in [
            "username: u\npassword: p\n",
            "auth: dTpw\n",
            "identityToken: t\n",
        ] {
            assert!(Auth::parse(text).is_ok(), "{text}");
        }
        let auth = Auth::parse("username: u\npassword: \"p: #\"\n").unwrap();
        assert_eq!(auth.password.unwrap().expose(), "p: #");
    }

    #[test]
    fn two_ways_half_a_way_and_no_way_are_refused() {
        let refused = [
            "",
            "username: u\n",
            "auth: a\nidentityToken: t\n",
            "- a\n",
            "password: 1234\nusername: u",
        ];
        for text in refused {
            assert!(Auth::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_reason_repeats_nothing_of_a_malformed_secret() {
        for text in [
            "password: \"S3NTINEL",
            "S3NTINEL: x",
            "S3NTINEL",
            "password: [S3NTINEL]",
        ] {
            assert!(
                !Auth::parse(text).unwrap_err().contains("S3NTINEL"),
                "{text}"
            );
        }
    }
}
