# The release: built, checked and published. Part of the Makefile in the root.

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
