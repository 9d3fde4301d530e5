//! The age store: a folder of age files, each a secret, with the recipients beside them.
//!
//! The layout is passage's: `<name>.age`, binary or armored, sealed for the recipients of the
//! nearest `.age-recipients` from the secret's folder up to the store's. What the age command made
//! opens here, and what is made here opens there. This room keeps no value, knows nothing of what a
//! secret is for, runs no plugin, and reads no identity before a secret has to be opened.

mod cipher;
mod error;
mod generate;
mod header;
mod identities;
mod identity_file;
mod recipients;
mod source;
mod store;
mod survey;

pub use cipher::LARGEST_VALUE;
pub use error::StoreError;
pub use generate::NewIdentity;
pub use header::{Broken, Form, Header, Stanza};
pub use identities::{Identities, Note};
pub use recipients::{BadLine, RECIPIENTS_FILE, Recipient, Recipients, parse_recipient};
pub use store::{Rekeyed, Seal, Store};
pub use survey::{Stray, Survey};
