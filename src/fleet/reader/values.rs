//! Reading single values, lists and mappings with free keys.

use super::{BOOLEAN, Read, Trail, Value};
use crate::diagnostic::Code;
use crate::fleet::{ByKey, ClusterName, HostName, MirrorKey, ObjectName, Placed, SecretKey};
use crate::secret::SecretName;
use crate::yaml::{NodeKind, Reading};
use serde_json::Value as Json;

impl Read for String {
    fn read(value: Value<'_>) -> Option<Self> {
        value.string().map(str::to_owned)
    }
}

impl Read for bool {
    fn read(value: Value<'_>) -> Option<Self> {
        // Talos' reading: only `true` and `false` in their spellings, never `yes` or `on`.
        let read = value.node.resolved().meaning(Reading::Talos).ok();
        let read = read.as_ref().and_then(Json::as_bool);
        if read.is_none() {
            value.wrong_type(BOOLEAN);
        }
        read
    }
}

impl Read for u32 {
    fn read(value: Value<'_>) -> Option<Self> {
        let read = value.node.resolved().meaning(Reading::Talos).ok();
        let read = read.and_then(|number| number.as_u64()?.try_into().ok());
        if read.is_none() {
            value.wrong_type("a whole number");
        }
        read
    }
}

macro_rules! read_names {
    ($($name:ident)+) => {
        $(impl Read for $name {
            fn read(value: Value<'_>) -> Option<Self> {
                value.parsed()
            }
        })+
    };
}

read_names! { ClusterName HostName MirrorKey ObjectName SecretKey }

impl Read for SecretName {
    fn read(value: Value<'_>) -> Option<Self> {
        let text = value.string()?;
        let name = text.parse().ok();
        if name.is_none() {
            let message = format!("is {text:?}, which is not the name of a secret in the store");
            let help = "write the path in `secrets/` without `.age`; it must not leave that folder";
            value.refuse(Code::InvalidValue, message, help);
        }
        name
    }
}

impl<T: Read> Read for Vec<Placed<T>> {
    fn read(value: Value<'_>) -> Option<Self> {
        let node = value.node.resolved();
        if node.kind() != NodeKind::Sequence {
            value.wrong_type("a list");
            return None;
        }
        let items = node.items().enumerate().map(|(index, node)| {
            let item = Value {
                reader: value.reader,
                node,
                trail: Trail::Item(&value.trail, index),
            };
            T::read(item).map(|read| Placed::new(read, item.place()))
        });
        // Every item is read before the verdict, so that every finding is reported.
        items.collect::<Vec<_>>().into_iter().collect()
    }
}

impl<K: Read, V: Read> Read for ByKey<K, V> {
    fn read(value: Value<'_>) -> Option<Self> {
        let node = value.node.resolved();
        if node.kind() != NodeKind::Mapping {
            value.wrong_type("a mapping");
            return None;
        }
        let entries = node.entries().map(|(key, node)| {
            let trail = Trail::Key(&value.trail, key.text().unwrap_or("?"));
            let read = |node| Value {
                node,
                trail,
                ..value
            };
            let key = K::read(read(key)).map(|name| Placed::new(name, read(key).place()));
            let said = V::read(read(node)).map(|said| Placed::new(said, read(node).place()));
            key.zip(said)
        });
        let entries = entries
            .collect::<Vec<_>>()
            .into_iter()
            .collect::<Option<_>>()?;
        Some(Self(entries))
    }
}
