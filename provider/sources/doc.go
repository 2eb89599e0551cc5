// Package sources reads manifests out of what programs give: a text, files or a kustomization. It gives each object its key, by
// which programs and states know it, and reports all mistakes at once.
//
// It makes no request: neither to a cluster, nor for what a kustomization names elsewhere.
package sources
