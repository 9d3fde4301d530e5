# A thin layer of targets over the program; `make` alone lists them.
#
#   CLUSTER            whose manifests, for `render` and `demo`: one name or several
#   FLEET              the folder that holds the clusters [the nearest one from here upward]
#   REGISTRY_ADDRESS   the registry's address, for every cluster of a run
#   HYDRANT_TEST_WITHOUT   tools that `test` does without, such as "age strace"

SHELL := /bin/sh
CARGO ?= cargo
CLUSTER ?=
FLEET ?=
REGISTRY_ADDRESS ?=
export REGISTRY_ADDRESS

HYDRANT = $(CARGO) run --locked --quiet --
DEMO_CLUSTER = $(or $(CLUSTER),ok-edge)

.PHONY: help demo render test lint bench
.DEFAULT_GOAL := help

help: ## List the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1	\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 16

demo: ## Print a hydrated cluster of the demonstration fleet; needs Rust and nothing else
	@$(HYDRANT) --fleet clusters render $(DEMO_CLUSTER) --identity clusters/demo-identity.txt

render: ## Print the hydrated manifests of CLUSTER
	@test -n "$(CLUSTER)" || { echo "make render needs a name: make render CLUSTER=ok-edge" >&2; exit 2; }
	@$(HYDRANT) $(if $(FLEET),--fleet "$(FLEET)") render $(CLUSTER)

test: ## Run every test; installs what they need, where it may
	@targets=$$(tests/tools.sh) && $(CARGO) test --locked $$targets

lint: ## Formatting, lints, documentation links
	$(CARGO) fmt --check
	$(CARGO) clippy --locked --all-targets -- --deny warnings
	RUSTDOCFLAGS="--deny warnings" $(CARGO) doc --locked --no-deps

bench: ## Measure
	$(CARGO) bench --locked

include tests/talos/conformance.mk
