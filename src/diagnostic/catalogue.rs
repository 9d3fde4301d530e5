//! Every code that hydrant can report, once: name, severity, class, and why it matters.
//!
//! The case that shows a code lives in `tests/cases`, its row for people in `docs/findings.md`; a
//! test holds the three together.

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; the run goes on.
    Warning,
    /// The run gives no output.
    Error,
}

/// What kind of failure it is; the program's exit code follows from the worst one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// The input was understood and something in it must change: exit code 1.
    Finding,
    /// The input, or the way it was asked for, is broken: exit code 2.
    Input,
    /// A key, a tool or the network failed: exit code 3.
    World,
    /// Understood, and refused for safety: exit code 4.
    Safety,
}

macro_rules! catalogue {
    ($($code:ident $name:literal $severity:ident $class:ident $why:literal)+) => {
        /// The name of a finding.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code { $(#[doc = $why] $code,)+ }

        /// All codes, in the order of this file.
        pub const CATALOGUE: &[Code] = &[$(Code::$code),+];

        impl Code {
            /// The name as users see it.
            pub fn name(self) -> &'static str {
                match self { $(Self::$code => $name,)+ }
            }

            /// Error or warning.
            pub fn severity(self) -> Severity {
                match self { $(Self::$code => Severity::$severity,)+ }
            }

            /// What the exit code follows from.
            pub fn class(self) -> Class {
                match self { $(Self::$code => Class::$class,)+ }
            }

            /// Why it matters: what breaks otherwise.
            pub fn why(self) -> &'static str {
                match self { $(Self::$code => $why,)+ }
            }
        }
    };
}

catalogue! {
    // The repository
    NoFleet "no-fleet" Error Input
        "hydrant reads a folder of cluster definitions and found none from here upward"
    NoCluster "no-cluster" Error Input
        "a run that matches nothing would look like a success"
    UnreadableFile "unreadable-file" Error Input
        "a file that the fleet names must be readable, or the output would silently lack it"
    UnwritableFile "unwritable-file" Error World
        "a repair that reaches some files only would leave the cluster half changed"
    NotUtf8 "not-utf-8" Error Input
        "YAML is UTF-8 text; guessing another encoding could change values"
    FileTooLarge "file-too-large" Error Input
        "a manifest of this size is almost certainly not one, and would take memory from the run"
    InvalidYaml "invalid-yaml" Error Input
        "what cannot be parsed cannot be edited safely"
    DuplicateKey "duplicate-key" Error Input
        "parsers disagree on which of the two counts"
    TwoDefinitions "two-definitions" Error Input
        "hydrant cannot know which of the two describes the cluster"
    ClusterName "cluster-name" Error Input
        "a definition's name and its folder's name must agree, or a run would hit the wrong cluster"
    DuplicateCluster "duplicate-cluster" Error Input
        "two definitions of one name cannot both be that cluster"
    WrongType "wrong-type" Error Input
        "a value of another type would be read differently by different tools"
    UnknownKey "unknown-key" Error Input
        "a misspelt key would silently have no effect"
    MissingKey "missing-key" Error Input
        "hydrant does not guess what the definition must say"
    InvalidValue "invalid-value" Error Input
        "the value would reach machines, or lead outside the fleet"
    NotYet "not-yet" Error Input
        "this is not built yet, and pretending would produce a wrong manifest"
    MisnamedDefinition "misnamed-definition" Error Input
        "a definition under another file name is not read, so its cluster would silently be missing"
    LookalikeKey "lookalike-key" Warning Finding
        "unknown keys beside hydrant's own are ignored, so a misspelt one would silently have no effect"
    // Secrets and facts
    UnknownSecret "unknown-secret" Error Input
        "a missing secret is never replaced by something else"
    NoRecipients "no-recipients" Error Input
        "without recipients a secret could be encrypted for nobody"
    InvalidSecret "invalid-secret" Error Input
        "the decrypted value does not have the shape that its use needs"
    InvalidCa "invalid-ca" Error Input
        "nodes would trust nothing, or the wrong thing"
    ExpiredCa "expired-ca" Warning Finding
        "an expired certificate in the bundle no longer verifies anything"
    InvalidAddress "invalid-address" Error Input
        "nodes write the address to /etc/hosts verbatim, without checking it"
    NoIdentity "no-identity" Error World
        "the store is encrypted, and no identity was given that could open it"
    WrongKey "wrong-key" Error World
        "none of the identities is a recipient of this secret"
    BrokenCiphertext "broken-ciphertext" Error World
        "a secret that does not authenticate to its end is not used, not even in part"
    StoreFailed "store-failed" Error World
        "the store could not be read or written"
    RefusedPrint "refused-print" Error Safety
        "a secret on a pipe ends up in logs and files"
    NoStore "no-store" Error Input
        "secrets are asked for, and there is no store that they could be in"
    BadRecipient "bad-recipient" Error Input
        "a recipient that is left out could not open what is sealed from now on"
    BadIdentity "bad-identity" Error Input
        "an identity that was asked for and is not there would hide why nothing opens"
    SecretExists "secret-exists" Error Safety
        "what is overwritten in the store is gone, unless Git still has it"
    UnvettedEditor "unvetted-editor" Error Safety
        "an editor that hydrant does not know may keep copies of the value in files"
    EditorFailed "editor-failed" Error World
        "a value that was only half edited is not put into the store"
    PlaintextInStore "plaintext-in-store" Error Finding
        "what lies in the store unencrypted is committed and leaked with the repository"
    StaleRecipients "stale-recipients" Warning Finding
        "whoever was added cannot open the secret, and whoever was taken out still can"
    StrayFile "stray-file" Warning Finding
        "only `.age` files are secrets; whoever put another file here may believe it is kept safe"
    // Targets
    MissingManifest "missing-manifest" Error Input
        "a cluster without its manifest cannot be rendered"
    NoTarget "no-target" Error Finding
        "machines of a role that no patched object describes would come up without the setting"
    UnsupportedKind "unsupported-kind" Error Finding
        "skipping it would report success while its machines stay without the setting"
    TalosVersionUnset "talos-version-unset" Error Finding
        "without a version the provider decides the shape of the config by its own release"
    TalosVersionInvalid "talos-version-invalid" Error Finding
        "the provider rejects it and the machine never gets a config"
    WrongShape "wrong-shape" Error Finding
        "the provider, or the API server, rejects an object of this shape"
    VersionsDiffer "versions-differ" Warning Finding
        "a config of a newer shape than the installed Talos is refused by the node"
    KubernetesRange "kubernetes-range" Warning Finding
        "Talos refuses to install, or to upgrade, a Kubernetes outside the range that it was tested with"
    // Patch lists
    NestedPatch "nested-patch" Error Finding
        "after a parent patch it would be applied to our value, before one it would be erased: the order would decide"
    AncestorPatch "ancestor-patch" Error Finding
        "a patch on an ancestor carries or erases the whole owned value, depending on the order"
    UnsupportedOp "unsupported-op" Error Finding
        "only `add` and `replace` of the whole owned value can be merged without changing what they mean"
    DuplicateParent "duplicate-parent" Error Finding
        "the later of two patches on one value silently wins"
    HiddenJsonPatch "hidden-json-patch" Error Finding
        "Talos reads this strategic patch as a JSON patch, so it is applied as one, and fails on several documents"
    OwnedAlias "owned-alias" Error Finding
        "a value behind an anchor, alias or merge key is shared: editing it would change other places"
    InsecureBesideCa "insecure-beside-ca" Error Finding
        "`insecureSkipVerify: true` switches off the verification that the CA is there for"
    ConflictingAlias "conflicting-alias" Error Finding
        "which address a name on two addresses resolves to differs between Talos versions"
    WildcardTls "wildcard-tls" Error Finding
        "Talos rejects TLS settings for `*` when it configures the container runtime"
    CannotEdit "cannot-edit" Error Finding
        "an edit here could not be proven to leave everything else as it is"
    JsonPatchOnDocuments "json-patch-on-documents" Error Finding
        "the provider refuses any JSON patch on a config of several documents: the machine cannot boot"
    NoStrategicPatches "no-strategic-patches" Error Finding
        "a provider before 0.6.5 does not know the field, and the API server drops it without a word"
    HostnameWithoutVersion "hostname-without-version" Error Finding
        "a provider from 0.6.11 on writes the hostname twice then, and the node refuses the config"
    EmptyPatch "empty-patch" Error Finding
        "the provider takes an empty strategic patch for a JSON patch, or fails on it for ever"
    DuplicateDocument "duplicate-document" Error Finding
        "Talos refuses a patch in which a document stands twice"
    UnknownDocument "unknown-document" Error Finding
        "a provider or a node that does not know a kind refuses the whole config"
    CrashingDocument "crashing-document" Error Finding
        "the node's registry controller crashes, and images are pulled without the setting"
    PatchDelete "patch-delete" Error Finding
        "a deletion fails where there is nothing to delete, and erases or spares ours depending on the order"
    NoConsent "no-consent" Error Finding
        "without verification anyone on the path can serve images to the nodes"
    SaidTwice "said-twice" Error Finding
        "two places say one setting, and the later one silently wins or is appended"
    NotProvable "not-provable" Error Finding
        "a rewrite that is not proven to make the same config could change machines without a word"
    ForeignJsonPatches "foreign-json-patches" Error Finding
        "from Talos 1.12 on not one JSON patch may be left, and hydrant moves only what it can prove"
    UntestedPair "untested-pair" Warning Finding
        "this provider release and Talos version are not tested together upstream"
    MirrorReplaced "mirror-replaced" Warning Finding
        "the endpoints that the manifest says give way to those of the definition"
    PortDiffers "port-differs" Warning Finding
        "Talos looks registry settings up by host and port exactly, so the other key does not apply"
    UnknownField "unknown-field" Error Finding
        "Talos refuses a whole config for one key that it does not know"
    NullEntry "null-entry" Error Finding
        "Talos refuses a config in which a registry's entry is null"
    WrongField "wrong-field" Error Finding
        "Talos cannot load a value of this type or form, and the machine comes up without a config"
    CaEncoding "ca-encoding" Error Finding
        "v1alpha1 fields hold base64 of PEM and documents hold PEM; the other form fails to load on the node"
    UnreadableCa "unreadable-ca" Warning Finding
        "Talos does not look into the value, and nothing is trusted where no certificate is in it"
    GlobMirror "glob-mirror" Warning Finding
        "Talos looks mirrors up exactly, so a pattern never matches; only `*` stands for all others"
    UselessEndpoint "useless-endpoint" Warning Finding
        "nodes cannot pull from an endpoint that is not a URL"
    // Settings
    InvalidUrl "invalid-url" Error Input
        "without a scheme and a host a node cannot tell where to pull from, and finds no TLS settings for it"
    CredentialsInUrl "credentials-in-url" Error Input
        "what stands in a URL is committed to Git and shown by whoever shows the URL"
    InvalidRepository "invalid-repository" Error Input
        "the value becomes an image reference, which has no scheme, and which nodes cannot pull in another form"
    TrailingSlashes "trailing-slashes" Error Input
        "one slash at the end is taken off; of several it is not clear what was meant"
    ShellCharacter "shell-character" Error Input
        "templates and shells that the value passes through replace what follows such a character"
    UnmatchedConfig "unmatched-config" Warning Finding
        "Talos takes TLS and credentials by the host of an endpoint's URL: a key that none has applies to nothing"
    TlsOnHttp "tls-on-http" Warning Finding
        "Talos refuses to pull from a plain-http endpoint that has TLS settings"
    PathEndpoint "path-endpoint" Warning Finding
        "`/v2` is appended to an endpoint's path unless `overridePath` says to take it as it is"
    NoEndpoints "no-endpoints" Warning Finding
        "a mirror without endpoints changes nothing, `skipFallback` included"
    MirrorWithoutItself "mirror-without-itself" Warning Finding
        "containerd falls back to the registry itself without its TLS settings when its mirror does not list it"
    AuthNeedsReboot "auth-needs-reboot" Warning Finding
        "new machines start with the credentials; a running one takes them only after a reboot"
    InstallerHost "installer-host" Warning Finding
        "a machine's first boot pulls the installer before its host entries and CAs are in force"
    UnknownPath "unknown-path" Error Input
        "a question about something else would be answered with silence"
    UnknownSchema "unknown-schema" Error Input
        "an editor with an empty schema finds nothing wrong with anything"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_in_kebab_case() {
        let mut names: Vec<&str> = CATALOGUE.iter().map(|code| code.name()).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();

        assert_eq!(names.len(), count);
        let kebab = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        assert!(names.into_iter().all(kebab));
    }
}
