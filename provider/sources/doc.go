// Package sources reads manifests out of the inputs of programs: a text, files or a kustomization. It gives each object its key,
// by which programs and states know it, and reports all mistakes at once.
//
// It makes no request: neither to a cluster, nor for remote files that a kustomization names.
package sources
