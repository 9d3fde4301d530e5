//! JSON Pointers as CABPT's patch engine reads them, and how they stand to what hydrant owns.

use super::pointer_to;

/// A value on the machine that hydrant writes as a whole patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OwnedParent {
    /// `/machine/registries`: mirrors, TLS and auth.
    Registries,
    /// `/machine/network/extraHostEntries`: the lines of /etc/hosts.
    HostEntries,
    /// `/machine/install/image`: the installer.
    InstallImage,
}

impl OwnedParent {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Registries, Self::HostEntries, Self::InstallImage];

    /// Its keys, from the root of a v1alpha1 config.
    pub fn keys(self) -> &'static [&'static str] {
        match self {
            Self::Registries => &["machine", "registries"],
            Self::HostEntries => &["machine", "network", "extraHostEntries"],
            Self::InstallImage => &["machine", "install", "image"],
        }
    }

    /// As the path of a JSON patch.
    pub fn path(self) -> String {
        pointer_to(self.keys().iter().copied())
    }
}

/// How a patch's path stands to an owned parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// It is the owned parent.
    Same,
    /// It patches inside it.
    Below,
    /// It patches an ancestor.
    Above,
    /// It has nothing to do with it.
    Unrelated,
}

/// The path of a JSON patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pointer {
    segments: Vec<String>,
    has_leading_slash: bool,
}

impl Pointer {
    /// Reads a path, with `~1` and `~0` decoded (RFC 6901). The empty path is the whole document.
    ///
    /// A path that lacks its leading slash is read as if it had one, because that is what its author
    /// meant; the engine would drop the first segment and write somewhere else
    /// (evanphx/json-patch v5.9), which [`Pointer::has_leading_slash`] tells.
    pub fn parse(path: &str) -> Self {
        let has_leading_slash = path.is_empty() || path.starts_with('/');
        let rest = path.strip_prefix('/').unwrap_or(path);
        let decode = |segment: &str| segment.replace("~1", "/").replace("~0", "~");
        let segments = if path.is_empty() {
            Vec::new()
        } else {
            rest.split('/').map(decode).collect()
        };
        Self {
            segments,
            has_leading_slash,
        }
    }

    /// Does the engine read it as its author meant it?
    pub fn has_leading_slash(&self) -> bool {
        self.has_leading_slash
    }

    /// The decoded segments.
    pub fn segments(&self) -> &[String] {
        &self.segments
    }

    /// How this path stands to `parent`; without its leading slash, also as the engine reads it.
    pub fn relation(&self, parent: OwnedParent) -> Relation {
        let relation = relation(&self.segments, parent.keys());
        match &self.segments[..] {
            [_, read @ ..] if !self.has_leading_slash && relation == Relation::Unrelated => {
                self::relation(read, parent.keys())
            }
            _ => relation,
        }
    }
}

fn relation(segments: &[String], keys: &[&str]) -> Relation {
    let shared = segments
        .iter()
        .zip(keys)
        .take_while(|(ours, theirs)| ours == *theirs);
    match (shared.count(), segments.len()) {
        (shared, len) if shared == keys.len() && len == keys.len() => Relation::Same,
        (shared, _) if shared == keys.len() => Relation::Below,
        (shared, len) if shared == len => Relation::Above,
        _ => Relation::Unrelated,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relation(path: &str, parent: OwnedParent) -> Relation {
        Pointer::parse(path).relation(parent)
    }

    #[test]
    fn a_path_is_compared_by_segments_not_by_prefix() {
        use OwnedParent::Registries;

        assert_eq!(relation("/machine/registries", Registries), Relation::Same);
        assert_eq!(
            relation("/machine/registriesX", Registries),
            Relation::Unrelated
        );
        assert_eq!(
            relation("/machine/registries/", Registries),
            Relation::Below
        );
        assert_eq!(relation("/machine", Registries), Relation::Above);
        assert_eq!(relation("", Registries), Relation::Above);
        assert_eq!(
            relation("/machine/network", Registries),
            Relation::Unrelated
        );
    }

    #[test]
    fn escapes_an_index_and_the_end_of_list_mark_are_below() {
        use OwnedParent::{HostEntries, Registries};

        let escaped = "/machine/registries/config/registry.example~1path/tls";
        assert_eq!(relation(escaped, Registries), Relation::Below);
        assert_eq!(
            relation("/machine/network/extraHostEntries/-", HostEntries),
            Relation::Below
        );
        assert_eq!(
            relation("/machine/network/extraHostEntries/0", HostEntries),
            Relation::Below
        );
    }

    #[test]
    fn a_missing_leading_slash_is_still_recognised() {
        let pointer = Pointer::parse("machine/registries");

        assert_eq!(pointer.relation(OwnedParent::Registries), Relation::Same);
        assert!(!pointer.has_leading_slash());
    }

    #[test]
    fn a_first_segment_that_the_engine_drops_hides_nothing() {
        let pointer = Pointer::parse("x/machine/registries");

        assert_eq!(pointer.relation(OwnedParent::Registries), Relation::Same);
        assert_eq!(
            Pointer::parse("/x/machine/registries").relation(OwnedParent::Registries),
            Relation::Unrelated
        );
    }
}
