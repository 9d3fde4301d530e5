//! JSON Schemas of the files that hydrant reads and of the reports that it writes, made from the types.

use super::{Explanation, Report};
use crate::fleet::{ClusterDefinition, Platform};
use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

/// What there is a schema of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaOf {
    /// `cluster-config.yaml`.
    ClusterConfig,
    /// `platform.yaml`.
    Platform,
    /// Findings with `--format json`.
    Findings,
    /// `hydrant explain` with `--format json`.
    Explain,
}

impl SchemaOf {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::ClusterConfig,
        Self::Platform,
        Self::Findings,
        Self::Explain,
    ];

    /// Its name, which is its file's in `schemas/` without `.json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClusterConfig => "cluster-config",
            Self::Platform => "platform",
            Self::Findings => "findings",
            Self::Explain => "explain",
        }
    }

    /// What it describes, in a few words.
    pub fn describes(self) -> &'static str {
        match self {
            Self::ClusterConfig => "a cluster's definition, `cluster-config.yaml`",
            Self::Platform => "the platform's defaults, `platform.yaml`",
            Self::Findings => "findings on stderr with `--format json`",
            Self::Explain => "the answer of `hydrant explain --format json`",
        }
    }

    /// The one of that name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }

    /// The schema, draft 2020-12, as JSON with a line feed at its end.
    pub fn text(self) -> String {
        let schema = match self {
            Self::ClusterConfig => of_file::<ClusterDefinition>(),
            Self::Platform => of_file::<Platform>(),
            Self::Findings => of_report::<Report>(),
            Self::Explain => of_report::<Explanation>(),
        };
        let text = serde_json::to_string_pretty(&schema).expect("a schema is JSON");
        text + "\n"
    }
}

fn of_file<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().with_transform(AsRead);
    settings.into_generator().into_root_schema_for::<T>()
}

fn of_report<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let settings = settings.with_transform(WithoutNull);
    settings.into_generator().into_root_schema_for::<T>()
}

/// An optional value is said or left out; null is neither.
#[derive(Clone, Debug)]
struct WithoutNull;

impl Transform for WithoutNull {
    fn transform(&mut self, schema: &mut Schema) {
        if let Some(fields) = schema.as_object_mut() {
            drop_null(fields);
        }
        transform_subschemas(self, schema);
    }
}

/// A file is read without null, and without empty strings.
#[derive(Clone, Debug)]
struct AsRead;

impl Transform for AsRead {
    fn transform(&mut self, schema: &mut Schema) {
        if let Some(fields) = schema.as_object_mut() {
            drop_null(fields);
            let is_open = !["pattern", "const", "enum"]
                .iter()
                .any(|key| fields.contains_key(*key));
            if fields.get("type") == Some(&json!("string")) && is_open {
                fields.insert("minLength".into(), json!(1));
            }
        }
        transform_subschemas(self, schema);
    }
}

fn drop_null(fields: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = fields.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = &types[..] {
            let only = only.clone();
            fields.insert("type".into(), only);
        }
    }
    let is_null = |schema: &Value| schema.get("type") == Some(&json!("null"));
    let Some(Value::Array(choices)) = fields.get_mut("anyOf") else {
        return;
    };
    let count = choices.len();
    choices.retain(|choice| !is_null(choice));
    if let [Value::Object(only)] = &choices[..]
        && count > 1
    {
        let only = only.clone();
        fields.remove("anyOf");
        fields.extend(only);
    }
}
