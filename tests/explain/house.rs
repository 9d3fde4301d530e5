//! A repository of one cluster with the shared store of the stories, and the program in it.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const HEAD: &str = "apiVersion: hydrant.dev/v1alpha1\nkind: Platform\n";

/// A control plane without patches.
pub(crate) fn control_plane(talos: &str) -> String {
    format!(
        "apiVersion: controlplane.cluster.x-k8s.io/v1alpha3\nkind: TalosControlPlane\n\
         metadata: {{name: a}}\nspec:\n  controlPlaneConfig:\n    controlplane:\n      \
         generateType: controlplane\n      talosVersion: {talos}\n"
    )
}

pub(crate) struct House {
    folder: TempDir,
}

impl House {
    /// The cluster `a` with `definition` behind its name and type, and a platform unless it is empty.
    pub(crate) fn new(definition: &str, platform: &str, manifest: &str) -> Self {
        let house = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        let clusters = house.folder.path().join("clusters");
        fs::create_dir_all(clusters.join("a")).unwrap();
        fs::create_dir_all(clusters.join("secrets")).unwrap();
        let definition = format!("name: a\ntype: talos\n{definition}");
        fs::write(clusters.join("a/cluster-config.yaml"), definition).unwrap();
        fs::write(clusters.join("a/cluster-base.yaml"), manifest).unwrap();
        if !platform.is_empty() {
            fs::write(clusters.join("platform.yaml"), format!("{HEAD}{platform}")).unwrap();
        }
        let store = shared().join("before/clusters/secrets");
        for file in fs::read_dir(store).unwrap().map(Result::unwrap) {
            fs::copy(file.path(), clusters.join("secrets").join(file.file_name())).unwrap();
        }
        house
    }

    /// Runs the program without any key.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_hydrant"))
            .current_dir(self.folder.path())
            .env_clear()
            .env("HOME", self.folder.path())
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    /// The manifest, hydrated with the store's key.
    pub(crate) fn render(&self) -> String {
        let key = shared().join("test-key.txt");
        let output = self.run(&["render", "a", "-q", "-i", key.to_str().unwrap()]);
        assert!(output.status.success(), "{}", stderr(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The explanation for programs.
    pub(crate) fn explain(&self, arguments: &[&str]) -> Value {
        let arguments = [&["explain", "a", "--format", "json", "-q"], arguments].concat();
        let output = self.run(&arguments);
        assert!(output.status.success(), "{}", stderr(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// What seals a value for the shared key and puts it into the store.
    pub(crate) fn seal(&self, name: &str, value: &str) {
        let file = self.folder.path().join("value");
        fs::write(&file, value).unwrap();
        let status = Command::new(env!("CARGO_BIN_EXE_hydrant"))
            .current_dir(self.folder.path())
            .env_clear()
            .args(["secret", "set", name])
            .stdin(fs::File::open(&file).unwrap())
            .output()
            .unwrap();
        assert!(status.status.success(), "{}", stderr(&status));
        fs::remove_file(file).unwrap();
    }
}

pub(crate) fn shared() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/_shared")
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
