//! Which accounts a path on the machine, or a key of a definition, is about.

use super::Account;
use crate::diagnostic::did_you_mean;
use crate::settings::layers::key;
use crate::talos::{OwnedParent, Pointer, Relation};

/// What a question is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked<'a> {
    /// These settings.
    Settings(Vec<&'a Account>),
    /// A setting that could be said, and that nobody says; what may have been meant.
    Unset(Option<String>),
    /// Nothing that hydrant reads or writes; what may have been meant.
    Unknown(Option<String>),
}

/// Finds what `asked` is about: a JSON Pointer into a machine config, any beginning of one, or a key as
/// definitions and the platform write it.
pub fn ask<'a>(accounts: &'a [Account], asked: &str) -> Asked<'a> {
    let is_path = asked.starts_with('/') || asked.is_empty();
    let asked = if is_path {
        asked.trim_end_matches('/')
    } else {
        asked.trim_end_matches('.')
    };
    let found: Vec<&Account> = accounts
        .iter()
        .filter(|account| is_about(account, asked, is_path))
        .collect();
    if !found.is_empty() {
        return Asked::Settings(found);
    }
    let near = near(accounts, asked, is_path).filter(|near| near != asked);
    let can_be_said = if is_path {
        is_owned(asked)
    } else {
        KEYS.iter().any(|key| leads_to(asked, key, '.'))
    };
    if can_be_said {
        Asked::Unset(near)
    } else {
        Asked::Unknown(near)
    }
}

/// The keys that accounts can be asked for by.
const KEYS: [&str; 9] = [
    key::TRUST_HOST,
    key::TRUST_CA,
    key::TRUST_CA_SECRET,
    key::TRUST_ADDRESS,
    key::REGISTRY_MIRRORS,
    key::MIRRORS,
    key::CONFIG,
    key::INSTALLER,
    key::IMAGE_FACTORY,
];

fn is_about(account: &Account, asked: &str, is_path: bool) -> bool {
    if is_path {
        let path = account.path.as_deref();
        return path.is_some_and(|path| leads_to(path, asked, '/'));
    }
    let won = account.won.iter().chain(&account.made_with);
    let lost = account.lost.iter().map(|lost| &lost.statement);
    won.chain(lost)
        .any(|said| !said.key.is_empty() && leads_to(&said.key, asked, '.'))
}

/// Is one of the two the other, or a beginning of it, in whole parts?
fn leads_to(one: &str, other: &str, separator: char) -> bool {
    let is_beginning = |short: &str, long: &str| {
        long.strip_prefix(short)
            .is_some_and(|rest| short.is_empty() || rest.is_empty() || rest.starts_with(separator))
    };
    is_beginning(one, other) || is_beginning(other, one)
}

fn is_owned(path: &str) -> bool {
    let pointer = Pointer::parse(path);
    OwnedParent::ALL
        .into_iter()
        .any(|parent| pointer.relation(parent) != Relation::Unrelated)
}

fn near(accounts: &[Account], asked: &str, is_path: bool) -> Option<String> {
    let parents = OwnedParent::ALL.map(OwnedParent::path);
    let paths = accounts
        .iter()
        .filter_map(|account| account.path.as_deref());
    if is_path {
        let known = paths.chain(parents.iter().map(String::as_str));
        return did_you_mean(asked, known).map(str::to_string);
    }
    let said = accounts.iter().flat_map(|account| account.won.iter());
    let said = said.map(|statement| statement.key.as_str());
    let whole = did_you_mean(asked, said.chain(KEYS));
    // `registryMirrors` alone is as good a question.
    let last = || {
        let last = |key: &'static str| key.rsplit('.').next().unwrap_or(key);
        let near = did_you_mean(asked, KEYS.map(last))?;
        KEYS.into_iter().find(|key| last(key) == near)
    };
    whole.or_else(last).map(str::to_string)
}
