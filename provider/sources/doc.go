// Package sources reads manifests out of the inputs of programs: a text, files or a kustomization. It gives each object its key,
// by which programs and states know it, and reports all mistakes at once.
//
// It makes no request: neither to a cluster, nor for remote files that a kustomization names.
//
// # The files
//
//   - the inputs content, files and kustomization, and patterns for files: sources.go
//   - the name of an object in its set: key.go; two manifests with one name, and how many mistakes are shown: collect.go
//   - what is applied first: tiers.go
//   - building a kustomization: kustomization.go
//   - a kustomization that names something remote: offline.go finds the names, remote_names.go judges and refuses them
//   - a manifest as functions return it: named_manifest.go
package sources
