# Everything that is built lands in bin/, once: a second make does nothing.
# "make help" lists what there is. Needed: Go 1.26.6 or newer, GNU make, bash; gcc or clang for the race detector.

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
CLUSTER_SOURCES := go.mod go.sum $(shell find tests/cluster tests/kubelet -name '*.go' ! -name '*_test.go' ! -path '*/controlplane/*' ! -path '*/node/*')
SERVER_SOURCES := $(wildcard $(addprefix tests/cluster/controlplane/,servers/*.go multicall/*.go))
COMPANION_SOURCES := $(wildcard $(addprefix tests/cluster/controlplane/,companions/*.go multicall/*.go))
NODE_SOURCES := $(shell find tests/cluster/node -name '*.go') tests/cluster/node/go.mod tests/cluster/node/go.sum
NODE_PROGRAMS := $(addprefix bin/,kubelet kube-proxy pause image)
# What the nodes of "make cluster" need. A played one has one image, that of the operator.
NEEDED_FOR_real := $(NODE_PROGRAMS) operator-image
NEEDED_FOR_played := linux-and-root operator-image
PLAYED_NODE := -node=played -image bin/operator-image.tar=bin/operator-root
SERVERS := kube-apiserver kube-controller-manager kube-scheduler
COMPANIONS := etcd kwok kubectl
CONTROLPLANE_LINKS := $(addprefix bin/,$(SERVERS) $(COMPANIONS))
PULUMI := bin/pulumi bin/pulumi-language-yaml
OPERATOR_SOURCES := $(addprefix examples/operator/go.,mod sum) $(shell find examples/operator -name '*.go' ! -name '*_test.go' ! -path '*/hack/*' ! -path '*/tools/*')

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
test: race-detector ## Everything: build, schema, lint, all tests (half an hour; an hour and more from cold caches)
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
install: $(PROVIDER) $(if $(shell type -p pulumi),,bin/pulumi) ## Install the provider as a plugin into PULUMI_HOME (default ~/.pulumi)
	@PATH="$$PATH:$(BIN)" pulumi plugin install resource k8sconnect $(VERSION) --file $(PROVIDER) --reinstall
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

##@ The operator

.PHONY: operator-image
operator-image: bin/operator-image.tar ## The image of examples/operator, as bin/operator-image.tar and unpacked in bin/operator-root

.PHONY: demo-operator
demo-operator: $(NEEDED_FOR_played) bin/cluster ## Show it: an Environment, a change, drift, a plan to approve, a killed run, the end. Needs Linux and root
	@bash tests/demo/operator.sh

# The folders that controller-gen writes, and what it is told.
OPERATOR_GENERATED := api/v1alpha1/zz_generated.deepcopy.go config/crd config/rbac
controller-gen = $(BIN)/controller-gen object crd rbac:roleName=environment-operator paths=./api/... paths=./internal/controller \
	output:crd:dir=config/crd output:rbac:dir=config/rbac

.PHONY: operator-generate
operator-generate: bin/controller-gen ## Write the CRD, the RBAC and the deep copies of examples/operator from its code
	@cd examples/operator && $(controller-gen)

.PHONY: operator-check
operator-check: bin/controller-gen ## Fail if they are out of date
	@fresh=$$(mktemp -d) && trap 'rm -rf "$$fresh"' EXIT && cp -R examples/operator/. "$$fresh" && cd "$$fresh" && $(controller-gen) && \
	for generated in $(OPERATOR_GENERATED); do \
		if ! diff -ru $(CURDIR)/examples/operator/$$generated $$generated; then \
			echo 'examples/operator is not what its code says: run "make operator-generate" and commit the result.' >&2; exit 1; \
		fi; \
	done
	@echo "The generated files of the operator are up to date."

bin/operator: $(OPERATOR_SOURCES)
	$(call say,Building the operator (two minutes the first time))
	$(call go-build,examples/operator,operator,./cmd/operator,)

IMAGE_PROGRAMS := operator pulumi pulumi-language-yaml pulumi-resource-k8sconnect

bin/operator-image.tar: $(IMAGE_PROGRAMS:%=bin/linux-%) $(wildcard examples/operator/hack/image/*.go) examples/operator/go.mod
	$(call say,Writing the image of the operator)
	@cd examples/operator && $(call quietly,go run ./hack/image -archive $(BIN)/operator-image.tar -root $(BIN)/operator-root \
		$(foreach program,$(IMAGE_PROGRAMS),/$(program)=$(BIN)/linux-$(program)))

LINUX := $(filter Linux,$(shell uname -s))

# It holds for the prerequisites, too; only on Linux are there any that are built.
bin/linux-%: export GOOS := linux

# $(call linux-program,NAME,DIR,PACKAGE,LDFLAGS): a program of the image. It is the one that was built for this machine,
# unless that is for another system, or a script that calls an installed one.
define linux-program
$(if $(findstring ELF,$(shell head -c 4 $(BIN)/$(1) 2>/dev/null)),\
	@ln -fL $(BIN)/$(1) $(BIN)/linux-$(1) 2>/dev/null || cp -f $(BIN)/$(1) $(BIN)/linux-$(1),\
	$(call say,Building $(1) for Linux (three minutes the first time))
	$(call go-build,$(2),linux-$(1),$(3),$(4)))
endef

bin/linux-operator: $(if $(LINUX),bin/operator,$(OPERATOR_SOURCES))
	$(call linux-program,operator,examples/operator,./cmd/operator,)

bin/linux-pulumi-resource-k8sconnect: $(if $(LINUX),$(PROVIDER),$(PROVIDER_SOURCES) bin/.version)
	$(call linux-program,pulumi-resource-k8sconnect,.,.,$(provider-version))

bin/linux-pulumi: $(if $(LINUX),bin/pulumi,$(addprefix tests/pulumi/go.,mod sum))
	$(call linux-program,pulumi,tests/pulumi,github.com/pulumi/pulumi/pkg/v3/cmd/pulumi,$(pulumi-version))

bin/linux-pulumi-language-yaml: $(if $(LINUX),bin/pulumi-language-yaml,$(addprefix tests/pulumi/go.,mod sum))
	$(call linux-program,pulumi-language-yaml,tests/pulumi,github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml,$(pulumi-version))

##@ The SDKs

# All of sdk/LANGUAGE is generated but what is pinned there for the tools of the language.
SDKS := go nodejs python java dotnet
SDK_PINS := go/k8sconnect/go.mod go/k8sconnect/go.sum nodejs/package-lock.json

# $(call sdk-generate,DIR,VERSION): the SDKs of all languages. (The lines that are left out say that secrets in the
# configuration of a Java program are plain strings, as they are in every language.)
define sdk-generate
rm -rf $(1) && mkdir -p $(1)
$(call quietly,go run ./provider/cmd/pulumi-gen-k8sconnect sdk schema.json $(1) $(2))
cd provider/cmd/pulumi-gen-k8sconnect/javadotnet && \
	$(call quietly,go run . $(CURDIR)/schema.json $(1) $(2) 2>&1 | { grep -v '^WARN: secret property' || true; })
for pin in $(SDK_PINS); do cp sdk/$$pin $(1)/$$pin; done
endef

.PHONY: sdk
sdk: ## Write the SDKs in sdk/ from schema.json
	$(call say,Generating the SDKs (two minutes the first time))
	@$(call sdk-generate,$(BIN)/sdk/fresh,)
	@for language in $(SDKS); do rm -rf sdk/$$language && mv $(BIN)/sdk/fresh/$$language sdk/; done

.PHONY: sdk-check
sdk-check: ## Fail if the SDKs are out of date
	$(call say,Generating the SDKs (two minutes the first time))
	@$(call sdk-generate,$(BIN)/sdk/fresh,)
	@for language in $(SDKS); do \
		if ! diff -ru $(addprefix -x ,node_modules bin obj target build dist __pycache__ *.egg-info) \
			sdk/$$language $(BIN)/sdk/fresh/$$language; then \
			echo 'sdk/ is not what schema.json says: run "make sdk" and commit the result.' >&2; exit 1; \
		fi; \
	done
	@echo "The SDKs are up to date."

# The languages whose packages are packed and tested. Where a toolchain is missing, name the others:
# make test SDK_LANGUAGES="go python"
SDK_LANGUAGES := go nodejs python java
export SDK_LANGUAGES

SDK_SOURCES := schema.json LICENSE $(shell find provider/cmd/pulumi-gen-k8sconnect sdk/go sdk/pack -type f) \
	$(addprefix sdk/,$(SDK_PINS))

.PHONY: sdk-pack
sdk-pack: $(addprefix bin/sdk/.packed-,$(SDK_LANGUAGES)) ## Pack the SDKs into bin/sdk, as their registries want them
	@:

# The sources with the version, and the licence that every package has to contain.
bin/sdk/.source: $(SDK_SOURCES) bin/.version
	$(call say,Generating the SDKs for version $(VERSION))
	@$(call sdk-generate,$(BIN)/sdk/source,$(VERSION))
	@cp LICENSE bin/sdk/source/python/
	@mkdir -p bin/sdk/source/nodejs/bin && cp LICENSE bin/sdk/source/nodejs/bin/
	@mkdir -p bin/sdk/source/java/src/main/resources/META-INF && cp LICENSE bin/sdk/source/java/src/main/resources/META-INF/
	@touch $@

# $(call needs,TOOLS): fails with a sentence where one is not on the PATH.
define needs
@for tool in $(1); do command -v "$$tool" >/dev/null || { \
	echo "$$tool is not on the PATH. The SDKs need node 20 with npm, python3 3.10 with venv, and a JDK 11 with mvn;" >&2; \
	echo 'leave out what you do not have: make $(MAKECMDGOALS) SDK_LANGUAGES="go"' >&2; exit 1; }; done
endef

# A Go module is released as it is checked in, without a version: the go command knows it.
bin/sdk/.packed-go: bin/sdk/.source
	$(call say,Packing the SDK for Go)
	@rm -rf bin/sdk/go bin/sdk/source/go && cp -R sdk/go bin/sdk/source/go && cp LICENSE bin/sdk/source/go/k8sconnect/
	@$(call quietly,go run ./sdk/pack/gomodule bin/sdk/source/go/k8sconnect v$(VERSION) bin/sdk/go)
	@touch $@

bin/sdk/.packed-nodejs: bin/sdk/.source
	$(call needs,node npm)
	$(call say,Packing the SDK for Node.js)
	@rm -rf bin/sdk/nodejs && mkdir -p bin/sdk/nodejs
	@cd bin/sdk/source/nodejs && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null && node_modules/.bin/tsc && \
		cp package.json README.md bin/ && cd bin && npm pack --loglevel=error --pack-destination $(BIN)/sdk/nodejs >/dev/null
	@touch $@

bin/sdk/venv: sdk/pack/requirements.txt
	$(call needs,python3)
	@rm -rf $@ && python3 -m venv $@ && $@/bin/pip install -q --disable-pip-version-check -r $< && touch $@

# The files are of 1980, as in the plugin's archives: the same bytes from the same sources.
bin/sdk/.packed-python: bin/sdk/.source bin/sdk/venv
	$(call say,Packing the SDK for Python)
	@rm -rf bin/sdk/python bin/sdk/source/python/build
	@SOURCE_DATE_EPOCH=315532800 bin/sdk/venv/bin/pip wheel -q --disable-pip-version-check --no-deps --no-build-isolation -w bin/sdk/python bin/sdk/source/python
	@touch $@

# Without colours, and without taking back those that it did not set.
maven = MAVEN_OPTS="$$MAVEN_OPTS -Djansi.noreset=true" mvn -q -B -Dstyle.color=never

# Maven has a repository of its own in bin/: what it took from there would hide the next package of the same version.
bin/sdk/.packed-java: bin/sdk/.source
	$(call needs,javac mvn)
	$(call say,Packing the SDK for Java)
	@rm -rf bin/sdk/java bin/sdk/m2/io/github/k8sconnect
	@$(maven) -f bin/sdk/source/java/pom.xml -Dmaven.repo.local=$(BIN)/sdk/m2 \
		-DaltDeploymentRepository=packed::file://$(BIN)/sdk/java package org.apache.maven.plugins:maven-deploy-plugin:3.1.4:deploy
	@touch $@

##@ The release

# What a release is built for: make release PLATFORMS=linux/amd64
PLATFORMS := $(foreach system,linux darwin windows,$(system)/amd64 $(system)/arm64)

# The packages of a language. Python spells the version in its own way.
packed-nodejs := bin/sdk/nodejs/k8sconnect-pulumi-$(VERSION).tgz
packed-python := bin/sdk/python/pulumi_k8sconnect-*.whl
packed-java := $(addprefix bin/sdk/java/io/github/k8sconnect/pulumi-k8sconnect/$(VERSION)/pulumi-k8sconnect-$(VERSION),\
	.pom .jar -sources.jar) bin/sdk/source/java/target/pulumi-k8sconnect-$(VERSION)-javadoc.jar
packages = $(foreach language,$(SDK_LANGUAGES),$(packed-$(language)))

.PHONY: release
release: release-plugin sdk-pack ## All that a release consists of, in bin/release
	@$(if $(filter java,$(SDK_LANGUAGES)),$(maven) -P release -f bin/sdk/source/java/pom.xml \
		-Dmaven.repo.local=$(BIN)/sdk/m2 package)
	@$(if $(packages),cp $(packages) bin/release/)
	@$(call quietly,go run ./release checksums bin/release)
	@ls -lh bin/release | awk 'NR > 1 { printf "%6s  %s\n", $$5, $$9 }'

.PHONY: release-plugin
release-plugin: ## The plugin's archives, checksums and SBOMs alone: PLATFORMS=linux/amd64
	$(call say,Building $(VERSION) for $(PLATFORMS) (two minutes each the first time))
	@rm -rf bin/release && mkdir -p bin/release
	@$(call quietly,go run ./release plugin $(VERSION) bin/release $(PLATFORMS))
	@$(call quietly,go run ./release checksums bin/release)

# What the changelog says about this version.
define release-notes
awk -v heading='## [$(VERSION)]' 'index($$0, "## ") == 1 { found = index($$0, heading) == 1; next } found' CHANGELOG.md
endef

.PHONY: release-check
release-check: ## Fail if the changelog does not know the version
	@$(release-notes) | grep -q . || { echo 'CHANGELOG.md has no section "## [$(VERSION)]": see RELEASING.md.' >&2; exit 1; }

# The go command finds the version of a module in a subfolder by a tag with the name of the folder.
GO_SDK_TAG := sdk/go/k8sconnect/v$(VERSION)

# What was published before a failure stays, and is left out the next time.
.PHONY: publish-github
publish-github: release-check ## Publish bin/release at GitHub, and the Go module: needs gh and GH_TOKEN
	@cd bin/release && sha256sum --quiet --check checksums.txt
	@gh release view v$(VERSION) >/dev/null 2>&1 || { $(release-notes) | gh release create v$(VERSION) --verify-tag \
		$(if $(findstring -,$(VERSION)),--prerelease) --title v$(VERSION) --notes-file - bin/release/*; }
	@gh api 'repos/{owner}/{repo}/git/ref/tags/$(GO_SDK_TAG)' >/dev/null 2>&1 || gh api 'repos/{owner}/{repo}/git/refs' \
		-f ref=refs/tags/$(GO_SDK_TAG) -f sha="$$(git rev-parse HEAD)" >/dev/null

.PHONY: publish-npm
publish-npm: ## Publish the package for Node.js: needs NPM_TOKEN
	@npmrc=$$(mktemp) && trap 'rm -f "$$npmrc"' EXIT && registry=$$(npm config get registry) && \
	printf '%s:_authToken=$${NPM_TOKEN}\n' "$${registry#*:}" > "$$npmrc" && \
	npm publish ./bin/release/k8sconnect-pulumi-$(VERSION).tgz --userconfig "$$npmrc" --access public \
		--tag $(if $(findstring -,$(VERSION)),next,latest)

.PHONY: publish-pypi
publish-pypi: ## Publish the package for Python: needs PYPI_TOKEN
	@python3 -m venv bin/twine && bin/twine/bin/pip install -q --disable-pip-version-check -r release/requirements.txt
	@bin/twine/bin/twine check --strict bin/release/*.whl
	@TWINE_USERNAME=__token__ TWINE_PASSWORD="$$PYPI_TOKEN" bin/twine/bin/twine upload --non-interactive --disable-progress-bar \
		bin/release/*.whl

.PHONY: publish-maven
publish-maven: ## Publish the package for Java: needs MAVEN_UPLOAD_URL, MAVEN_TOKEN, MAVEN_GPG_KEY and MAVEN_GPG_PASSPHRASE
	@bash release/maven-bundle.sh $(VERSION) bin/release bin/maven-bundle.zip
	@printf 'header = "Authorization: Bearer %s"\n' "$$MAVEN_TOKEN" | curl --config - --fail-with-body --silent --show-error \
		--form bundle=@bin/maven-bundle.zip \
		"$${MAVEN_UPLOAD_URL:?}?publishingType=AUTOMATIC&name=pulumi-k8sconnect-$(VERSION)"

##@ Checks

.PHONY: test-unit
test-unit: race-detector ## Tests that need no cluster (under a minute once compiled)
	$(call say,Compiling and running the unit tests (three minutes the first time))
	@$(call go-test,-short ./provider/...)

# The parts of "make test". CI runs each on a machine of its own. Those that take longest come first, so that no core is
# idle while the last package runs alone. "make test-parts" lists what is in each.
PARTS := e2e rpc operator sdk provider rest

# $(call once,VARIABLE,VALUE): the value, which is found out when it is used, and then kept.
once = $(eval $(1) := $(2))$(2)

# Every package is in one part; the last has those that no other names.
PACKAGES_e2e :=
PACKAGES_rpc := ./tests/cluster/... ./tests/concurrency
PACKAGES_operator := ./tests/operator ./tests/demo ./tests/kubelet
PACKAGES_sdk := ./tests/sdk
PACKAGES_provider = $(call once,PACKAGES_provider,$(shell go list ./provider/...))
PACKAGES_rest = $(call once,PACKAGES_rest,$(filter-out $(shell go list $(foreach part,$(PARTS:rest=),$(PACKAGES_$(part)))),$(shell go list ./...)))

# The modules beside the root that have tests, and what a part takes of one that it shares with another part.
MODULES_e2e := tests/engine
MODULES_rpc := tests/engine
MODULES_operator := examples/operator
TESTED_MODULES := $(sort $(foreach part,$(PARTS),$(MODULES_$(part))))
PACKAGES_rpc_of_tests/engine := ./rpc
PACKAGES_e2e_of_tests/engine = $(call once,PACKAGES_e2e_of_tests/engine,$(filter-out %/tests/engine/rpc,$(shell cd tests/engine && go list ./...)))

# The packages with the race detector: those of the provider, what calls it from many goroutines at once, and the cluster
# and the kubelet of the tests, which have many goroutines of their own. All other packages read files or drive programs.
# Their processes have little more than a proxy behind a mutex, and the detector sees nothing of the programs; without it
# they share what the release has compiled. Charts are rendered by one goroutine, for which the detector takes five times
# as long. For tests/engine it has to compile Pulumi's engine once more, which takes longer than the tests: CI does that,
# as "make test-rpc RACED_rpc=tests/engine" does.
RACED = $(filter-out %/provider/internal/chart %/provider/internal/draws,$(PACKAGES_provider)) \
	./tests/cluster/... ./tests/kubelet ./tests/concurrency
RACED_operator := examples/operator

# How many tests of a package of tests/engine run at once. Most of them wait, for controllers or until a time is over.
AT_ONCE_in_tests/engine := -parallel 6

NEEDED_BY_e2e := $(PROVIDER) $(CONTROLPLANE_LINKS) $(PULUMI) bin/helm
NEEDED_BY_rpc := $(CONTROLPLANE_LINKS)
NEEDED_BY_operator := operator-image $(PROVIDER) $(CONTROLPLANE_LINKS) $(PULUMI) bin/cluster
NEEDED_BY_sdk := sdk-pack $(CONTROLPLANE_LINKS) $(PULUMI) $(if $(filter java,$(SDK_LANGUAGES)),bin/pulumi-language-java)
NEEDED_BY_provider := $(CONTROLPLANE_LINKS) bin/helm
NEEDED_BY_rest := $(CONTROLPLANE_LINKS) $(PULUMI)

# A line for each package; at the end what failed, and what was skipped and why.
gotestsum = $(BIN)/gotestsum --format pkgname --format-hide-empty-pkg

# $(call test-packages,WHAT,PACKAGES,ENVIRONMENT,FLAGS[,DIR]): runs their tests, and notes WHAT in $failed if one fails. What
# "go test" vets, test-lint does, too; and nobody debugs these programs, each of which is linked every time.
define test-packages
$(if $(strip $(2)),printf -- '--- %s\n' '$(1)'; \
	(cd $(or $(5),.) && $(3) $(gotestsum) -- $(4) -vet=off -ldflags=-w -count=1 -timeout 55m $(2)) || echo '$(1)' >> $$failed;)
endef

# $(call test-module,PART,MODULE): the tests that the part takes of the module.
test-module = $(call test-packages,$(2) in $(1),$(call packages-of,$(1),$(2)),KUBEBUILDER_ASSETS=$(BIN) $(if \
	$(filter $(2),$(RACED_$(1))),$(test-environment)),$(AT_ONCE_in_$(2)) $(if $(filter $(2),$(RACED_$(1))),$(RACE)),$(2))
packages-of = $(or $(PACKAGES_$(1)_of_$(2)),./...)

# A file for what fails, and the end that tells it. When the user interrupts a run, what runs beside it ends, too.
note-failures = failed=$$(mktemp); trap 'rm -f $$failed' EXIT; trap 'trap - TERM; kill 0' INT TERM
tell-failures = if [ -s $$failed ]; then echo "Failed: $$(paste -sd, $$failed)" >&2; exit 1; fi

# $(call test-parts,PARTS): runs the tests of these parts, to the end also where some fail. Those that start processes wait
# for most of the time, so the others run beside them.
define test-parts
$(note-failures); \
($(call test-packages,packages that start what they test,$(filter-out $(RACED),$(foreach part,$(1),$(PACKAGES_$(part))))) :) & \
$(call test-packages,packages with the race detector,$(filter $(RACED),$(foreach part,$(1),$(PACKAGES_$(part)))),$(test-environment),$(RACE)) \
$(foreach part,$(1),$(foreach module,$(MODULES_$(part)),$(call test-module,$(part),$(module)))) \
wait; $(tell-failures)
endef

.PHONY: test-all
test-all: race-detector bin/gotestsum $(foreach part,$(PARTS),$(NEEDED_BY_$(part))) ## All tests, those against a real API server and a real CLI included

.PHONY: $(PARTS:%=test-%)
test-e2e: bin/gotestsum $(NEEDED_BY_e2e) ## A part of them: programs, by Pulumi's engine in the test's process and by the real CLI
test-rpc: race-detector bin/gotestsum $(NEEDED_BY_rpc) ## A part of them: the calls of the engine, and the cluster
test-operator: race-detector bin/gotestsum $(NEEDED_BY_operator) ## A part of them: examples/operator and the demos; Linux and root for tests with pods
test-sdk: bin/gotestsum $(NEEDED_BY_sdk) ## A part of them: the packed SDKs
test-provider: race-detector bin/gotestsum $(NEEDED_BY_provider) ## A part of them: the packages of the provider
test-rest: bin/gotestsum $(NEEDED_BY_rest) ## A part of them: all other packages

test-all $(PARTS:%=test-%):
	$(call say,Running tests; a line appears when a package is through)
	@$(call test-parts,$(if $(filter test-all,$@),$(PARTS),$(@:test-%=%)))

# $(call list-packages,PART,DETECTOR,PACKAGES[,DIR])
list-packages = $(if $(strip $(3)),(cd $(or $(4),.) && go list $(3)) | sed 's|^|$(1) $(2) |';)

.PHONY: test-parts
test-parts: ## The packages of each part, and where the race detector watches
	@set -e; $(foreach part,$(PARTS), \
		$(call list-packages,$(part),plain,$(filter-out $(RACED),$(PACKAGES_$(part)))) \
		$(call list-packages,$(part),raced,$(filter $(RACED),$(PACKAGES_$(part)))) \
		$(foreach module,$(MODULES_$(part)),$(call list-packages,$(part),$(if \
			$(filter $(module),$(RACED_$(part))),raced,plain),$(call packages-of,$(part),$(module)),$(module))))

# How long "make fuzz" tries inputs of each target.
FUZZTIME := 1m

.PHONY: fuzz
fuzz: ## Every fuzz target of all modules, each for FUZZTIME=1m; inputs that fail are in bin/fuzz
	@bash tests/fuzz/fuzz.sh $(FUZZTIME) $(BIN)/fuzz . $(TESTED_MODULES)

.PHONY: test-charts
test-charts: bin/gotestsum bin/helm ## Compare the charts of twenty projects, which it downloads, with Helm: CHARTS=folder of other charts
	$(call say,Rendering the charts of others by Helm and by the provider)
	@$(gotestsum) -- -tags=published -count=1 -run Published ./provider/internal/chart

.PHONY: test-charts-lives
test-charts-lives: $(NEEDED_BY_e2e) ## Install, take over, upgrade and remove the same charts on a real API server: CHARTS=folder of other charts, and of folders with versions of a *.yaml
	$(call say,Living with the charts of others)
	@cd tests/engine && $(gotestsum) -- -tags=published -count=1 -timeout 120m -run Published ./e2e

# The tests of the operator that a real node can decide otherwise than one whose pods are processes.
NODE_CASES := ^Test(Life|Drift|Approval|Orphan|ADeletion|Killed|RunThatIsKilled|RunnersKilled|Interrupted|DeletedJob|AChangeWhile|Outputs|Uninstalling|ADefinition|WhoChanges|ASecretOfOthers|AQuota|ANamespaceWithMany)

.PHONY: test-node
test-node: bin/gotestsum $(CONTROLPLANE_LINKS) $(PULUMI) $(NODE_PROGRAMS) bin/helm bin/cluster operator-image ## Tests in which containers run: needs Linux, root and the packages that tests/node/doc.go names
	$(call say,Running the tests that need a real node)
	@$(gotestsum) -- -tags=node -count=1 -p=1 -timeout 40m ./tests/node/... ./tests/kubelet
	$(call say,Running the operator on a real node)
	@$(gotestsum) -- -count=1 -timeout 40m -run '$(NODE_CASES)' ./tests/operator -node=real

# The versions that tests/cluster/controlplane has a module file of, beside the one that all tests take.
OTHER_VERSIONS := $(patsubst tests/cluster/controlplane/kubernetes-%.mod,%,$(wildcard tests/cluster/controlplane/kubernetes-*.mod))

# Without the race detector: what differs is how the API server answers.
.PHONY: test-version
ifneq ($(filter $(OTHER_VERSIONS),$(KUBERNETES)),)
test-version: bin/gotestsum bin/kubernetes-$(KUBERNETES)/.complete ## The tests of the provider's calls, and the probe, on another version of Kubernetes: KUBERNETES=1.33
	$(call say,Running the tests against the API server of Kubernetes $(KUBERNETES))
	@export K8SCONNECT_BIN=$(BIN)/kubernetes-$(KUBERNETES); $(note-failures); $(call test-packages,what the API server answers,./tests/probe) \
	$(call test-packages,calls of the engine,./rpc,,$(AT_ONCE_in_tests/engine),tests/engine) $(tell-failures)
else
test-version:
	@echo 'make test-version wants KUBERNETES to be one of: $(OTHER_VERSIONS). ("make test" takes $(basename $(KUBERNETES_VERSION:v%=%)).)' >&2
	@echo 'For another one, write its module file: bash tests/cluster/controlplane/kubernetes.sh VERSION' >&2; exit 1
endif

.PHONY: node-packages
node-packages: ## Install what test-node needs from Debian or Ubuntu, as root
	apt-get update
	apt-get install --yes $(foreach program,containerd runc,$(if $(shell type -p $(program)),,$(program))) \
		containernetworking-plugins iptables iproute2 conntrack busybox-static

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
bench: $(CONTROLPLANE_LINKS) $(PULUMI) ## Time, requests and memory of stacks and sets of objects: ONLY=sets, PEER=folder of another plugin, FORM=objects, OBJECTS="400 1600"
	$(call say,Measuring (about fifteen minutes on two idle cores))
	@go run ./tests/bench $(if $(ONLY),-only '$(ONLY)') $(if $(PEER),-peer '$(PEER)') $(if $(OBJECTS),-objects '$(OBJECTS)') $(if $(FORM),-form '$(FORM)')

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
test-lint: vet schema-check operator-check lint sdk-check ## gofmt, go vet, golangci-lint, and all generated files

.PHONY: vet
vet: ## gofmt and go vet
	@unformatted=$$(find . -name '*.go' -not -path './sdk/go/*' -not -path './bin/*' -not -path './.git/*' -exec gofmt -l {} +) && \
	if [ -n "$$unformatted" ]; then printf 'Not formatted, run gofmt -w:\n%s\n' "$$unformatted" >&2; exit 1; fi
	$(call say,go vet)
	@$(call quietly,go vet ./...)

.PHONY: lint
lint: vet bin/golangci-lint ## gofmt, go vet, golangci-lint
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

# The cluster's starter is ours and takes seconds, what it starts does not.
bin/cluster: $(CLUSTER_SOURCES) $(CONTROLPLANE_LINKS)
	$(call say,Building the starter of the cluster)
	$(call go-build,.,cluster,./tests/cluster/cmd/cluster,)

$(addprefix bin/,$(SERVERS)): bin/servers
	@ln -sf servers $@

$(addprefix bin/,$(COMPANIONS)): bin/companions
	@ln -sf companions $@

# $(call kubernetes-version,VERSION): what the programs of Kubernetes say that they are.
kubernetes-version = $(foreach package,k8s.io/component-base/version k8s.io/client-go/pkg/version,\
	-X $(package).gitVersion=$(1) -X $(package).gitMajor=1 -X $(package).gitMinor=$(word 2,$(subst ., ,$(1))) \
	-X $(package).gitTreeState=clean -X $(package).gitCommit=)

bin/servers: tests/cluster/controlplane/go.mod tests/cluster/controlplane/go.sum $(SERVER_SOURCES)
	$(call say,Building the servers of Kubernetes $(KUBERNETES_VERSION) as one program (five to eight minutes the first time))
	$(call go-build,tests/cluster/controlplane,servers,./servers,$(call kubernetes-version,$(KUBERNETES_VERSION)))

bin/companions: tests/cluster/controlplane/go.mod tests/cluster/controlplane/go.sum $(COMPANION_SOURCES)
	$(call say,Building etcd$(comma) kwok and kubectl as one program (a minute the first time))
	$(call go-build,tests/cluster/controlplane,companions,./companions,$(call kubernetes-version,$(KUBERNETES_VERSION)))

$(OTHER_VERSIONS:%=bin/servers-%): bin/servers-%: tests/cluster/controlplane/kubernetes-%.mod tests/cluster/controlplane/kubernetes-%.sum $(SERVER_SOURCES)
	$(call say,Building the servers of Kubernetes $(call pinned,k8s.io/kubernetes,$<) as one program (ten to twenty minutes the first time))
	$(call go-build,tests/cluster/controlplane,servers-$*,-modfile=kubernetes-$*.mod ./servers,$(call \
		kubernetes-version,$(call pinned,k8s.io/kubernetes,$<)))

# A folder in which the servers are of another version, and all else is the same.
$(OTHER_VERSIONS:%=bin/kubernetes-%/.complete): bin/kubernetes-%/.complete: bin/servers-% $(addprefix bin/,$(COMPANIONS))
	@mkdir -p $(@D)
	@for server in $(SERVERS); do ln -sf ../servers-$* $(@D)/$$server; done
	@for companion in $(COMPANIONS); do ln -sf ../$$companion $(@D)/$$companion; done
	@touch $@

bin/kubelet bin/kube-proxy: bin/node
	@ln -sf node $@

bin/node: $(NODE_SOURCES)
	$(call say,Building the kubelet and kube-proxy of Kubernetes $(KUBERNETES_VERSION) as one program (two to four minutes the first time))
	$(call go-build,tests/cluster/node,node,.,$(call kubernetes-version,$(KUBERNETES_VERSION)))

bin/pause bin/image: bin/%: $(NODE_SOURCES)
	$(call go-build,tests/cluster/node,$*,./$*,)

# The folder of a pulumi on the PATH that is new enough and has the YAML host beside it, if there is one.
INSTALLED_PULUMI = $(shell type -ap pulumi | grep -vxF '$(BIN)/pulumi' | while read -r candidate; do \
	dir=$$(dirname "$$candidate"); \
	if [ -x "$$dir/pulumi-language-yaml" ] && \
		printf '%s\n' $(PULUMI_VERSION) "$$("$$candidate" version 2>/dev/null)" | sort -CV; then \
		echo "$$dir"; break; \
	fi; done)

# $(call pulumi-tool,NAME,PACKAGE,TIME): calls the installed one, or is built. (A script, not a link: make would
# look at the age of the link's target.)
define pulumi-tool
@mkdir -p bin
$(if $(INSTALLED_PULUMI),\
	@echo '--- Using $(INSTALLED_PULUMI)/$(1)' && \
	printf '#!/bin/sh\nexec "%s" "$$@"\n' '$(INSTALLED_PULUMI)/$(1)' > bin/.new-$(1) && chmod +x bin/.new-$(1) && mv -f bin/.new-$(1) bin/$(1),\
	$(call say,Building $(1) ($(3) the first time))
	$(call go-build,tests/pulumi,$(1),$(2),$(pulumi-version)))
endef

pulumi-version = -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=$(PULUMI_VERSION)

bin/pulumi: tests/pulumi/go.mod tests/pulumi/go.sum
	$(call pulumi-tool,pulumi,github.com/pulumi/pulumi/pkg/v3/cmd/pulumi,three minutes)

bin/pulumi-language-yaml: tests/pulumi/go.mod tests/pulumi/go.sum
	$(call pulumi-tool,pulumi-language-yaml,github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml,half a minute)

# The host for Java is of the same module as the generator.
bin/pulumi-language-java: provider/cmd/pulumi-gen-k8sconnect/javadotnet/go.mod provider/cmd/pulumi-gen-k8sconnect/javadotnet/go.sum
	$(call say,Building pulumi-language-java (half a minute the first time))
	$(call go-build,provider/cmd/pulumi-gen-k8sconnect/javadotnet,pulumi-language-java,github.com/pulumi/pulumi-java/pkg/cmd/pulumi-language-java,)

bin/gotestsum: tests/lint/go.mod tests/lint/go.sum
	$(call go-build,tests/lint,gotestsum,gotest.tools/gotestsum,)

bin/helm: tests/helm/go.mod tests/helm/go.sum
	$(call say,Building Helm (three to seven minutes the first time))
	$(call go-build,tests/helm,helm,helm.sh/helm/v4/cmd/helm,)

bin/controller-gen: examples/operator/tools/go.mod examples/operator/tools/go.sum
	$(call say,Building controller-gen)
	$(call go-build,examples/operator/tools,controller-gen,sigs.k8s.io/controller-tools/cmd/controller-gen,)

bin/golangci-lint: tests/lint/go.mod tests/lint/go.sum
	$(call say,Building golangci-lint (two minutes the first time))
	$(call go-build,tests/lint,golangci-lint,github.com/golangci/golangci-lint/v2/cmd/golangci-lint,)

bin/govulncheck: tests/vulnerabilities/go.mod tests/vulnerabilities/go.sum
	$(call say,Building govulncheck)
	$(call go-build,tests/vulnerabilities,govulncheck,golang.org/x/vuln/cmd/govulncheck,)

##@ Housekeeping

.PHONY: clean
clean: ## Remove what was built (Go's own caches stay)
	rm -rf bin .cluster

.PHONY: help
help: ## This list
	@awk 'BEGIN { FS = ":.*## " } \
		/^##@ / { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z0-9-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.PHONY: FORCE
FORCE:

.DEFAULT_GOAL := build
