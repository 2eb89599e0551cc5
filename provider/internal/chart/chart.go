package chart

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"
	"sync"

	helm "helm.sh/helm/v4/pkg/chart/v2"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
)

// File is a file of a chart. Its name is relative to the chart's folder, with slashes: templates/web.yaml.
type File struct {
	Name string
	Data []byte
}

// Chart is a chart with its subcharts. It is never changed, so it can be rendered concurrently.
type Chart struct {
	loaded *helm.Chart
	digest string

	reading sync.Once
	source  *draws.Source

	// rewritten are the templates as Draws rewrites them, by their names and texts.
	rewritten sync.Map
	// parsed are the parsed templates, by their names and whether they are rewritten.
	parsed sync.Map

	definitions definitionFiles
}

// Name returns the name in Chart.yaml.
func (c *Chart) Name() string { return c.loaded.Metadata.Name }

// Version returns the version in Chart.yaml.
func (c *Chart) Version() string { return c.loaded.Metadata.Version }

// AppVersion returns the version of the application that the chart installs, if Chart.yaml states it.
func (c *Chart) AppVersion() string { return c.loaded.Metadata.AppVersion }

// Deprecated reports whether Chart.yaml says that the chart is deprecated.
func (c *Chart) Deprecated() bool { return c.loaded.Metadata.Deprecated }

// Digest identifies the content of the chart: the SHA-256, in hexadecimal, of the names and contents of all files.
func (c *Chart) Digest() string { return c.digest }

// digestOf returns the digest of files. It does not depend on their order.
func digestOf(files []File) string {
	sorted := slices.Clone(files)
	slices.SortStableFunc(sorted, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	hash := sha256.New()
	part := func(data []byte) {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(data)))
		hash.Write(length[:])
		hash.Write(data)
	}
	for _, file := range sorted {
		part([]byte(file.Name))
		part(file.Data)
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// copyOf copies the parts that a rendering changes: Helm removes and renames subcharts in place. Files are shared.
func copyOf(original *helm.Chart) *helm.Chart {
	chart := *original
	metadata := *original.Metadata
	metadata.Dependencies = make([]*helm.Dependency, len(original.Metadata.Dependencies))
	for i, dependency := range original.Metadata.Dependencies {
		changed := *dependency
		metadata.Dependencies[i] = &changed
	}
	if original.Metadata.Dependencies == nil {
		metadata.Dependencies = nil
	}
	chart.Metadata = &metadata
	children := make([]*helm.Chart, 0, len(original.Dependencies()))
	for _, child := range original.Dependencies() {
		children = append(children, copyOf(child))
	}
	chart.SetDependencies(children...)
	return &chart
}
