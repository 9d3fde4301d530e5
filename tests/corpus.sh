#!/usr/bin/env bash
# Runs hydrant over a folder of real manifests: opted out, each comes out byte for byte; opted in, each is refused with a
# place and a way out, or comes out with nothing removed and hydrates to itself.
set -euo pipefail
corpus=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
cargo build --locked --quiet
hydrant=$PWD/target/debug/hydrant
identity=$PWD/clusters/demo-identity.txt
fleet=$(mktemp -d)
trap 'rm -rf "$fleet"' EXIT
cp -r clusters/secrets "$fleet/secrets"

fail() { echo "corpus: $1: $2" >&2; exit 1; }
render() { "$hydrant" --fleet "$fleet" render one --quiet --identity "$identity"; }

accepted=0 refused=0
for file in "$corpus"/*.yaml; do
  name=$(basename "$file")
  rm -rf "$fleet/one"; mkdir "$fleet/one"
  cp "$file" "$fleet/one/cluster-base.yaml"
  printf 'name: one\n' >"$fleet/one/cluster-config.yaml"
  render | cmp -s - "$file" || fail "$name" "an opted-out manifest changed"

  cat >"$fleet/one/cluster-config.yaml" <<'DEFINITION'
name: one
type: talos
registryTrust:
  enabled: true
  host: registry.demo.internal
  ca: {secret: registry-ca}
  address: {secret: registry-address}
DEFINITION
  if render >"$fleet/once" 2>"$fleet/findings"; then
    accepted=$((accepted + 1))
    diff --strip-trailing-cr "$file" "$fleet/once" | grep -q '^<' && fail "$name" "a line went"
    cp "$fleet/once" "$fleet/one/cluster-base.yaml"
    render | cmp -s - "$fleet/once" || fail "$name" "hydrating twice differs from once"
  else
    refused=$((refused + 1))
    [ ! -s "$fleet/once" ] || fail "$name" "a refused cluster gave output"
    grep -q -- '--> .*:[0-9]*:[0-9]' "$fleet/findings" || fail "$name" "a refusal without a place"
    grep -q '^ *help: ' "$fleet/findings" || fail "$name" "a refusal without a way out"
  fi
done
[ $((accepted + refused)) -gt 0 ] || fail "$corpus" "no manifest in it"
echo "corpus: $accepted accepted, $refused refused"
