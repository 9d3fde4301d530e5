use super::*;

pub(super) const PARENTS: &[OwnedParent] = &OwnedParent::ALL;

pub(super) const HEAD: &str = "\
apiVersion: bootstrap.cluster.x-k8s.io/v1alpha3
kind: TalosConfigTemplate
metadata: {name: workers}
spec:
  template:
    spec: # the workers
";

/// A worker template whose spec is `spec`, which begins at column 6.
fn file(spec: &str) -> Arc<SourceFile> {
    Arc::new(SourceFile::new("m.yaml", format!("{HEAD}{spec}")))
}

pub(in crate::manifest) fn request(to: Option<&str>) -> FixRequest<'_> {
    FixRequest {
        parents: PARENTS,
        provider: None,
        to: to.map(|to| (TalosVersion::parse(to).unwrap(), to)),
    }
}

/// The spec after the repair.
pub(in crate::manifest) fn fixed(spec: &str, request: FixRequest<'_>) -> String {
    let file = file(spec);
    let fix = fix(&file, request).unwrap();
    let text = apply(file.text(), &fix.edits).unwrap();
    text.strip_prefix(HEAD).unwrap().to_string()
}

/// What is found, and the committed text at each of its places.
pub(in crate::manifest) fn refused(
    spec: &str,
    request: FixRequest<'_>,
) -> Vec<(Code, Vec<String>)> {
    let file = file(spec);
    let findings = fix(&file, request).unwrap_err();
    let text = |place: &Place| file.text()[place.span.clone().unwrap()].to_string();
    let one = |it: Diagnostic| (it.code, it.places.iter().map(text).collect());
    findings.into_iter().map(one).collect()
}

#[test]
fn patches_inside_move_into_their_parent_and_every_other_byte_stays() {
    let spec = "      generateType: worker
      talosVersion: v1.11.6
      configPatches:
        # the parent
        - op: add
          path: '/machine/registries'
          value:
            mirrors: {a: {endpoints: []}} # why
        - {op: add, path: /machine/sysctls, value: {x: \"1\"}}
        # one more
        - op: add
          path: /machine/registries/mirrors/b~1c
          value: {endpoints: []}
";
    let expected = spec
        .replace(
            "{a: {endpoints: []}}",
            "{a: {endpoints: []}, b/c: {endpoints: []}}",
        )
        .replace(
            "        - op: add
          path: /machine/registries/mirrors/b~1c
          value: {endpoints: []}
",
            "",
        );

    assert_eq!(fixed(spec, request(None)), expected);
    assert_eq!(fixed(&expected, request(None)), expected);
}

#[test]
fn a_list_that_hydration_takes_is_not_touched() {
    for spec in [
        "      generateType: worker\n",
        "      {generateType: worker, talosVersion: v1.9, configPatches: [{op: add, path: /machine/registries, value: {}}]}\n",
        // Without a version nothing is decided, and nothing has to be.
        "      generateType: worker\n      configPatches: [{op: add, path: /machine/sysctls, value: {}}]\n",
    ] {
        assert_eq!(fixed(spec, request(None)), spec);
    }
}

#[test]
fn only_the_parents_that_hydration_writes_to_are_consolidated() {
    let spec = "      generateType: worker
      talosVersion: v1.9
      configPatches:
        - {op: add, path: /machine/registries, value: {}}
        - {op: add, path: /machine/registries, value: {mirrors: {}}}
";
    let only = FixRequest {
        parents: &[OwnedParent::HostEntries],
        ..request(None)
    };

    assert_eq!(fixed(spec, only), spec);
    assert_ne!(fixed(spec, request(None)), spec);
}

#[test]
fn a_list_that_fails_on_every_base_is_refused_at_the_patch_that_fails() {
    let spec = "      generateType: worker
      talosVersion: v1.9
      configPatches:
        - {op: add, path: /machine/registries/mirrors, value: {}}
        - {op: add, path: /machine/registries, value: {}}
";

    assert_eq!(
        refused(spec, request(None)),
        [(
            Code::NotProvable,
            vec!["/machine/registries/mirrors".to_string()]
        )]
    );
    let to = request(Some("v1.13.2"));
    assert_eq!(refused(spec, to)[0].0, Code::NotProvable);
}

#[test]
fn of_given_data_its_own_content_is_the_base() {
    let spec = "      generateType: none
      talosVersion: v1.11
      data: |
        machine: {type: worker, registries: {mirrors: {a: {endpoints: []}}}}
      configPatches:
        - {op: add, path: /machine/registries/mirrors/b, value: {endpoints: []}}
";
    let expected = spec.replace(
        "{op: add, path: /machine/registries/mirrors/b, value: {endpoints: []}}",
        "{op: add, path: /machine/registries, value: {mirrors: {a: {endpoints: []}, b: {endpoints: []}}}}",
    );
    let file = file(spec);
    let fix = fix(&file, request(None)).unwrap();

    assert_eq!(
        *apply(file.text(), &fix.edits).unwrap(),
        format!("{HEAD}{expected}")
    );
    assert_eq!(fix.targets[0].proven_on, ["its own `data`"]);
}

#[test]
fn given_data_keeps_its_json_patches_at_any_version() {
    let spec = "      generateType: none
      talosVersion: v1.11
      data: |
        machine: {type: worker}
      configPatches:
        - {op: add, path: /machine/registries, value: {}}
";

    assert_eq!(
        fixed(spec, request(Some("v1.13.2"))),
        spec.replace("v1.11", "v1.13.2")
    );
}

#[test]
fn on_several_documents_json_patches_are_found_and_only_a_version_migrates_them() {
    let spec = "      generateType: worker
      talosVersion: 'v1.12.2'
      configPatches:
      - {op: add, path: /machine/registries, value: {mirrors: {a: {endpoints: ['https://m.example']}}}}
";
    let found = refused(spec, request(None));
    assert_eq!(found[0].0, Code::JsonPatchOnDocuments);

    let after = fixed(spec, request(Some("v1.12.2")));
    assert_eq!(
        after,
        "      generateType: worker
      talosVersion: 'v1.12.2'
      strategicPatches:
        - |
          apiVersion: v1alpha1
          kind: RegistryMirrorConfig
          name: a
          endpoints:
            - url: https://m.example
"
    );
}

#[test]
fn what_crashes_on_documents_gets_fields() {
    let spec = "      generateType: worker
      talosVersion: v1.11.6
      configPatches:
        - {op: add, path: /machine/registries, value: {mirrors: {a: {endpoints: ['https://m.example']}}}}
";
    for version in ["v1.12", "v1.12.0", "v1.12.1"] {
        let after = fixed(spec, request(Some(version)));
        assert!(
            after.contains("        - |\n          machine:\n"),
            "{after}"
        );
    }
    let old = FixRequest {
        provider: ProviderVersion::parse("v0.6.10"),
        ..request(Some("v1.13.2"))
    };
    assert!(fixed(spec, old).contains("        - |\n          machine:\n"));
    let oldest = FixRequest {
        provider: ProviderVersion::parse("v0.6.4"),
        ..old
    };
    assert_eq!(refused(spec, oldest)[0].0, Code::NoStrategicPatches);
}

#[test]
fn new_patches_come_behind_those_that_are_there() {
    let spec = "      generateType: worker
      talosVersion: v1.11.6
      strategicPatches:
      - |
        # as it is
        machine: {sysctls: {a: '1'}}
      configPatches:
        - {op: add, path: /machine/sysctls, value: {b: '1'}}
";

    // The JSON patch came first and set the whole mapping; the merge keeps both keys either way.
    assert_eq!(
        fixed(spec, request(Some("v1.13.2"))),
        "      generateType: worker
      talosVersion: v1.13.2
      strategicPatches:
      - |
        # as it is
        machine: {sysctls: {a: '1'}}
      - |
        machine:
          sysctls:
            b: \"1\"
"
    );
}

#[test]
fn where_the_order_counts_it_is_not_turned_around() {
    let spec = "      generateType: worker
      talosVersion: v1.11.6
      strategicPatches:
      - 'machine: {registries: {mirrors: {a: {endpoints: [https://a.example]}}}}'
      configPatches:
        - {op: add, path: /machine/registries, value: {mirrors: {a: {endpoints: ['https://b.example']}}}}
";

    assert_eq!(
        refused(spec, request(Some("v1.13.2")))[0].0,
        Code::NotProvable
    );
}

#[test]
fn fields_that_are_there_are_not_hidden_by_documents() {
    let spec = "      generateType: worker
      talosVersion: v1.11.6
      strategicPatches:
      - 'machine: {registries: {config: {r: {auth: {auth: dTpw}}}}}'
      configPatches:
        - {op: add, path: /machine/registries, value: {config: {r: {auth: {username: u}}, s: {auth: {auth: eTp6}}}}}
";
    let after = fixed(spec, request(Some("v1.13.2")));

    assert!(!after.contains("RegistryAuthConfig"), "{after}");
    assert!(after.contains("username: u"), "{after}");
}

#[test]
fn patches_that_no_merge_can_say_are_listed() {
    let spec = "      generateType: worker
      talosVersion: v1.11.6
      configPatches:
        - {op: add, path: /machine/registries, value: {mirrors: {}}}
        - {op: remove, path: /machine/kubelet/disableManifestsDirectory}
        - {op: add, path: /machine/network/hostname, value: h}
        - {op: add, path: /machine/sysctls, value: {a: '1'}}
";

    assert_eq!(
        refused(spec, request(Some("v1.13.2"))),
        [(
            Code::ForeignJsonPatches,
            vec![
                "/machine/kubelet/disableManifestsDirectory".to_string(),
                "/machine/network/hostname".to_string()
            ]
        )]
    );
}

#[test]
fn a_patch_that_sets_a_whole_mapping_takes_away_what_was_in_it_first() {
    // A worker's base says nothing about the proxy.
    let spec = "      generateType: worker
      talosVersion: v1.11.6
      configPatches:
        - {op: add, path: /cluster/proxy, value: {disabled: true}}
        - {op: add, path: /machine/features/hostDNS, value: {enabled: false}}
";

    assert_eq!(
        fixed(spec, request(Some("v1.13.2"))),
        "      generateType: worker
      talosVersion: v1.13.2
      strategicPatches:
        - |
          machine:
            features:
              hostDNS:
                \"$patch\": delete
        - |
          machine:
            features:
              hostDNS:
                enabled: false
          cluster:
            proxy:
              disabled: true
"
    );
}

#[test]
fn a_version_is_set_in_its_place_and_never_back() {
    let to = request(Some("v1.13.2"));

    assert_eq!(
        fixed(
            "      {generateType: worker, talosVersion: \"v1.9\"} # c\n",
            to
        ),
        "      {generateType: worker, talosVersion: \"v1.13.2\"} # c\n"
    );
    assert_eq!(
        fixed("      generateType: worker\n", to),
        "      generateType: worker\n      talosVersion: v1.13.2\n"
    );
    let later = "      generateType: worker\n      talosVersion: v1.14.0\n";
    assert_eq!(
        refused(later, to),
        [(Code::NotProvable, vec!["v1.14.0".to_string()])]
    );
}

#[test]
fn comments_that_go_are_told_and_those_on_lines_of_their_own_stay() {
    let spec = "      generateType: worker
      talosVersion: v1.9
      configPatches:
        # stays
        - {op: add, path: /machine/registries, value: {}} # goes
        # stays, too
        - {op: add, path: /machine/registries, value: {mirrors: {}}}
";
    let file = file(spec);
    let fix = fix(&file, request(None)).unwrap();

    let lost: Vec<_> = fix.lost_comments.iter().map(Place::locator).collect();
    assert_eq!(lost, ["m.yaml:11:59"]);
    let after = apply(file.text(), &fix.edits).unwrap();
    assert!(after.contains("# stays\n        # stays, too\n        - "));
}

#[test]
fn a_patch_behind_an_alias_is_refused_where_it_stands() {
    let spec = "      generateType: worker
      talosVersion: v1.9
      configPatches:
        - {op: add, path: /machine/registries, value: &v {mirrors: {}}}
        - {op: add, path: /machine/registries, value: *v}
";
    let codes: Vec<_> = refused(spec, request(None))
        .into_iter()
        .map(|it| it.0)
        .collect();

    assert!(
        codes.iter().all(|code| *code == Code::OwnedAlias),
        "{codes:?}"
    );
}
