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

# A program in TypeScript in an image: what the operator's image has, Node with the libraries that it needs, the host of the language, and the
# program. The SDK is compiled from its sources, as it is packed.
NODEJS := examples/operator/languages/nodejs
NODEJS_FILES := $(addprefix $(NODEJS)/,Pulumi.yaml index.ts package.json package-lock.json tsconfig.json)
NODEJS_IMAGE := localhost/k8sconnect-webservice:dev
# The host of an installed Pulumi: make operator-image-nodejs NODEJS_HOST="$(command -v pulumi-language-nodejs)"
NODEJS_HOST = $(BIN)/linux-pulumi-language-nodejs

.PHONY: operator-image-nodejs
operator-image-nodejs: bin/operator-image-nodejs.tar ## The same with the program of examples/operator/languages/nodejs, in bin/operator-image-nodejs.tar and bin/operator-nodejs-root. Needs Linux, node and npm

bin/operator-image-nodejs.tar: bin/operator-image.tar bin/linux-pulumi-language-nodejs $(NODEJS_FILES) $(shell find sdk/nodejs -name '*.ts') sdk/nodejs/package.json
	$(call say,Writing the image with a program in TypeScript)
	@for tool in node npm ldd; do command -v $$tool >/dev/null || { echo "$$tool is not on the PATH: the image has the Node of this machine." >&2; exit 1; }; done
	@rm -rf bin/operator-nodejs && mkdir -p bin/operator-nodejs && cp $(NODEJS_FILES) bin/operator-nodejs/
	@cd bin/operator-nodejs && npm ci --ignore-scripts --prefer-offline --no-audit --no-fund --loglevel=error >/dev/null && \
		mkdir node_modules/@k8sconnect && cp -R $(CURDIR)/sdk/nodejs node_modules/@k8sconnect/source && cd node_modules/@k8sconnect/source && \
		rm -rf node_modules && ../../.bin/tsc && sed 's/$${VERSION}/$(VERSION)/' package.json > bin/package.json && mv bin ../pulumi && cd .. && rm -rf source
	@cd bin/operator-nodejs && node_modules/.bin/tsc
	@node=$$(node -p process.execPath) && cd examples/operator && $(call quietly,go run ./hack/image -name $(NODEJS_IMAGE) \
		-archive $(BIN)/operator-image-nodejs.tar -root $(BIN)/operator-nodejs-root -add /program=$(BIN)/operator-nodejs \
		-add /node=$$node $$(ldd "$$node" | awk '{ for (i = 1; i <= NF; i++) if ($$i ~ "^/") print "-add", $$i "=" $$i }') \
		-add /pulumi-language-nodejs=$(NODEJS_HOST) $(foreach program,$(IMAGE_PROGRAMS),/$(program)=$(BIN)/linux-$(program)))

bin/linux-pulumi-language-nodejs: $(shell find tests/languagehost -name '*.go') go.mod
	$(call say,Building a host for Node)
	$(call go-build,.,linux-pulumi-language-nodejs,./tests/languagehost/pulumi-language-nodejs,)

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
