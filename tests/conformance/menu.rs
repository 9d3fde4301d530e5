//! What stands in real manifests besides trust: patches that hydrant must leave alone.

use super::case::Op;
use super::chance::Chance;
use super::units::tree;
use hydrant::talos::TalosVersion;
use serde_json::{Value, json};

/// An operation on a path that hydrant does not own, and that every base has the parent of.
pub(crate) fn operation(chance: &mut Chance) -> Op {
    let (path, value) = chance
        .pick(&[
            ("/machine/sysctls", json!({"net.core.somaxconn": "65535", "vm.max_map_count": "262144"})),
            ("/machine/kubelet", json!({"extraArgs": {"rotate-server-certificates": "true"}})),
            ("/machine/time", json!({"servers": ["192.0.2.123"]})),
            ("/machine/nodeLabels", json!({"topology.example/zone": "a"})),
            ("/machine/install/disk", json!("/dev/vda")),
            ("/machine/files", json!([{"content": "a\nb\n", "permissions": 420, "path": "/var/x", "op": "create"}])),
            ("/machine/registriesX", Value::Null),
            ("/cluster/proxy", json!({"disabled": true})),
            ("/cluster/network", json!({"cni": {"name": "none"}, "dnsDomain": "cluster.local"})),
            ("/debug", json!(false)),
        ])
        .clone();
    if value.is_null() {
        // A path that only looks owned.
        return Op::add(
            "/machine/nodeAnnotations",
            tree(json!({"machine/registries": "/machine/registries"})),
        );
    }
    Op {
        op: if chance.percent(85) { "add" } else { "replace" },
        path: path.into(),
        value: Some(tree(value)),
    }
}

/// A patch on an ancestor that neither carries nor erases what is owned, as long as it comes first.
pub(crate) fn harmless_ancestor() -> Op {
    Op::add(
        "/machine/network",
        tree(json!({"nameservers": ["192.0.2.53", "192.0.2.54"]})),
    )
}

/// A strategic patch of v1alpha1 fields that hydrant does not own.
pub(crate) fn fields(chance: &mut Chance) -> Value {
    chance
        .pick(&[
            json!({"machine": {"sysctls": {"fs.inotify.max_user_instances": "8192"}}}),
            json!({"machine": {"network": {"nameservers": ["192.0.2.53"]}}}),
            json!({"machine": {"kubelet": {"extraArgs": {"rotate-server-certificates": "true"}}}, "cluster": {}}),
            json!({"cluster": {"network": {"cni": {"name": "none"}}, "proxy": {"disabled": true}}}),
            json!({"machine": {"files": [{"content": "a: |\n  b\n", "permissions": 420, "path": "/var/y", "op": "create"}]}}),
            json!({"version": "v1alpha1", "machine": {"time": {"servers": ["192.0.2.123"]}}}),
            json!({"debug": false}),
        ])
        .clone()
}

/// Documents of other kinds, each with the first Talos minor that loads it.
pub(crate) fn documents() -> Vec<((u32, u32), Value)> {
    let document = |kind: &str, rest: Value| {
        let mut document = json!({"apiVersion": "v1alpha1", "kind": kind});
        super::units::merge(&mut document, rest);
        document
    };
    vec![
        (
            (1, 9),
            document(
                "VolumeConfig",
                json!({"name": "EPHEMERAL", "provisioning": {"maxSize": "10GiB"}}),
            ),
        ),
        (
            (1, 9),
            document(
                "KmsgLogConfig",
                json!({"name": "remote", "url": "udp://192.0.2.9:514"}),
            ),
        ),
        (
            (1, 9),
            document("NetworkDefaultActionConfig", json!({"ingress": "block"})),
        ),
        (
            (1, 10),
            document(
                "UserVolumeConfig",
                json!({"name": "data", "provisioning":
            {"diskSelector": {"match": "!system_disk"}, "minSize": "1GiB"}}),
            ),
        ),
        (
            (1, 11),
            document("ZswapConfig", json!({"maxPoolPercent": 20})),
        ),
        (
            (1, 12),
            document(
                "ResolverConfig",
                json!({"nameservers": [{"address": "192.0.2.53"}]}),
            ),
        ),
        (
            (1, 12),
            document(
                "HostnameConfig",
                json!({"auto": "off", "hostname": "edge-1"}),
            ),
        ),
        (
            (1, 13),
            document("EnvironmentConfig", json!({"variables": {"A": "b"}})),
        ),
    ]
}

/// A document of another kind that node and provider of these minors load.
pub(crate) fn document(chance: &mut Chance, minor: (u32, u32)) -> Value {
    let known: Vec<_> = documents()
        .into_iter()
        .filter(|(since, _)| *since <= minor)
        .collect();
    chance.pick(&known).1.clone()
}

/// A whole machine config, as a person hands it over with `generateType: none`.
pub(crate) fn base(is_control_plane: bool) -> Value {
    let pair = json!({"crt": "AAAA", "key": "AAAA"});
    let mut config = json!({
        "version": "v1alpha1",
        "machine": {
            "type": if is_control_plane { "controlplane" } else { "worker" },
            "token": "abcdef.0123456789abcdef",
            "ca": if is_control_plane { pair.clone() } else { json!({"crt": "AAAA"}) },
            "network": {},
            "install": {"disk": "/dev/vda"},
        },
        "cluster": {"controlPlane": {"endpoint": "https://192.0.2.1:6443"}},
    });
    if is_control_plane {
        config["cluster"]["ca"] = pair;
    }
    config
}

/// The minor of the kinds that the target's node and every provider that may build it load.
pub(crate) fn common_minor(talos: Option<TalosVersion>, provider: Option<&str>) -> (u32, u32) {
    match (talos.map(|talos| talos.minor), provider.map(minor_of)) {
        (Some(talos), Some(provider)) => talos.min(provider),
        (Some(talos), None) if talos < (1, 12) => (1, 9),
        (Some(talos), None) => talos,
        (None, provider) => provider.unwrap_or((1, 9)),
    }
}

/// The minor of the kinds that hydrant can know to be too new.
pub(crate) fn known_minor(talos: Option<TalosVersion>, provider: Option<&str>) -> (u32, u32) {
    let talos = talos.map_or((1, 13), |talos| talos.minor);
    provider.map_or(talos, |provider| talos.min(minor_of(provider)))
}

fn minor_of(provider: &str) -> (u32, u32) {
    match provider {
        "v0.6.4" | "v0.6.7" => (1, 9),
        "v0.6.10" => (1, 11),
        "v0.6.11" => (1, 12),
        _ => (1, 13),
    }
}
