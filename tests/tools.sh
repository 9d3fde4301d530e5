#!/bin/sh
# Looks for the programs that tests start, and prints the arguments of `cargo test` that run every test file
# whose programs are there. A test file names its programs in a line `//! Tools: age strace`.
#
# A missing program is installed where that can be done without asking (root on Debian). Else it is an error,
# unless HYDRANT_TEST_WITHOUT names it: then the files that need it are left out, by name.
set -eu
cd "$(dirname "$0")/.."

package() {
  case $1 in
    age | age-keygen) echo age ;;
    ssh-keygen) echo openssh-client ;;
    script) echo bsdutils ;;
    unshare) echo util-linux ;;
    *) echo "$1" ;;
  esac
}

files() {
  for file in tests/*.rs tests/*/main.rs; do
    if [ -f "$file" ]; then echo "$file"; fi
  done
}

target() {
  case $1 in
    */main.rs) basename "$(dirname "$1")" ;;
    *) basename "$1" .rs ;;
  esac
}

tools() { sed -n 's|^//! Tools: ||p' "$1"; }

is_waived() {
  case " ${HYDRANT_TEST_WITHOUT:-} " in *" $1 "*) return 0 ;; esac
  return 1
}

missing() {
  for tool in $(for file in $(files); do tools "$file"; done | tr ' ' '\n' | sort -u); do
    command -v "$tool" >/dev/null 2>&1 || is_waived "$tool" || echo "$tool"
  done
}

packages() { for tool in $(missing); do package "$tool"; done | sort -u | tr '\n' ' '; }

if [ -n "$(missing)" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo "installing $(packages)" >&2
  # shellcheck disable=SC2046 # one word a package
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $(packages); } >&2 || true
fi
if [ -n "$(missing)" ]; then
  for tool in $(missing); do echo "the tests need \`$tool\`, and it is not installed" >&2; done
  echo "install them: apt-get install $(packages)" >&2
  echo "or leave out what needs them: make test HYDRANT_TEST_WITHOUT=\"$(missing | tr '\n' ' ' | sed 's/ $//')\"" >&2
  exit 1
fi

arguments="--lib --bins"
for file in $(files); do
  # It needs Go, and `make conformance` runs it.
  [ "$(target "$file")" != conformance ] || continue
  lacking=""
  for tool in $(tools "$file"); do
    if is_waived "$tool"; then lacking="$lacking $tool"; fi
  done
  if [ -n "$lacking" ]; then
    echo "left out: $file (needs$lacking)" >&2
  else
    arguments="$arguments --test $(target "$file")"
  fi
done
echo "$arguments"
