# The operator of examples/operator: its image, its demo, and what is generated. Part of the Makefile in the root.

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

OPERATOR_SOURCES := $(addprefix examples/operator/go.,mod sum) $(shell find examples/operator -name '*.go' ! -name '*_test.go' ! -path '*/hack/*' ! -path '*/tools/*')

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
