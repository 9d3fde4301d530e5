//! The shapes of what hydrant owns, as Talos' strict loader knows them.
//!
//! Sources: Talos' v1alpha1 types (`RegistriesConfig`, `RegistryMirrorConfig`, `RegistryConfig`,
//! `ExtraHost`, unchanged from 1.9 to 1.13), its documents of 1.12, and what its loader made of them.

use crate::talos::{DocumentKind, OwnedParent};

/// What a value must be.
pub(super) enum Shape {
    /// A mapping with no keys but these.
    Fields(&'static [(&'static str, Shape)]),
    /// A mapping from names to values, none of them null.
    ByName(Names, &'static Shape),
    /// A list, no item of it null.
    List(&'static Shape),
    Text,
    Boolean,
    /// Base64 of PEM, as v1alpha1 fields hold it.
    Base64(Pem),
    /// PEM itself, as documents hold it.
    Pem(Pem),
    /// The URL of an endpoint; its scheme is judged by the loader or at the first pull.
    Url {
        is_judged_by_loader: bool,
    },
    Address,
}

/// What the names of a mapping are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Names {
    Mirrors,
    Hosts,
}

/// What PEM holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Pem {
    Ca,
    Certificate,
    Key,
}

use Shape::{Address, Base64, Boolean, ByName, Fields, List, Text, Url};

const REGISTRIES: Shape = Fields(&[
    ("mirrors", ByName(Names::Mirrors, &MIRROR)),
    ("config", ByName(Names::Hosts, &HOST)),
]);

const MIRROR: Shape = Fields(&[
    ("endpoints", List(&ENDPOINT)),
    ("overridePath", Boolean),
    ("skipFallback", Boolean),
]);

const ENDPOINT: Shape = Url {
    is_judged_by_loader: false,
};

const HOST: Shape = Fields(&[
    (
        "tls",
        Fields(&[
            ("ca", Base64(Pem::Ca)),
            (
                "clientIdentity",
                Fields(&[("crt", Base64(Pem::Certificate)), ("key", Base64(Pem::Key))]),
            ),
            ("insecureSkipVerify", Boolean),
        ]),
    ),
    (
        "auth",
        Fields(&[
            ("username", Text),
            ("password", Text),
            ("auth", Text),
            ("identityToken", Text),
        ]),
    ),
]);

const HOST_ENTRIES: Shape = List(&Fields(&[("ip", Text), ("aliases", List(&Text))]));

const MIRROR_DOCUMENT: Shape = Fields(&[
    ("apiVersion", Text),
    ("kind", Text),
    ("name", Text),
    (
        "endpoints",
        List(&Fields(&[
            (
                "url",
                Url {
                    is_judged_by_loader: true,
                },
            ),
            ("overridePath", Boolean),
        ])),
    ),
    ("skipFallback", Boolean),
]);

const TLS_DOCUMENT: Shape = Fields(&[
    ("apiVersion", Text),
    ("kind", Text),
    ("name", Text),
    ("ca", Shape::Pem(Pem::Ca)),
    (
        "clientIdentity",
        Fields(&[
            ("cert", Shape::Pem(Pem::Certificate)),
            ("key", Shape::Pem(Pem::Key)),
        ]),
    ),
    ("insecureSkipVerify", Boolean),
]);

const AUTH_DOCUMENT: Shape = Fields(&[
    ("apiVersion", Text),
    ("kind", Text),
    ("name", Text),
    ("username", Text),
    ("password", Text),
    ("auth", Text),
    ("identityToken", Text),
]);

const HOST_DOCUMENT: Shape = Fields(&[
    ("apiVersion", Text),
    ("kind", Text),
    ("name", Address),
    ("hostnames", List(&Text)),
]);

impl Shape {
    /// The shape of an owned value.
    pub(super) fn of_parent(parent: OwnedParent) -> &'static Self {
        match parent {
            OwnedParent::Registries => &REGISTRIES,
            OwnedParent::HostEntries => &HOST_ENTRIES,
            OwnedParent::InstallImage => &Text,
        }
    }

    /// The shape of a document.
    pub(super) fn of_document(kind: DocumentKind) -> &'static Self {
        match kind {
            DocumentKind::RegistryMirror => &MIRROR_DOCUMENT,
            DocumentKind::RegistryTls => &TLS_DOCUMENT,
            DocumentKind::RegistryAuth => &AUTH_DOCUMENT,
            DocumentKind::StaticHost => &HOST_DOCUMENT,
        }
    }
}
