# The tests and their parts. Part of the Makefile in the root.

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

# The packages with the race detector: those of the provider that start goroutines or share values between them, what calls it
# from many goroutines at once, and the cluster and the kubelet of the tests, which have many goroutines of their own. The
# provider's other packages are functions of their arguments. All others read files or drive programs.
# Their processes have little more than a proxy behind a mutex, and the detector sees nothing of the programs; without it
# they share what the release has compiled. Charts are rendered by one goroutine, for which the detector takes five times
# as long. For tests/engine and examples/operator it has to compile Pulumi's engine or controller-runtime once more, which
# takes as long as their tests: CI, which has a machine for each part, does that with RACED_rpc=tests/engine and
# RACED_operator=examples/operator.
RACED = $(filter-out %/provider/internal/chart %/provider/internal/draws,$(filter $(CONCURRENT),$(PACKAGES_provider))) \
	./tests/cluster/... ./tests/kubelet ./tests/concurrency
CONCURRENT = $(call once,CONCURRENT,$(addprefix %/,$(shell grep -lrE --include='*.go' --exclude='*_test.go' \
	'^[[:space:]]*go [a-zA-Z]|"(golang\.org/x/)?sync[/"]' provider | xargs -n 1 dirname | sort -u)))

# How many tests of a package of tests/engine run at once. Most of them wait, for controllers or until a time is over.
AT_ONCE_in_tests/engine := -parallel 6

NEEDED_BY_e2e := $(PROVIDER) $(CONTROLPLANE_LINKS) $(PULUMI) bin/helm
NEEDED_BY_rpc := $(CONTROLPLANE_LINKS)
NEEDED_BY_operator := operator-image $(if $(LINUX),$(if $(shell command -v npm),operator-image-nodejs)) $(PROVIDER) $(CONTROLPLANE_LINKS) $(PULUMI) bin/cluster
NEEDED_BY_sdk := sdk-pack $(CONTROLPLANE_LINKS) $(PULUMI) bin/helm $(if $(filter java,$(SDK_LANGUAGES)),bin/pulumi-language-java)
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
# for most of the time, so the others run beside them; one package after the other, because each can use both cores.
define test-parts
$(note-failures); \
($(call test-packages,packages that start what they test,$(filter-out $(RACED),$(foreach part,$(1),$(PACKAGES_$(part)))),,-p 1) :) & \
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
NODE_CASES := ^Test(Life|ATenantOfAClass|TheProgramOfAClass|Review|Drift|Approval|Orphan|ADeletion|Killed|RunThatIsKilled|RunnersKilled|Interrupted|DeletedJob|AChangeWhile|Outputs|Uninstalling|ADefinition|WhoChanges|ASecretOfOthers|AQuota|ANamespaceWithMany)

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
