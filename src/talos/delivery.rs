//! In which form a target's provider and nodes accept a setting.
//!
//! The table of reference: what CABPT releases do with JSON patches on several documents, which kinds
//! of document they load, and what nodes of a version make of them.

use super::{ProviderVersion, TalosVersion};

/// A form that a setting can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// JSON patches in `configPatches`, one on each owned parent.
    JsonPatch,
    /// A strategic patch with `machine:` fields, in `strategicPatches`.
    V1Alpha1,
    /// Strategic patches that are documents of their own kinds, such as `RegistryTLSConfig`.
    Documents,
}

/// What a target accepts, and what hydrant chooses for a setting that is not there yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of the table of its own"
)]
pub struct Delivery {
    /// The form for a setting that no form carries yet.
    pub preferred: Form,
    /// Does the provider apply JSON patches to this target at all?
    pub json_patches: bool,
    /// Does the provider know `strategicPatches`?
    pub strategic_patches: bool,
    /// Do provider and node know the registry and host documents?
    pub documents: bool,
    /// Outside the pairs of provider and Talos that are tested together.
    pub untested_pair: bool,
}

/// `generateType` of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GenerateType {
    /// The provider generates the base config.
    Generated,
    /// The base is the target's own `data`, of so many documents.
    Data {
        /// How many documents `data` holds.
        documents: usize,
    },
}

/// There is neither a `talosVersion` nor a provider version to decide by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Undecided;

/// Decides by the target's `talosVersion`, its base, and the provider release where one is known.
///
/// A provider that is not known is taken for one that fits the version: 0.6.5 to 0.6.10 up to Talos
/// 1.11, 0.6.11 or later from 1.12 on.
pub fn decide(
    talos: Option<TalosVersion>,
    base: GenerateType,
    provider: Option<ProviderVersion>,
) -> Result<Delivery, Undecided> {
    let strategic_patches = provider.is_none_or(ProviderVersion::has_strategic_patches);
    let knows_documents = provider.is_none_or(ProviderVersion::has_documents);
    let several = match (base, talos, provider) {
        (GenerateType::Data { documents }, _, _) => documents > 1,
        (GenerateType::Generated, Some(talos), _) => talos.has_documents() && knows_documents,
        (GenerateType::Generated, None, Some(provider)) => provider.has_documents(),
        (GenerateType::Generated, None, None) => return Err(Undecided),
    };
    let documents = knows_documents && talos.is_some_and(TalosVersion::has_documents);
    let is_data = matches!(base, GenerateType::Data { .. });
    let preferred =
        if documents && !is_data && !talos.is_some_and(TalosVersion::tls_document_may_crash) {
            Form::Documents
        } else if strategic_patches && (several || is_data) {
            Form::V1Alpha1
        } else {
            Form::JsonPatch
        };
    Ok(Delivery {
        preferred,
        json_patches: !several,
        strategic_patches,
        documents,
        untested_pair: talos.is_some_and(TalosVersion::has_documents) && !knows_documents,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn preferred(talos: &str, provider: &str) -> Result<Form, Undecided> {
        let (talos, provider) = (TalosVersion::parse(talos), ProviderVersion::parse(provider));
        decide(talos, GenerateType::Generated, provider).map(|delivery| delivery.preferred)
    }

    #[test]
    fn up_to_1_11_json_patches_are_chosen_whatever_the_provider() {
        for provider in ["", "v0.6.4", "v0.6.10", "v0.6.12"] {
            assert_eq!(
                preferred("v1.9.5", provider),
                Ok(Form::JsonPatch),
                "{provider}"
            );
        }
        assert_eq!(preferred("v1.11", ""), Ok(Form::JsonPatch));
    }

    #[test]
    fn from_1_12_on_documents_are_chosen_but_not_where_nodes_crash_on_them() {
        assert_eq!(preferred("v1.12.0", ""), Ok(Form::V1Alpha1));
        assert_eq!(preferred("v1.12.1", "v0.6.11"), Ok(Form::V1Alpha1));
        assert_eq!(preferred("v1.12", ""), Ok(Form::V1Alpha1));
        assert_eq!(preferred("v1.12.2", ""), Ok(Form::Documents));
        assert_eq!(preferred("v1.13", ""), Ok(Form::Documents));
        assert_eq!(preferred("v1.14.0", ""), Ok(Form::Documents));
    }

    #[test]
    fn an_old_provider_still_applies_json_patches_to_1_12_and_that_pair_is_untested() {
        let (talos, provider) = (
            TalosVersion::parse("v1.12.6"),
            ProviderVersion::parse("v0.6.10"),
        );
        let delivery = decide(talos, GenerateType::Generated, provider).unwrap();

        assert_eq!(delivery.preferred, Form::JsonPatch);
        assert!(delivery.untested_pair && !delivery.documents);
    }

    #[test]
    fn without_a_version_only_the_provider_can_decide() {
        assert_eq!(preferred("", ""), Err(Undecided));
        assert_eq!(preferred("", "v0.6.10"), Ok(Form::JsonPatch));
        assert_eq!(preferred("", "v0.6.11"), Ok(Form::V1Alpha1));
    }

    #[test]
    fn given_data_is_never_patched_by_replacing_its_registries() {
        let of = |documents| {
            let base = GenerateType::Data { documents };
            decide(TalosVersion::parse("v1.9.5"), base, None).unwrap()
        };

        assert_eq!(of(1).preferred, Form::V1Alpha1);
        assert!(of(1).json_patches);
        assert!(!of(2).json_patches);
    }
}
