//! The values of the shared store: the names that stories give them, and the texts by which a leak
//! of them is found.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hydrant::edge::environment::Environment;
use hydrant::edge::terminal::Nobody;
use hydrant::edge::vault::{Identities, Store};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, LazyLock};

/// The word that is in every secret of the store.
const SENTINEL: &str = "S3NTINEL";

/// The certificates that stories name, each a secret with one certificate.
const CERTIFICATES: &[&str] = &["registry-ca", "next-ca", "corp-ca", "expired-only"];

/// Other values whose base64 stories name.
const BUNDLES: &[&str] = &[
    "two-cas",
    "valid-and-expired",
    "client-certificate",
    "client-key",
];

/// What is known of the shared store.
pub(crate) struct Tells {
    /// What stories write instead of a value, and the value; long values first.
    tokens: Vec<(String, String)>,
    /// Texts of which none may turn up where decrypted values must not be.
    tells: BTreeSet<String>,
}

/// The shared store, opened once.
pub(crate) static SHARED: LazyLock<Tells> = LazyLock::new(|| {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/_shared");
    let key = shared.join("test-key.txt");
    let files = [key.clone()];
    let identities = Identities::new(&files, &Environment::default(), Arc::new(Nobody));
    let store = Store::open(&shared.join("before/clusters/secrets")).expect("the shared store");
    let survey = store.survey().expect("its secrets");
    let mut tells = Tells::new(&std::fs::read_to_string(key).expect("the test key"));
    let recipient = shared.join("before/clusters/secrets/.age-recipients");
    let recipient = std::fs::read_to_string(recipient).expect("the store's recipient");
    let recipient = recipient.trim_end().to_string();
    tells.tokens.push(("[test-recipient]".into(), recipient));
    for name in &survey.secrets {
        let fingerprint = store.fingerprint(name).expect("it has a file");
        tells
            .tokens
            .push((format!("[{name}/fingerprint]"), fingerprint));
        // Those that do not open are there to show it.
        if let Ok(value) = store.read(name, &identities) {
            let value = std::str::from_utf8(value.expose()).expect("the secrets are text");
            tells.learn(name.as_str(), value);
        }
    }
    tells
        .tokens
        .sort_by_key(|(_, value)| std::cmp::Reverse(value.len()));
    tells
});

impl Tells {
    fn new(key: &str) -> Self {
        let keys = key.lines().filter(|line| !line.starts_with('#'));
        let keys: Vec<String> = keys.map(str::to_string).collect();
        Self {
            tokens: vec![("[test-key]".into(), keys.concat())],
            tells: keys.into_iter().chain([SENTINEL.into()]).collect(),
        }
    }

    fn learn(&mut self, name: &str, value: &str) {
        let body = value.lines().filter(|line| !line.starts_with("-----"));
        let body: Vec<&str> = body.collect();
        // A shorter line is in too many texts that are not a leak.
        let long = body
            .iter()
            .map(|line| line.trim())
            .filter(|line| line.len() > 8);
        self.tells.extend(long.map(str::to_string));
        let encoded = STANDARD.encode(value);
        let windows = encoded
            .as_bytes()
            .chunks(32)
            .filter(|chunk| chunk.len() == 32);
        self.tells
            .extend(windows.map(|it| String::from_utf8_lossy(it).into_owned()));
        if CERTIFICATES.contains(&name) {
            let lines = body.iter().enumerate();
            self.tokens.extend(
                lines.map(|(n, line)| (format!("[{name}/{}]", n + 1), (*line).to_string())),
            );
            let (first, second) = encoded.split_at(encoded.len() / 2);
            self.tokens
                .push((format!("[{name}/base64 1/2]"), first.to_string()));
            self.tokens
                .push((format!("[{name}/base64 2/2]"), second.to_string()));
        }
        if CERTIFICATES.contains(&name) || BUNDLES.contains(&name) {
            self.tokens.push((format!("[{name}/base64]"), encoded));
        }
    }

    /// The text with values where it names them.
    pub(crate) fn spell_out(&self, text: &[u8]) -> Vec<u8> {
        let pairs = self
            .tokens
            .iter()
            .map(|(token, value)| (token.as_str(), value.as_str()));
        replace_all(text, pairs)
    }

    /// The text with names for the values in it.
    pub(crate) fn name(&self, text: &[u8]) -> Vec<u8> {
        let pairs = self
            .tokens
            .iter()
            .map(|(token, value)| (value.as_str(), token.as_str()));
        replace_all(text, pairs)
    }

    /// The first tell in `text` that is not in `known` as well: what the user wrote in the open is no
    /// secret.
    pub(crate) fn leak(&self, text: &[u8], known: &[u8]) -> Option<&str> {
        let has = |text: &[u8], tell: &str| memchr::memmem::find(text, tell.as_bytes()).is_some();
        let mut leaks = self
            .tells
            .iter()
            .filter(|tell| has(text, tell) && !has(known, tell));
        leaks.next().map(String::as_str)
    }
}

/// The text with the second of each pair in place of the first.
pub(crate) fn replace_all<'p>(
    text: &[u8],
    pairs: impl Iterator<Item = (&'p str, &'p str)>,
) -> Vec<u8> {
    let mut text = text.to_vec();
    for (from, to) in pairs {
        let mut rest = text.as_slice();
        let mut out = Vec::with_capacity(text.len());
        while let Some(at) = memchr::memmem::find(rest, from.as_bytes()) {
            out.extend_from_slice(&rest[..at]);
            out.extend_from_slice(to.as_bytes());
            rest = &rest[at + from.len()..];
        }
        out.extend_from_slice(rest);
        text = out;
    }
    text
}
