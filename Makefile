# What a person types here. `make` alone lists it.
# Every target that builds or runs something sets the machine up first, so each works on a fresh one.

export PATH := $(PATH):$(HOME)/.cargo/bin
TARGET := $(or $(CARGO_TARGET_DIR),target)
JURAT := $(TARGET)/release/jurat
EXAMPLE := examples/shop
EXAMPLE_CLASSES := $(TARGET)/demo/classes
EXAMPLE_TESTS := $(TARGET)/demo/tests

# A JAVA_HOME that Jurat cannot use must not spoil the demo or the tests on a machine that has a JDK for it.
WITH_JDK = JAVA_HOME="$$(scripts/jdk-home)"

.PHONY: help setup build demo test check fmt lint docs deny tidy bench experiment-random experiment-search experiment-mutation clean
.DELETE_ON_ERROR:

help: ## list what make can do here
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-18s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: ## install what is missing: C linker, JDK 17+, Maven, the jars tests use
	@scripts/setup

build: setup ## build the release binary, target/release/jurat
	cargo build --release --locked -p jurat-cli

demo: build ## show Jurat at work on the bundled example
	@scripts/compile-example $(EXAMPLE) $(EXAMPLE_CLASSES)
	@rm -rf $(EXAMPLE_TESTS)
	$(WITH_JDK) $(JURAT) generate --classpath $(EXAMPLE_CLASSES) --out $(EXAMPLE_TESTS) --budget 12s --seed 1
	@scripts/run-suite $(EXAMPLE_TESTS) $(EXAMPLE_CLASSES)

test: setup ## run every test
	$(WITH_JDK) cargo xtask test

check: fmt lint docs deny tidy test ## all that a change must pass: formatting, lints, docs, licences, layers, tests

fmt:
	cargo fmt --all --check

lint: setup
	cargo clippy --workspace --all-targets --locked -- -D warnings

docs: setup
	RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps --document-private-items --locked

deny: setup
	@command -v cargo-deny >/dev/null || cargo install --locked cargo-deny
	cargo deny --workspace check bans licenses sources

tidy: setup
	cargo xtask tidy

bench: setup ## measure the speed of the hot paths
	$(WITH_JDK) cargo bench --workspace --locked

experiment-random: build ## generate for real libraries and examine the suites; SUBJECTS= SEEDS= MODES= BUDGET= narrow it
	$(WITH_JDK) cargo xtask experiment random

experiment-search: build ## what the search adds: classes, needles, open branches, private access; PARTS= SEEDS= BUDGET= narrow it
	$(WITH_JDK) cargo xtask experiment search

experiment-mutation: build ## compare jurat mutate with PIT, and suites before and after choosing assertions
	@$(WITH_JDK) scripts/experiment-mutation

clean: ## delete what building made; keep the fetched jars
	cargo clean
