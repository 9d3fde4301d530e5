//! A value that must not be seen, [`Secret`], and what it is called, [`SecretName`].
//!
//! There is no `Display`, no `Serialize`, no `Deref`: whoever needs the value says
//! [`Secret::expose`], and that word can be searched for. This room does not decide who may look.

mod name;

pub use name::{BadSecretName, SecretName};

use zeroize::{Zeroize, Zeroizing};

/// A value out of the store, or made from one. Wiped when dropped.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret<T: Zeroize>(Zeroizing<T>);

impl<T: Zeroize> Secret<T> {
    /// Takes the value in.
    pub fn new(value: T) -> Self {
        Self(Zeroizing::new(value))
    }

    /// The value, for the one who has to use it.
    pub fn expose(&self) -> &T {
        &self.0
    }
}

impl<T: Zeroize> From<Zeroizing<T>> for Secret<T> {
    fn from(value: Zeroizing<T>) -> Self {
        Self(value)
    }
}

impl<T: Zeroize> std::fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_debug_print_shows_nothing() {
        assert_eq!(
            format!("{:?}", Secret::new("S3NTINEL".to_string())),
            "Secret(…)"
        );
    }
}
