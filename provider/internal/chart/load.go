package chart

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart/loader/archive"
	helm "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// limits bound what a chart may hold.
type limits struct {
	files     int   // number of files, including subcharts
	bytes     int64 // of all files, unpacked
	depth     int   // of charts in charts
	instances int   // of charts: one subchart may be there under several aliases
	values    int64 // bytes of values.yaml, of all instances
}

// chartLimits are several times what the largest charts in use have; the total size of the files is Helm's limit.
var chartLimits = limits{
	files: 20_000, bytes: archive.MaxDecompressedChartSize, depth: 16, instances: 1_000, values: 16 << 20,
}

// Load reads a chart of API version v1 or v2 from its files, with its subcharts, which are folders or archives in charts/.
func Load(files []File) (*Chart, error) { return load(files, chartLimits) }

func load(files []File, bounds limits) (*Chart, error) {
	budget := &budget{bounds: bounds}
	loaded, err := budget.load(files, 1)
	if err != nil {
		return nil, err
	}
	if err := installable(loaded); err != nil {
		return nil, err
	}
	if used := demandOf(loaded); used.instances > bounds.instances || used.values > bounds.values {
		return nil, &LimitError{fmt.Sprintf("the chart %s has too many subcharts: more than %d, or more than %d MiB of values in them",
			loaded.Name(), bounds.instances, bounds.values>>20)}
	}
	return &Chart{loaded: loaded, digest: digestOf(files)}, nil
}

// installable refuses charts that Helm does not install.
func installable(loaded *helm.Chart) error {
	if strings.EqualFold(loaded.Metadata.Type, "library") {
		return fmt.Errorf("the chart %s is a library chart: it has only templates for other charts and cannot be installed by itself",
			loaded.Name())
	}
	var missing []string
	for _, dependency := range loaded.Metadata.Dependencies {
		there := func(child *helm.Chart) bool { return child.Name() == dependency.Name }
		if !slices.ContainsFunc(loaded.Dependencies(), there) {
			missing = append(missing, dependency.Name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("the chart %s needs charts that are not in its folder charts/: %s. "+
			"Run `helm dependency build` in the chart's folder", loaded.Name(), strings.Join(missing, ", "))
	}
	return nil
}

// budget counts how much of the limits is used.
type budget struct {
	bounds limits
	files  int
	bytes  int64
}

func (b *budget) take(files []File) error {
	b.files += len(files)
	for _, file := range files {
		b.bytes += int64(len(file.Data))
	}
	switch {
	case b.files > b.bounds.files:
		return &LimitError{fmt.Sprintf("the chart has more than %d files", b.bounds.files)}
	case b.bytes > b.bounds.bytes:
		return &LimitError{fmt.Sprintf("the files of the chart have more than %d MiB", b.bounds.bytes>>20)}
	}
	return nil
}

// load loads a chart without its subcharts through Helm's loader, and then each subchart, ordered by name: Helm would load them in a
// different order each time, and unpack nested archives without a common limit.
func (b *budget) load(files []File, depth int) (*helm.Chart, error) {
	if depth > b.bounds.depth {
		return nil, &LimitError{fmt.Sprintf("the chart has subcharts in subcharts to a depth of more than %d", b.bounds.depth)}
	}
	if depth == 1 {
		if err := b.take(files); err != nil {
			return nil, err
		}
	}
	var own []*archive.BufferedFile
	children := map[string][]File{}
	for _, file := range files {
		inner, isChild := strings.CutPrefix(file.Name, "charts/")
		if !isChild || path.Ext(file.Name) == ".prov" {
			own = append(own, &archive.BufferedFile{Name: file.Name, Data: file.Data})
			continue
		}
		name, _, _ := strings.Cut(inner, "/")
		children[name] = append(children[name], File{Name: inner, Data: file.Data})
	}
	loaded, err := loadOne(own)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(children)) {
		if strings.IndexAny(name, "_.") == 0 {
			continue
		}
		child, err := b.child(name, children[name], depth+1)
		if err != nil {
			return nil, fmt.Errorf("charts/%s in the chart %s: %w", name, loaded.Name(), err)
		}
		loaded.AddDependency(child)
	}
	return loaded, nil
}

// loadOne loads a chart without subcharts.
func loadOne(files []*archive.BufferedFile) (loaded *helm.Chart, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("the chart cannot be read: %v", cause)
		}
	}()
	for _, file := range files {
		if !strings.Contains(file.Name, "/") && path.Ext(file.Name) == ".yaml" { // what the loader reads
			if err := manifest.CheckAliases(string(file.Data)); err != nil {
				return nil, &LimitError{fmt.Sprintf("the file %s of the chart: %v", file.Name, err)}
			}
		}
	}
	loaded, err = loader.LoadFiles(files)
	if err != nil {
		return nil, fmt.Errorf("the chart cannot be read: %w", err)
	}
	switch loaded.Metadata.APIVersion {
	case helm.APIVersionV1, helm.APIVersionV2:
	default:
		return nil, fmt.Errorf("the apiVersion %q in Chart.yaml is not known: only v1 and v2 are", loaded.Metadata.APIVersion)
	}
	return loaded, nil
}

// child loads a subchart: an archive, or the files of a folder.
func (b *budget) child(name string, files []File, depth int) (*helm.Chart, error) {
	if path.Ext(name) != ".tgz" {
		var own []File
		for _, file := range files {
			if _, inner, below := strings.Cut(file.Name, "/"); below {
				own = append(own, File{Name: inner, Data: file.Data})
			}
		}
		return b.load(own, depth)
	}
	if files[0].Name != name {
		return nil, fmt.Errorf("it is a folder with the name of an archive")
	}
	own, err := b.unpack(files[0].Data)
	if err != nil {
		return nil, err
	}
	return b.load(own, depth)
}

// unpack unpacks an archive with Helm's rules for names. Its size has been counted before.
func (b *budget) unpack(data []byte) ([]File, error) {
	unzipped, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("the archive cannot be read: %w", err)
	}
	most := b.bounds.bytes - b.bytes + int64(b.bounds.files-b.files)*1024 // and what the archive needs itself
	size, err := io.Copy(io.Discard, io.LimitReader(unzipped, most+1))
	if err != nil {
		return nil, fmt.Errorf("the archive cannot be read: %w", err)
	}
	if size > most {
		return nil, &LimitError{fmt.Sprintf("the files of the chart have more than %d MiB", b.bounds.bytes>>20)}
	}
	buffered, err := archive.LoadArchiveFiles(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("the archive cannot be read: %w", err)
	}
	files := make([]File, len(buffered))
	for i, file := range buffered {
		files[i] = File{Name: file.Name, Data: file.Data}
	}
	return files, b.take(files)
}

// demand is the most that Helm makes of a chart before it knows which subcharts are enabled: a subchart with n aliases is there n times,
// with everything that is in it.
type demand struct {
	instances int
	values    int64
}

// boundless exceeds every limit; sums stop there.
const boundless = 1 << 40

func demandOf(loaded *helm.Chart) demand {
	total := demand{instances: 1}
	for _, file := range loaded.Raw {
		if file.Name == "values.yaml" {
			total.values += int64(len(file.Data))
		}
	}
	for _, child := range loaded.Dependencies() {
		times := 0
		for _, dependency := range loaded.Metadata.Dependencies {
			if dependency.Name == child.Name() {
				times++
			}
		}
		one := demandOf(child)
		total.instances += one.instances * max(times, 1)
		total.values += one.values * int64(max(times, 1))
		total.instances = min(total.instances, boundless)
		total.values = min(total.values, boundless)
	}
	return total
}
