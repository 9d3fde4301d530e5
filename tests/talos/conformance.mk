# The conformance suite: Talos' own code judges hydrated specs. It needs Go and the Go module proxy; the first build takes
# a few minutes, later ones nothing. HYDRANT_CONFORMANCE_SPECS=1000 judges more specs.
.PHONY: conformance conformance-oracles conformance-lint

conformance: conformance-oracles
	cargo test --features conformance --test conformance

conformance-oracles:
	tests/talos/build.sh target/talos

# The Go program by itself, with the newest and the oldest machinery.
conformance-lint:
	test -z "$$(gofmt -l tests/talos)"
	cd tests/talos && go vet -tags documents . && go test -tags documents .
	cd tests/talos && go vet -modfile=versions/v1.9.0.mod . && go test -modfile=versions/v1.9.0.mod .
