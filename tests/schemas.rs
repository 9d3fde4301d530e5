//! The committed schemas are those of the types, and agree with what hydrant reads and writes.
//!
//! `SNAPSHOTS=overwrite cargo test --test schemas` writes them anew.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "the test reads the project's own files"
)]

use hydrant::report::SchemaOf;
use jsonschema::Validator;
use serde::Deserialize;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn validator(of: SchemaOf) -> Validator {
    let schema: Value = serde_json::from_str(&of.text()).unwrap();
    jsonschema::meta::validate(&schema).expect("it is a schema");
    jsonschema::draft202012::new(&schema).unwrap()
}

/// What the schema finds wrong with YAML or JSON text.
fn wrong(validator: &Validator, text: &str) -> Vec<String> {
    let value: Value = serde_yaml::from_str(text).unwrap();
    let errors = validator.iter_errors(&value);
    errors
        .map(|it| format!("{it} at {}", it.instance_path()))
        .collect()
}

/// Definitions and platforms below a folder, each with its schema.
fn files_below(folder: &Path) -> Vec<(SchemaOf, PathBuf)> {
    let files = WalkDir::new(folder).sort_by_file_name().into_iter();
    let files = files.map(|entry| entry.unwrap().into_path());
    let known = files.filter_map(|path| {
        let of = match path.file_name()?.to_str()? {
            "cluster-config.yaml" => SchemaOf::ClusterConfig,
            "platform.yaml" => SchemaOf::Platform,
            _ => return None,
        };
        Some((of, path))
    });
    known.collect()
}

#[test]
fn the_committed_schemas_are_those_of_the_types() {
    let is_overwritten = std::env::var_os("SNAPSHOTS").is_some_and(|it| it == "overwrite");
    for of in SchemaOf::ALL {
        let path = project()
            .join("schemas")
            .join(of.name())
            .with_extension("json");
        if is_overwritten {
            fs::write(&path, of.text()).unwrap();
        }
        let committed = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            committed == of.text(),
            "schemas/{}.json is not of these types: SNAPSHOTS=overwrite cargo test --test schemas",
            of.name()
        );
    }
    let committed = fs::read_dir(project().join("schemas")).unwrap();
    assert_eq!(
        committed.count(),
        SchemaOf::ALL.len(),
        "no schema of nothing"
    );
}

#[test]
fn the_demonstration_files_are_valid_and_name_their_schema_to_editors() {
    let mut files = files_below(&project().join("clusters"));
    files.extend(files_below(&project().join("examples")));
    assert!(files.iter().any(|(of, _)| *of == SchemaOf::Platform));
    for (of, path) in files {
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(wrong(&validator(of), &text), [""; 0], "{}", path.display());

        let mark = "# yaml-language-server: $schema=";
        let named = text.lines().find_map(|line| line.strip_prefix(mark));
        let named = named.unwrap_or_else(|| panic!("{} names no schema", path.display()));
        let named = path.parent().unwrap().join(named).canonicalize().unwrap();
        let expected = project()
            .join("schemas")
            .join(of.name())
            .with_extension("json");
        assert_eq!(
            named,
            expected.canonicalize().unwrap(),
            "{}",
            path.display()
        );
    }
}

/// A schema that is stricter than the reader would mark files in editors that hydrant takes.
#[test]
fn what_hydrant_takes_in_the_stories_the_schemas_take_too() {
    let mut count = 0;
    for verb in fs::read_dir(project().join("tests/cases")).unwrap() {
        let stories = WalkDir::new(verb.unwrap().path()).min_depth(1).max_depth(1);
        for story in stories.into_iter().map(|story| story.unwrap().into_path()) {
            if !story.join("before").is_dir() || story.join("code").exists() {
                continue;
            }
            for (of, path) in files_below(&story.join("before")) {
                let Ok(text) = fs::read_to_string(&path) else {
                    continue;
                };
                // An opted-out cluster may say what it likes in blocks that are not read.
                let is_read = text.contains("enabled: true") || text.contains("Defaults: true");
                if of == SchemaOf::Platform || is_read {
                    count += 1;
                    assert_eq!(wrong(&validator(of), &text), [""; 0], "{}", path.display());
                }
            }
        }
    }
    assert!(count > 40, "only {count} files were looked at");
}

#[test]
fn good_definitions_are_valid() {
    let validator = validator(SchemaOf::ClusterConfig);
    for text in [
        "{name: a}",
        "{name: a, type: kind, somebody: else}",
        "{name: a, type: talos, registryTrust: {enabled: true, host: 'r.example:5000', ca: {secret: a/b}, address: {value: 192.0.2.1}}}",
        "{name: a, type: talos, registryTrust: {enabled: true, address: {serviceNamespace: a, serviceName: b}}}",
        "{name: a, type: talos, registryTrust: {enabled: true, host: '[2001:db8::1]:5000'}}",
        "{name: a, type: talos, platformDefaults: true, talos: {registryMirrors: {'*': {endpoints: [https://a.example]}}}}",
        "{name: a, type: talos, platformDefaults: true, talos: {registryMirrors: {}, installerRepository: 'r.example:5000/talos/installer/'}}",
        "{name: a, versions: {talos: v1.12, kubernetes: v1.34.1}, controlPlane: {replicas: 1, cores: 2}}",
    ] {
        assert_eq!(wrong(&validator, text), [""; 0], "{text}");
    }
}

#[test]
fn bad_definitions_are_found_by_the_schema_alone() {
    let validator = validator(SchemaOf::ClusterConfig);
    let trust =
        |more: &str| format!("{{name: a, type: talos, registryTrust: {{enabled: true, {more}}}}}");
    let talos =
        |more: &str| format!("{{name: a, type: talos, platformDefaults: true, talos: {{{more}}}}}");
    for text in [
        "{}".to_string(),
        "{name: A}".to_string(),
        "{name: a, platformDefaults: true}".to_string(),
        "{name: a, type: kind, platformDefaults: true}".to_string(),
        "{name: a, registryTrust: {enabled: 'true'}}".to_string(),
        "{name: a, registryTrust: }".to_string(),
        "{name: a, manifests: []}".to_string(),
        "{name: a, manifests: [a, a]}".to_string(),
        "{name: a, versions: {talos: latest}}".to_string(),
        "{name: a, os: {schematic_id: abc}}".to_string(),
        trust("hots: a.example"),
        trust("host: https://a.example"),
        trust("host: ''"),
        trust("address: {}"),
        trust("address: {value: 192.0.2.1, secret: a}"),
        trust("address: {value: 192.0.2.1, serviceName: a, serviceNamespace: a}"),
        trust("address: {serviceName: a}"),
        trust("ca: {secret: a}, caSecret: {namespace: a, name: b, key: c}"),
        trust("ca: a"),
        talos("registryMirors: {}"),
        talos("registryMirrors: {'docker.*': {}}"),
        talos("registryMirrors: {ghcr.io: {endpoints: [a.example]}}"),
        talos("registryMirrors: {ghcr.io: {endpoints: https://a.example}}"),
        talos("registryMirrors: {ghcr.io: }"),
        talos("installerRepository: https://a.example/installer"),
        talos("imageFactoryURL: ''"),
    ] {
        assert!(!wrong(&validator, &text).is_empty(), "{text}");
    }
}

#[test]
fn a_platform_must_say_what_it_is() {
    let validator = validator(SchemaOf::Platform);
    let head = "apiVersion: hydrant.dev/v1alpha1\nkind: Platform\n";

    assert_eq!(wrong(&validator, head), [""; 0]);
    for bad in [
        "kind: Platform\n".to_string(),
        head.replace("v1alpha1", "v1"),
        format!("{head}registry: {{}}\n"),
        format!("{head}registries: {{config: {{'*': {{}}}}}}\n"),
        format!("{head}registries: {{config: {{a.example: {{auth: secret}}}}}}\n"),
    ] {
        assert!(!wrong(&validator, &bad).is_empty(), "{bad}");
    }
}

#[test]
fn the_reports_of_the_stories_are_valid() {
    let story = |path: &str| fs::read_to_string(project().join("tests/cases").join(path)).unwrap();
    let explained = story("explain/as-json/stdout");
    assert_eq!(wrong(&validator(SchemaOf::Explain), &explained), [""; 0]);
    let found = story("render/findings-as-json-are-one-object/stderr");
    let found = serde_json::Deserializer::from_str(&found);
    for report in found.into_iter::<Value>() {
        let report = Value::deserialize(report.unwrap()).unwrap().to_string();
        assert_eq!(wrong(&validator(SchemaOf::Findings), &report), [""; 0]);
    }
}
