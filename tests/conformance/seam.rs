//! The one place where the suite calls hydrant.

use super::trust::Wanted;
use hydrant::diagnostic::Diagnostic;
use hydrant::manifest::{Request, hydrate as hydrate_manifest};
use hydrant::talos::ProviderVersion;
use hydrant::text::{SourceFile, apply};
use std::sync::Arc;

/// The hydrated text, or the codes of all errors.
pub(crate) fn hydrate(
    text: &str,
    wanted: &Wanted,
    provider: Option<&str>,
) -> Result<String, Vec<String>> {
    hydrate_with_warnings(text, wanted, provider).map(|(hydrated, _)| hydrated)
}

/// The same with the codes of the findings that did not stop it.
pub(crate) fn hydrate_with_warnings(
    text: &str,
    wanted: &Wanted,
    provider: Option<&str>,
) -> Result<(String, Vec<String>), Vec<String>> {
    let file = Arc::new(SourceFile::new("cluster-base.yaml", text));
    let provider = provider.map(|release| ProviderVersion::parse(release).expect("a release"));
    let intent = wanted.intent();
    let hydration = hydrate_manifest(
        &file,
        Request {
            intent: &intent,
            provider,
        },
    )
    .map_err(|findings| codes(findings.iter().filter(|finding| finding.is_error())))?;
    let hydrated = apply(text, &hydration.edits)
        .expect("the edits are disjoint")
        .to_string();
    Ok((hydrated, codes(hydration.warnings.iter())))
}

fn codes<'f>(findings: impl Iterator<Item = &'f Diagnostic>) -> Vec<String> {
    findings
        .map(|finding| finding.code.name().to_string())
        .collect()
}
