#!/bin/sh
# Makes the store that every case gets, and the identity that opens it. Needs age and openssl.
#
#   tests/cases/_shared/make.sh
#
# Run it only to add or change a secret: it makes new keys and certificates, and no case depends on
# their bytes, because cases name them (`[registry-ca/base64]`) and never spell them out.
# Everything in it is for tests, holds the word that leaks are searched by, and protects nothing.
set -eu
cd "$(dirname "$0")"
store=before/clusters/secrets
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf "$store" test-key.txt
mkdir -p "$store"

# --- keys ------------------------------------------------------------------------------------------
age-keygen -o "$work/key" 2>/dev/null
age-keygen -o "$work/stranger" 2>/dev/null
{
  echo '# The key of the test cases. It is public, and opens nothing but their store.'
  grep '^AGE-SECRET-KEY-' "$work/key"
} > test-key.txt
age-keygen -y "$work/key" > "$store/.age-recipients"

seal() { # NAME, the value on stdin
  age -R "$store/.age-recipients" -o "$store/$1.age"
}

# --- certificates: valid for decades, or expired for decades ---------------------------------------
cat > "$work/ca.cnf" <<'CONFIG'
[ca]
default_ca = tests
[tests]
database = database
new_certs_dir = .
rand_serial = yes
default_md = default
policy = any
[any]
commonName = supplied
[ca_true]
basicConstraints = critical, CA:TRUE
[ca_false]
basicConstraints = critical, CA:FALSE
CONFIG

certificate() { # NAME, extensions, first and last day
  (
    cd "$work"
    : > database
    openssl genpkey -algorithm ed25519 -out "$1.key" 2>/dev/null
    openssl req -new -key "$1.key" -subj "/CN=S3NTINEL $1" -out "$1.csr" 2>/dev/null
    openssl ca -batch -notext -selfsign -config ca.cnf -keyfile "$1.key" -in "$1.csr" \
      -extensions "$2" -startdate "$3" -enddate "$4" -out "$1.pem" 2>/dev/null
  )
}
valid='20240101000000Z 20990101000000Z'
expired='20000101000000Z 20010101000000Z'
# shellcheck disable=SC2086
{
  certificate registry-ca ca_true $valid
  certificate next-ca ca_true $valid
  certificate corp-ca ca_true $valid
  certificate old-ca ca_true $expired
  certificate leaf ca_false $valid
}

for ca in registry-ca next-ca corp-ca; do seal "$ca" < "$work/$ca.pem"; done
cat "$work/registry-ca.pem" "$work/next-ca.pem" | seal two-cas
{ echo '# the root of the registry'; cat "$work/registry-ca.pem"; } | sed 's/$/\r/' | seal commented-ca
cat "$work/registry-ca.pem" "$work/old-ca.pem" | seal valid-and-expired
seal expired-only < "$work/old-ca.pem"
seal leaf-ca < "$work/leaf.pem"
cat "$work/registry-ca.pem" "$work/registry-ca.key" | seal key-in-ca
printf 'S3NTINEL is not a certificate\n' | seal not-pem
{
  echo '-----BEGIN CERTIFICATE-----'
  printf 'S3NTINEL is not DER\n' | base64
  echo '-----END CERTIFICATE-----'
} | seal not-der
seal client-certificate < "$work/leaf.pem"
seal client-key < "$work/leaf.key"

# --- addresses and credentials -----------------------------------------------------------------------
printf '192.0.2.10\n' | seal registry-address
printf '2001:db8::10\n' | seal ipv6-address
printf '192.0.2.10\n192.0.2.11\n' | seal two-addresses
printf '127.0.0.1\n' | seal loopback
printf 'username: puller\npassword: S3NTINEL-password\n' | seal corp-pull
printf 'identityToken: S3NTINEL-token\n' | seal token-pull
printf 'password: "S3NTINEL\n' | seal malformed-auth
printf 'username: puller\npassword: S3NTINEL-password\nidentityToken: S3NTINEL-token\n' | seal two-logins

# --- files that do not open --------------------------------------------------------------------------
printf 'S3NTINEL of somebody else\n' |
  age -r "$(age-keygen -y "$work/stranger")" -o "$store/foreign.age"
head -c -5 "$store/registry-ca.age" > "$store/truncated.age"
