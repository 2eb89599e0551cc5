# Everything that is built lands in bin/, once: a second make does nothing.
# "make help" lists what there is. Needed: Go 1.26.6 or newer, GNU make, bash; gcc or clang for the race detector.
# What belongs to one folder is in a file there, which is included in its place: tests/tests.mk, sdk/sdk.mk and others.

SHELL := bash
BIN := $(CURDIR)/bin

# The provider's version: that of the last tag, or what you say: make build VERSION=1.2.3
VERSION := $(or $(patsubst v%,%,$(shell git describe --tags --match 'v[0-9]*' 2>/dev/null)),0.0.1-dev)

# The race detector. "make test RACE=" does without, where there is no C compiler.
RACE := -race

# The flags of a release everywhere, without cgo and without paths of this machine: what is tested is what is
# released, and all builds share what is compiled. Only the race detector needs cgo. No stamping by git: the version
# is said explicitly, and a clone that belongs to someone else can be built too.
ifndef USERS_GOFLAGS # A make that make calls would take ours for the user's.
export USERS_CGO := $(shell go env CGO_ENABLED)
export USERS_GOFLAGS := $(strip $(filter-out -buildvcs=% -trimpath%,$(shell go env GOFLAGS)) -buildvcs=false)
endif
export GOFLAGS := $(USERS_GOFLAGS) -trimpath
export CGO_ENABLED := 0
export GOWORK := off
export PULUMI_SKIP_UPDATE_CHECK := true

# What is pinned in the go.mod files of the tools, for the version numbers that are linked in.
pinned = $(shell awk '$$1 == "$(1)" { print $$2; exit }' $(2))
PULUMI_VERSION := $(call pinned,github.com/pulumi/pulumi/pkg/v3,tests/pulumi/go.mod)
KUBERNETES_VERSION := $(call pinned,k8s.io/kubernetes,tests/cluster/controlplane/go.mod)

PROVIDER := bin/pulumi-resource-k8sconnect
PROVIDER_SOURCES := main.go schema.json go.mod go.sum $(shell find provider -name '*.md' -o -name '*.go' ! -name '*_test.go')

NODE_PROGRAMS := $(addprefix bin/,kubelet kube-proxy pause image)
# What the nodes of "make cluster" need. A played one has the image of the operator, and the one with a program in TypeScript if it was made.
NEEDED_FOR_real := $(NODE_PROGRAMS) operator-image
NEEDED_FOR_played := linux-and-root operator-image
PLAYED_NODE = -node=played -image bin/operator-image.tar=bin/operator-root \
	$(if $(wildcard bin/operator-image-nodejs.tar),-image bin/operator-image-nodejs.tar=bin/operator-nodejs-root)
SERVERS := kube-apiserver kube-controller-manager kube-scheduler
COMPANIONS := etcd kwok kubectl
CONTROLPLANE_LINKS := $(addprefix bin/,$(SERVERS) $(COMPANIONS))
PULUMI := bin/pulumi bin/pulumi-language-yaml

comma := ,

# One line that says what is being done.
say = @echo "--- $(1)"

# Runs a go command without its lines about downloads and about packages that have no tests.
quietly = set -o pipefail && $(1) 2>&1 | { grep --line-buffered -Ev '^go: downloading |\[no test files\]$$' || true; }

# $(call go-build,DIR,OUTPUT,PACKAGE,LDFLAGS): a binary of the module in DIR. It appears when it is complete, and
# replaces the old one even where that is running.
define go-build
@mkdir -p $(BIN)
@cd $(1) && $(call quietly,go build -o $(BIN)/.new-$(2) -ldflags "-s -w $(strip $(4))" $(3)) && mv -f $(BIN)/.new-$(2) $(BIN)/$(2)
endef

# One thing at a time, also with -j: each build uses all cores, and linking takes much memory.
.NOTPARALLEL:
.DELETE_ON_ERROR:

##@ The two commands

.PHONY: demo
demo: $(PROVIDER) $(PULUMI) $(if $(KUBECONFIG),$(if $(shell type -p kubectl),,bin/kubectl),bin/cluster) ## Show it: up, drift, repair and destroy on a real API server
	@bash tests/demo/demo.sh

.PHONY: test
test: race-detector ## Everything: build, schema, lint, all tests (most of an hour on two cores; an hour and a quarter from cold caches)
	@set -e; phase() { printf '\n=== %s\n' "$$1"; $(MAKE) --no-print-directory $$2; }; \
	echo "Testing $(VERSION). The first run downloads and compiles a Kubernetes control plane, the Pulumi CLI"; \
	echo "and the linter, which takes minutes each, mostly in silence; later runs reuse bin/ and Go's caches."; \
	phase "1/5 The provider" build; \
	phase "2/5 Lint, and the generated files: are they what the code says?" test-lint; \
	phase "3/5 Tools: the Kubernetes control plane and the Pulumi CLI" tools; \
	phase "4/5 The SDKs, packed as their registries want them" sdk-pack; \
	phase "5/5 All tests: those that need no cluster, against a real API server, end to end with the real Pulumi CLI, and with the packed SDKs" test-all; \
	printf '\nEverything passed, in %d min %d s.\n' $$((SECONDS / 60)) $$((SECONDS % 60))

##@ The provider

.PHONY: build
build: $(PROVIDER) ## The provider, as bin/pulumi-resource-k8sconnect

.PHONY: install
install: $(PROVIDER) $(if $(shell type -p pulumi),,bin/pulumi) ## Install the provider and its converter as plugins into PULUMI_HOME (default ~/.pulumi)
	@for kind in resource converter; do \
		PATH="$$PATH:$(BIN)" pulumi plugin install $$kind k8sconnect $(VERSION) --file $(PROVIDER) --reinstall || exit 1; \
	done
	@echo "Installed k8sconnect $(VERSION) into $${PULUMI_HOME:-$$HOME/.pulumi}/plugins"

.PHONY: schema
schema: ## Write schema.json from the code
	@$(call quietly,go run ./provider/cmd/pulumi-gen-k8sconnect schema schema.json)

.PHONY: schema-check
schema-check: ## Fail if schema.json is out of date
	@fresh=$$(mktemp) && trap 'rm -f "$$fresh"' EXIT && \
	$(call quietly,go run ./provider/cmd/pulumi-gen-k8sconnect schema "$$fresh") && \
	if ! diff -u schema.json "$$fresh"; then \
		echo 'schema.json is not what the code says: run "make schema" and commit the result.' >&2; exit 1; \
	fi
	@echo "schema.json is up to date."

$(PROVIDER): $(PROVIDER_SOURCES) bin/.version
	$(call say,Building the provider $(VERSION) (two minutes the first time))
	$(call go-build,.,pulumi-resource-k8sconnect,.,$(provider-version))

provider-version = -X github.com/k8sconnect/pulumi-k8sconnect/provider.Version=$(VERSION)

# Changes only when the version does.
bin/.version: FORCE
	@mkdir -p bin && echo '$(VERSION)' | cmp -s - $@ || echo '$(VERSION)' > $@

include examples/operator/operator.mk
include sdk/sdk.mk
include release/release.mk

##@ Checks

include tests/tests.mk

# The packages that prove programs on pages, among other tests, and those that compare pages with the code. (Programs in
# other languages than YAML are proved by test-sdk.)
PROVE_PAGES := ./tests/engine/e2e
READ_PAGES := ./tests/repository ./provider/internal/failure ./provider/internal/readiness

.PHONY: docs-check
docs-check: $(NEEDED_BY_e2e) ## The tests of docs/ and of the pages for contributors: programs, commands, texts and links
	$(call say,Comparing the pages with the code)
	@$(call quietly,go test -count=1 $(READ_PAGES))
	$(call say,Proving what is on the pages of docs/)
	@cd tests/engine && $(call quietly,go test -count=1 -timeout 55m -run '^Test(Docs|TheExamplesInTheSchema)' $(PROVE_PAGES:./tests/engine/%=./%))

.PHONY: bench
bench: $(CONTROLPLANE_LINKS) $(PULUMI) ## Time, requests and memory of stacks and sets of objects: ONLY=sets, PEER=folder of another plugin, FORM=objects, OBJECTS="400 1600", CHECKPOINTS=off
	$(call say,Measuring (about fifteen minutes on two idle cores))
	@go run ./tests/bench $(if $(ONLY),-only '$(ONLY)') $(if $(PEER),-peer '$(PEER)') $(if $(OBJECTS),-objects '$(OBJECTS)') $(if $(CHECKPOINTS),-checkpoints '$(CHECKPOINTS)') $(if $(FORM),-form '$(FORM)')

.PHONY: pictures
pictures: $(PROVIDER) $(PULUMI) $(CONTROLPLANE_LINKS) $(NODE_PROGRAMS) bin/cluster ## Draw the pictures of the README from real runs: needs Linux, root and what tests/node/doc.go names
	@bash tests/pictures/pictures.sh

# How long each search of "make soak" goes on.
SOAK := 10m

# $(call search,PACKAGE,TESTS,GO TEST): searches for new defects, and notes the package in $failed if there are some.
search = (cd tests/engine && $(call quietly,$(3) -count=1 -timeout 24h -v -run '$(2)' $(1) -soak $(SOAK)) | \
	{ grep -vE '^ *(=== |--- PASS)' || true; }) || echo '$(1)' >> $$failed;

.PHONY: soak
soak: race-detector $(CONTROLPLANE_LINKS) bin/helm ## The searches for new defects: every kind and life in the calls of the engine, lives of objects, and of releases; each for SOAK=10m
	$(call say,Searching for new defects: three searches$(comma) each for $(SOAK))
	@$(note-failures); $(call search,./rpc,^TestEvery(Kind|Life)$$,$(test-environment) go test $(RACE)) \
	$(call search,./lives,^TestLives$$,go test) \
	$(call search,./releases,^TestEveryRelease$$,go test) $(tell-failures)

# What takes seconds comes first.
.PHONY: test-lint
test-lint: format-check schema-check operator-check lint sdk-check ## gofmt, golangci-lint, and all generated files

.PHONY: format-check
format-check: ## Fail if gofmt would change a file
	@unformatted=$$(find . -name '*.go' -not -path './sdk/go/*' -not -path './bin/*' -not -path './.git/*' -exec gofmt -l {} +) && \
	if [ -n "$$unformatted" ]; then printf 'Not formatted, run gofmt -w:\n%s\n' "$$unformatted" >&2; exit 1; fi

.PHONY: lint
lint: format-check bin/golangci-lint ## gofmt and golangci-lint, which vets as go vet does
	$(call say,golangci-lint)
	@$(BIN)/golangci-lint run ./...
	@for module in examples/automation-go $(TESTED_MODULES); do (cd $$module && $(BIN)/golangci-lint run ./...) || exit 1; done

.PHONY: vulnerabilities
vulnerabilities: bin/govulncheck ## Fail if the plugin or the Go SDK reaches code with a known vulnerability: needs the network
	$(call say,Looking for what https://vuln.go.dev knows)
	@$(BIN)/govulncheck .
	@cd sdk/go/k8sconnect && $(BIN)/govulncheck ./...

# With the race detector as "go test" is called by hand, to share what that has compiled.
test-environment = $(if $(RACE),CGO_ENABLED=1 GOFLAGS='$(USERS_GOFLAGS)')
go-test = $(call quietly,$(test-environment) go test $(RACE) $(1))

.PHONY: race-detector
race-detector:
ifneq ($(RACE),)
	@if [ '$(USERS_CGO)' != 1 ]; then \
		echo 'The race detector needs a C compiler (gcc or clang) on the PATH and CGO_ENABLED=1.' >&2; \
		echo 'Without one: make $(MAKECMDGOALS) RACE=' >&2; exit 1; \
	fi
endif

##@ The cluster and the tools

.PHONY: cluster
cluster: $(NEEDED_FOR_$(NODE)) bin/cluster ## Run a cluster for yourself until ^C; .cluster/kubeconfig leads to it. NODE=played runs the operator's pods, NODE=real all containers
	@exec bin/cluster $(if $(filter played,$(NODE)),$(PLAYED_NODE),$(if $(NODE),-node=$(NODE) -images=bin/operator-image.tar))

# First of all, so that nothing is built for nothing.
.PHONY: linux-and-root
linux-and-root:
	@if [ "$$(uname -s)" != Linux ] || [ "$$(id -u)" != 0 ]; then \
		echo 'The pods of the operator run as processes of this machine, which needs Linux and root.' >&2; exit 1; \
	fi

.PHONY: tools
tools: $(CONTROLPLANE_LINKS) $(PULUMI) ## What is not ours: control plane, kubectl, the Pulumi CLI and its YAML host

TEST_TOOLS := $(CONTROLPLANE_LINKS) $(PULUMI) $(addprefix bin/,pulumi-language-java helm gotestsum)
LINT_TOOLS := $(addprefix bin/,golangci-lint controller-gen)

.PHONY: test-tools
test-tools: $(TEST_TOOLS) ## All programs of others that "make test" needs, but for the linters

.PHONY: lint-tools
lint-tools: $(LINT_TOOLS) ## Those that "make test-lint" needs

# A checkout is newer than what a cache has kept, whose key says what it was built from.
.PHONY: keep-tools
keep-tools: ## Take the tools in bin/ for those of these sources, whatever their age
	@touch -c $(TEST_TOOLS) $(LINT_TOOLS)

include tests/cluster/cluster.mk
include tests/tools.mk

##@ Housekeeping

.PHONY: clean
clean: ## Remove what was built (Go's own caches stay)
	rm -rf bin .cluster

# In the order of the rules, with those of an included file in its place.
.PHONY: help
help: ## This list
	@awk '/^include / { while ((getline line < $$2) > 0) print line; next } { print }' $(firstword $(MAKEFILE_LIST)) | \
	awk 'BEGIN { FS = ":.*## " } \
		/^##@ / { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z0-9-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }'

.PHONY: FORCE
FORCE:

.DEFAULT_GOAL := build
