# The other tools, from the versions that modules pin: the Pulumi CLI and its hosts, Helm, and those that test and lint.
# Part of the Makefile in the root.

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
