//! The configs that the bootstrap provider generates, before any patch.
//!
//! Values are stand-ins: a patch list does not see them, unless it replaces them.
//!
//! Measured: the generators of CABPT v0.6.7, v0.6.10, v0.6.11 and v0.6.12 (Talos' machinery v1.9.0,
//! v1.11.0, v1.12.0 and v1.13.0), for contracts 1.2 to 1.14, both roles.

use super::target::Role;
use crate::talos::{ProviderVersion, TalosVersion};
use serde_json::{Value, json};

/// A config that patches are applied to.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Base {
    /// Who makes it, for people: a release of the provider, or `data`.
    pub(super) maker: String,
    /// Its v1alpha1 document, as JSON.
    pub(super) document: Value,
}

/// The releases of the provider that were measured.
const RELEASES: [&str; 4] = ["v0.6.7", "v0.6.10", "v0.6.11", "v0.6.12"];

/// From this minor on a base has several documents, by a machinery that knows it.
const SEVERAL: u32 = 12;

/// The bases that take JSON patches: those of one document.
pub(super) fn of_one_document(role: Role, talos: Option<TalosVersion>) -> Vec<Base> {
    generated(role, talos, false)
}

/// The v1alpha1 documents of the bases that take no JSON patches.
pub(super) fn of_several_documents(role: Role, talos: Option<TalosVersion>) -> Vec<Base> {
    generated(role, talos, true)
}

fn generated(role: Role, talos: Option<TalosVersion>, several: bool) -> Vec<Base> {
    let contracts = RELEASES.map(|release| {
        let provider = ProviderVersion::parse(release).expect("a release is a version");
        let machinery = minor(provider.machinery());
        let contract = talos.map_or(machinery, minor).min(machinery);
        (release, contract)
    });
    let wanted = contracts
        .into_iter()
        .filter(|(_, contract)| (*contract >= SEVERAL) == several);
    let base = |(release, contract)| Base {
        maker: format!("CABPT {release}"),
        document: document(role, contract),
    };
    wanted.map(base).collect()
}

/// The minor of a version 1.x; an older one counts as the oldest, a newer one as the newest.
fn minor(talos: TalosVersion) -> u32 {
    match talos.minor {
        (0, _) => 0,
        (1, minor) => minor,
        _ => u32::MAX,
    }
}

fn document(role: Role, contract: u32) -> Value {
    let is_control_plane = role == Role::ControlPlane;
    json!({
        "version": "v1alpha1",
        "debug": false,
        "persist": true,
        "machine": machine(is_control_plane, contract),
        "cluster": cluster(is_control_plane, contract),
    })
}

fn machine(is_control_plane: bool, contract: u32) -> Value {
    let kind = if is_control_plane {
        "controlplane"
    } else {
        "worker"
    };
    let key = if is_control_plane { "key" } else { "" };
    let mut machine = json!({
        "type": kind,
        "token": "token",
        "ca": {"crt": "crt", "key": key},
        "certSANs": [],
        "kubelet": {"image": "image", "defaultRuntimeSeccompProfileEnabled": true},
        "network": {},
        "install": {"wipe": false},
        "features": features(contract),
    });
    if contract >= 3 {
        machine["kubelet"]["disableManifestsDirectory"] = json!(true);
    } else {
        machine["registries"] = json!({"mirrors": {"k8s.gcr.io": {
            "endpoints": ["https://registry.k8s.io", "https://k8s.gcr.io"],
        }}});
    }
    if contract >= 8 && is_control_plane {
        let label = "node.kubernetes.io/exclude-from-external-load-balancers";
        machine["nodeLabels"] = json!({label: ""});
    }
    if contract >= SEVERAL {
        machine["install"]["grubUseUKICmdline"] = json!(true);
    }
    // From 1.13 on `network` is absent unless the provider sets a host name. Empty and absent are the
    // same machine, and the empty one says what a patch would find in either case.
    machine
}

fn features(contract: u32) -> Value {
    let mut features = json!({});
    if contract < SEVERAL {
        features["rbac"] = json!(true);
        features["stableHostname"] = json!(true);
        if contract >= 3 {
            features["apidCheckExtKeyUsage"] = json!(true);
        }
    }
    if contract >= 5 {
        features["diskQuotaSupport"] = json!(true);
    }
    if contract >= 6 {
        features["kubePrism"] = json!({"enabled": true, "port": 7445});
    }
    if contract >= 7 {
        features["hostDNS"] = json!({"enabled": true});
    }
    if contract >= 8 {
        features["hostDNS"]["forwardKubeDNSToHost"] = json!(true);
    }
    features
}

fn cluster(is_control_plane: bool, contract: u32) -> Value {
    let mut cluster = json!({
        "id": "id",
        "secret": "secret",
        "controlPlane": {"endpoint": "https://192.0.2.1:6443"},
        "network": {
            "dnsDomain": "cluster.local",
            "podSubnets": ["10.244.0.0/16"],
            "serviceSubnets": ["10.96.0.0/12"],
        },
        "token": "token",
        "ca": {"crt": "crt", "key": if is_control_plane { "key" } else { "" }},
        "discovery": {
            "enabled": true,
            "registries": {"kubernetes": {"disabled": true}, "service": {}},
        },
    });
    if is_control_plane || contract >= 8 {
        cluster["clusterName"] = json!("cluster");
    }
    if is_control_plane {
        control_plane(&mut cluster, contract);
    }
    cluster
}

fn control_plane(cluster: &mut Value, contract: u32) {
    let encryption = if contract >= 3 {
        "secretboxEncryptionSecret"
    } else {
        "aescbcEncryptionSecret"
    };
    cluster[encryption] = json!("secret");
    cluster["aggregatorCA"] = json!({"crt": "crt", "key": "key"});
    cluster["serviceAccount"] = json!({"key": "key"});
    cluster["etcd"] = json!({"ca": {"crt": "crt", "key": "key"}});
    for component in ["apiServer", "controllerManager", "proxy", "scheduler"] {
        cluster[component] = json!({"image": "image"});
    }
    let server = &mut cluster["apiServer"];
    server["admissionControl"] = json!([{"name": "PodSecurity", "configuration": pod_security()}]);
    if contract >= 3 {
        let rules = json!([{"level": "Metadata"}]);
        server["auditPolicy"] =
            json!({"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "rules": rules});
    }
    if contract < SEVERAL {
        server["certSANs"] = json!(["192.0.2.1"]);
        server["disablePodSecurityPolicy"] = json!(true);
    }
}

fn pod_security() -> Value {
    json!({
        "apiVersion": "pod-security.admission.config.k8s.io/v1alpha1",
        "kind": "PodSecurityConfiguration",
        "defaults": {
            "audit": "restricted",
            "audit-version": "latest",
            "enforce": "baseline",
            "enforce-version": "latest",
            "warn": "restricted",
            "warn-version": "latest",
        },
        "exemptions": {
            "namespaces": ["kube-system"],
            "runtimeClasses": [],
            "usernames": [],
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn makers(bases: &[Base]) -> Vec<&str> {
        bases.iter().map(|base| base.maker.as_str()).collect()
    }

    #[test]
    fn the_contract_and_the_release_decide_how_many_documents_there_are() {
        let of = |text| TalosVersion::parse(text);
        let role = Role::Worker;

        assert_eq!(of_one_document(role, of("v1.11.6")).len(), 4);
        assert_eq!(
            makers(&of_one_document(role, of("v1.13"))),
            ["CABPT v0.6.7", "CABPT v0.6.10"]
        );
        assert_eq!(
            makers(&of_several_documents(role, of("v1.13"))),
            ["CABPT v0.6.11", "CABPT v0.6.12"]
        );
        assert_eq!(
            makers(&of_one_document(role, None)),
            ["CABPT v0.6.7", "CABPT v0.6.10"]
        );
    }

    #[test]
    fn registries_are_there_only_up_to_1_2() {
        let registries = |text| {
            let base = &of_one_document(Role::ControlPlane, TalosVersion::parse(text))[0];
            base.document["machine"].get("registries").is_some()
        };

        assert!(registries("v1.2"));
        assert!(!registries("v1.3"));
        assert!(!registries("v1.11"));
    }
}
