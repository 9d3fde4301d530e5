//! A fleet to measure on: clusters as people write them, made from a number.

use hydrant::edge::disk::Overwrite;
use hydrant::edge::vault::{Form, NewIdentity, Seal, Store};
use hydrant::secret::Secret;
use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::{fs, io};

/// Half of the clusters opt in; every seventh manifest has CRLF line endings.
pub(crate) struct Fleet {
    folder: tempfile::TempDir,
    pub(crate) clusters: usize,
}

impl Fleet {
    pub(crate) fn generate(clusters: usize) -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let fleet = Self { folder, clusters };
        fleet.make_store();
        for n in 0..clusters {
            let folder = fleet.root().join(name(n));
            fs::create_dir_all(&folder)?;
            fs::write(folder.join("cluster-config.yaml"), definition(n))?;
            fs::write(folder.join("cluster-base.yaml"), manifest(n))?;
        }
        Ok(fleet)
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("clusters")
    }

    pub(crate) fn identity(&self) -> PathBuf {
        self.folder.path().join("identity.txt")
    }

    /// Every definition and manifest, for a program that reads them all.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let files = |n| {
            let folder = self.root().join(name(n));
            [
                folder.join("cluster-config.yaml"),
                folder.join("cluster-base.yaml"),
            ]
        };
        (0..self.clusters).flat_map(files).collect()
    }

    fn make_store(&self) {
        let root = self.root();
        fs::create_dir_all(&root).expect("the temporary folder is writable");
        let identity = NewIdentity::generate().expect("this process can be closed to dumps");
        identity
            .write(&self.identity(), &root.join("secrets"))
            .expect("a new file");
        let recipients = format!("{}\n", identity.recipient());
        let store = Store::create(&root.join("secrets"), &recipients).expect("a new store");
        let (name, ca) = (
            "registry-ca".parse().expect("a name"),
            Secret::new(ca().into_bytes()),
        );
        store
            .write(
                &name,
                &ca,
                &Seal::Recipients,
                Form::Binary,
                Overwrite::Never,
            )
            .expect("a new secret");
    }
}

fn ca() -> String {
    let mut params = CertificateParams::new(Vec::new()).expect("no names to refuse");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().expect("a key");
    params.self_signed(&key).expect("a certificate").pem()
}

fn name(n: usize) -> String {
    format!("edge-{n:05}")
}

fn definition(n: usize) -> String {
    let name = name(n);
    let trust = if n.is_multiple_of(2) {
        "registryTrust:\n  enabled: true\n  host: registry.example.internal\n  \
         ca: {secret: registry-ca}\n  address: {value: 198.51.100.27}\n"
    } else {
        ""
    };
    format!(
        "# {name}: generated to measure on\nname: {name}\ntype: talos\n{trust}\
         controlPlane: {{replicas: 3, cores: 4, memory: 8Gi, disk: 20Gi}}\n\
         workers: {{replicas: 5, cores: 8, memory: 16Gi, disk: 40Gi}}\n\
         versions: {{kubernetes: v1.31.4, talos: v1.9.5}}\n\
         os: {{distribution: ok-linux, profile: kubevirt}}\n\
         network: {{endpoint: 192.0.2.204, podCIDR: 10.35.0.0/16, serviceCIDR: 10.96.48.0/20}}\n\
         nodeSelector: ok-infra\n"
    )
}

/// About 6 KB in eight documents, two of which are targets.
pub(crate) fn manifest(n: usize) -> String {
    let name = name(n);
    let mut text = format!(
        "# {name}: generated to measure on\n---\napiVersion: v1\nkind: Namespace\nmetadata:\n  \
         name: {name}\n  labels: {{team: \"größe-{n}\"}}\n---\n\
         apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata:\n  name: {name}\n  \
         namespace: {name}\nspec:\n  clusterNetwork:\n    pods: {{cidrBlocks: [10.35.0.0/16]}}\n    \
         services: {{cidrBlocks: [10.96.48.0/20]}}\n"
    );
    for role in ["cp", "workers"] {
        machine_template(&mut text, &name, role);
    }
    target(
        &mut text,
        &name,
        "controlplane.cluster.x-k8s.io/v1alpha3",
        "TalosControlPlane",
    );
    target(
        &mut text,
        &name,
        "bootstrap.cluster.x-k8s.io/v1alpha3",
        "TalosConfigTemplate",
    );
    for job in ["health", "backup"] {
        let _ = write!(
            text,
            "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}-{job}\ndata:\n  \
             script.sh: |\n    #!/bin/sh\n    # what it does\n    set -eu\n    echo {job} {n}\n"
        );
    }
    if n.is_multiple_of(7) {
        text.replace('\n', "\r\n")
    } else {
        text
    }
}

fn machine_template(text: &mut String, name: &str, role: &str) {
    let _ = write!(
        text,
        "---\napiVersion: infrastructure.cluster.x-k8s.io/v1alpha1\nkind: KubevirtMachineTemplate\n\
         metadata:\n  name: {name}-{role}\n  namespace: {name}\nspec:\n  template:\n    spec:\n"
    );
    for volume in 0..12 {
        let _ = write!(
            text,
            "      volume{volume}:\n        name: disk-{volume}   # a disk\n        \
             source: {{dataVolume: {{name: {name}-{role}-{volume}}}}}\n        bus: virtio\n"
        );
    }
}

fn target(text: &mut String, name: &str, api: &str, kind: &str) {
    let (nesting, indentation) = match kind {
        "TalosControlPlane" => (
            "  replicas: 3\n  controlPlaneConfig:\n    controlplane:\n",
            6,
        ),
        _ => ("  template:\n    spec:\n", 6),
    };
    let role = if kind == "TalosControlPlane" {
        "controlplane"
    } else {
        "worker"
    };
    let _ = write!(
        text,
        "---\napiVersion: {api}\nkind: {kind}\nmetadata:\n  name: {name}-{role}\n  namespace: {name}\n\
         spec:\n{nesting}"
    );
    let pad = " ".repeat(indentation);
    let _ = write!(
        text,
        "{pad}generateType: {role}\n{pad}talosVersion: v1.9.5\n{pad}configPatches:\n"
    );
    for (path, value) in [
        ("/cluster/network/cni", "{name: none}"),
        ("/cluster/proxy", "{disabled: true}"),
        ("/machine/features/hostDNS", "{enabled: false}"),
    ] {
        let _ = write!(
            text,
            "{pad}- op: add\n{pad}  path: {path}\n{pad}  value: {value}\n"
        );
    }
}
