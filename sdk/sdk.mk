# The SDKs: generated, compared and packed. Part of the Makefile in the root.

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
