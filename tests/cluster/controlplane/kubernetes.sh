#!/usr/bin/env bash
# Writes the module file of a version of Kubernetes for the servers: bash kubernetes.sh 1.33.13
# makes kubernetes-1.33.mod and kubernetes-1.33.sum.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
version=${1:?which one? Such as 1.33.13}
minor=${version%.*}
module=$(go list -m)
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
cp -r multicall servers "$fresh"
(
	cd "$fresh"
	# Not every version that the proxy lists can be had, and only a download shows it.
	go mod download "k8s.io/kubernetes@v$version"
	kubernetes=$(go env GOMODCACHE)/cache/download/k8s.io/kubernetes/@v/v$version.mod
	go mod init "$module" 2>/dev/null
	go mod edit -go=1.26.0 -require="k8s.io/kubernetes@v$version"
	# It requires these at v0.0.0 and replaces them by folders of its repository.
	for staging in $(awk '$2 == "=>" && $3 ~ /^\.\/staging/ { print $1 }' "$kubernetes"); do
		go mod edit -replace="$staging=$staging@v0${version#1}"
	done
	go mod tidy
)
cp "$fresh/go.mod" "kubernetes-$minor.mod"
cp "$fresh/go.sum" "kubernetes-$minor.sum"
