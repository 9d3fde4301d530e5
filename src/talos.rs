//! What a Talos machine must have, and how the Talos providers accept it.
//!
//! Facts about Talos, its bootstrap provider (CABPT) and its versions live here: owned paths, contracts,
//! the CA and the address, and a [`PatchIntent`] with its readings. This room knows no manifest, edits
//! nothing and looks nothing up.

mod address;
mod auth;
mod certificate;
mod delivery;
mod document;
mod endpoint;
mod intent;
mod pointer;
mod reading;
mod version;

pub use address::NodeAddress;
pub use certificate::{
    CaBundle, CaProblem, holds_certificates, is_base64, is_base64_of_certificates,
    is_base64_of_pem, same_certificates,
};
pub use delivery::{Delivery, Form, GenerateType, Undecided, decide};
pub use document::{DocumentKind, KINDS, OWNED_DOCUMENTS, is_known};
pub use endpoint::{Endpoint, host_of};
pub use intent::{Aspect, Auth, HostEntry, Mirror, PatchIntent, PemText, Setting, Tls, pointer_to};
pub use pointer::{OwnedParent, Pointer, Relation};
pub use reading::Misfit;
pub use version::{ProviderVersion, TalosVersion, kubernetes_range};
