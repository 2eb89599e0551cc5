#!/usr/bin/env bash
# Makes the bundle that Maven Central takes: the artifacts in the layout of a repository, each signed and with its
# checksums. The key that signs is in MAVEN_GPG_KEY, armored, and its passphrase in MAVEN_GPG_PASSPHRASE.
#
# Usage: maven-bundle.sh VERSION DIR BUNDLE
set -euo pipefail
version=$1 source=$2 bundle=$(realpath "$3")
: "${MAVEN_GPG_KEY:?has to hold the armored private key}" "${MAVEN_GPG_PASSPHRASE?has to be set, if only to nothing}"

work=$(mktemp -d)
trap 'gpgconf --homedir "$work/gnupg" --kill all; rm -rf "$work"' EXIT
mkdir -m 700 "$work/gnupg"
gpg --homedir "$work/gnupg" --batch --quiet --import <<< "$MAVEN_GPG_KEY"

artifact=pulumi-k8sconnect
target=$work/repository/io/github/k8sconnect/$artifact/$version
mkdir -p "$target"
for kind in .pom .jar -sources.jar -javadoc.jar; do
	file=$target/$artifact-$version$kind
	cp "$source/$artifact-$version$kind" "$file"
	gpg --homedir "$work/gnupg" --batch --quiet --pinentry-mode loopback --passphrase-fd 0 --armor --detach-sign "$file" \
		<<< "$MAVEN_GPG_PASSPHRASE"
	md5sum "$file" | cut -d ' ' -f 1 > "$file.md5"
	sha1sum "$file" | cut -d ' ' -f 1 > "$file.sha1"
done
rm -f "$bundle"
jar --create --no-manifest --file "$bundle" -C "$work/repository" io
