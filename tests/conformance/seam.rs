//! The one place where the suite calls hydrant.

use super::trust::Wanted;
use hydrant::diagnostic::{Diagnostic, Place};
use hydrant::manifest::{Request, hydrate as hydrate_manifest};
use hydrant::talos::ProviderVersion;
use hydrant::text::{SourceFile, apply};
use std::sync::Arc;

/// The hydrated text, or all errors, each `code: message`.
pub(crate) fn hydrate(
    text: &str,
    wanted: &Wanted,
    provider: Option<&str>,
) -> Result<String, Vec<String>> {
    let said = |finding: &Diagnostic| format!("{}: {}", finding.code.name(), finding.message);
    match call(text, wanted, provider) {
        Ok((hydrated, _)) => Ok(hydrated),
        Err(findings) => {
            let errors = findings.iter().filter(|finding| finding.is_error());
            Err(errors.map(said).collect())
        }
    }
}

/// The codes of the findings that did not stop it.
pub(crate) fn warnings(text: &str, wanted: &Wanted, provider: Option<&str>) -> Vec<String> {
    let warnings = call(text, wanted, provider).map(|(_, warnings)| warnings);
    let code = |finding: Diagnostic| finding.code.name().to_string();
    warnings.unwrap_or_default().into_iter().map(code).collect()
}

/// Everything that hydrant says about a manifest, for people.
pub(crate) fn findings(text: &str, wanted: &Wanted, provider: Option<&str>) -> Vec<String> {
    let findings = call(text, wanted, provider).map_or_else(|errors| errors, |(_, found)| found);
    let line = |finding: Diagnostic| {
        let places: Vec<String> = finding.places.iter().map(Place::locator).collect();
        format!(
            "{} {}: {}",
            finding.code.name(),
            places.join(" "),
            finding.message
        )
    };
    findings.into_iter().map(line).collect()
}

fn call(
    text: &str,
    wanted: &Wanted,
    provider: Option<&str>,
) -> Result<(String, Vec<Diagnostic>), Vec<Diagnostic>> {
    let file = Arc::new(SourceFile::new("cluster-base.yaml", text));
    let provider = provider.map(|release| ProviderVersion::parse(release).expect("a release"));
    let intent = wanted.intent();
    let request = Request {
        intent: &intent,
        provider,
    };
    let hydration = hydrate_manifest(&file, request)?;
    let hydrated = apply(text, &hydration.edits).expect("the edits are disjoint");
    Ok((hydrated.to_string(), hydration.warnings))
}
