# The conformance suite: Talos' own code judges hydrated specs. It needs Go and the Go module proxy; the first build takes
# a few minutes, later ones nothing. HYDRANT_CONFORMANCE_SPECS=1000 judges more specs.
.PHONY: conformance conformance-oracles

conformance: conformance-oracles
	cargo test --features conformance --test conformance

conformance-oracles:
	tests/talos/build.sh target/talos
