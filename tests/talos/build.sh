#!/bin/sh
# Builds one oracle a machinery release into $1 (default: target/talos of the repository); what is up to date is skipped.
# The requirements are pinned in versions/, and `go build` refuses to change them. ORACLE_VERSIONS narrows the list.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/../../target/talos}
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$here"
for mod in versions/*.mod; do
  version=$(basename "$mod" .mod)
  case " ${ORACLE_VERSIONS:-$version} " in *" $version "*) ;; *) continue ;; esac
  binary=$out/oracle-$version
  if [ -x "$binary" ] && [ -z "$(find ./*.go "$mod" "versions/$version.sum" build.sh -newer "$binary")" ]; then continue; fi
  # The accessors that merge documents over v1alpha1 fields came with 1.12.
  case $version in v1.9.* | v1.10.* | v1.11.*) tags= ;; *) tags=documents ;; esac
  echo "oracle $version"
  # Two compilers at most: the linker of one release alone takes half a gigabyte.
  go build -p 2 -mod=readonly -modfile="$mod" -tags "$tags" -trimpath -buildvcs=false -ldflags '-s -w' -o "$binary" .
done
