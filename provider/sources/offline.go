package sources

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// offline is the file system that a kustomization is built from. The library fetches URLs and clones repositories as soon as it
// meets one, and has no option against that. So offline inspects every file that may name one before the library sees it, and
// withholds the file if it does.
//
// There is a second line of defence. Only kustomizations name repositories: every name in them that the library would take for a
// repository must name a file or folder. A URL may also come out of a patch; its fetch is refused at the start (see
// [refuseFetches]).
//
// On the way, offline collects what must not be printed, because the library quotes files in its errors.
type offline struct {
	filesys.FileSystem

	folders   map[string]string // the folders of the kustomizations, by their files
	remote    []remoteName
	sensitive []string
	generated []string // the contents of files that generators put into ConfigMaps and Secrets
	// unreadable concerns a file that could not be inspected because it does not parse, or that names something
	// missing.
	unreadable error
}

func newOffline(disk filesys.FileSystem) *offline {
	return &offline{FileSystem: disk, folders: map[string]string{}}
}

// CleanedAbs follows links. The library calls it before it reads a file: a kustomization behind a link is read under
// another name, and is still one.
func (o *offline) CleanedAbs(path string) (filesys.ConfirmedDir, string, error) {
	folder, file, err := o.FileSystem.CleanedAbs(path)
	if err == nil && slices.Contains(konfig.RecognizedKustomizationFileNames(), filepath.Base(path)) {
		o.folders[folder.Join(file)] = filepath.Dir(path)
	}
	return folder, file, err
}

// ReadFile reads a file that names nothing remote.
func (o *offline) ReadFile(path string) ([]byte, error) {
	content, err := o.FileSystem.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if err := manifest.CheckAnchors(string(content)); err != nil {
		o.unreadable = fmt.Errorf("%s: %w", path, err)
		return nil, o.unreadable
	}
	before := len(o.remote)
	folder, kustomization := o.folders[path]
	from := reading{o, path, kustomization}
	plugin := pluginVersion.Match(content)
	if kustomization || plugin || bytes.Contains(content, []byte("Secret")) {
		_, failed := from.inspect(string(content))
		switch {
		case len(failed) > 0 && (kustomization || plugin):
			// The library may read what we cannot, and find a remote name in it.
			o.unreadable = fmt.Errorf("%s: %w", path, failed[0])
		case kustomization:
			from.checkFolders(content, folder)
		}
	}
	if len(o.remote) > before {
		return nil, fmt.Errorf("%s: %s", path, o.remote[before].reason)
	}
	if o.unreadable != nil {
		return nil, o.unreadable
	}
	if !kustomization && !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path)) {
		o.generated = append(o.generated, string(content))
	}
	return content, nil
}

// secrets returns the texts that must not be printed.
func (o *offline) secrets() []string {
	texts := slices.Clone(o.sensitive)
	for _, content := range slices.Concat(o.sensitive, o.generated) {
		for line := range strings.Lines(content) {
			line = strings.TrimSpace(line)
			_, value, _ := strings.Cut(line, "=")
			texts = append(texts, line, value)
		}
	}
	return texts
}

// reading inspects a file, or a text in it.
type reading struct {
	*offline

	path string
	// kustomization means that it inspects a kustomization.
	kustomization bool
}

// pluginVersion finds the configurations of built-in plugins.
var pluginVersion = regexp.MustCompile(`apiVersion["']?\s*:\s*["']?` + konfig.BuiltinPluginApiVersion)

// inspect inspects the documents of a text. It returns how many objects the text contains, and the mistakes in the documents that
// it cannot read.
func (r reading) inspect(text string) (objects int, failed []*manifest.PlacedError) {
	found, failed := manifest.ParseDocuments(text)
	for _, placed := range found {
		object := placed.Object
		r.sensitive = append(r.sensitive, tracked.KindTexts(object)...)
		if r.kustomization || object["apiVersion"] == konfig.BuiltinPluginApiVersion {
			r.walk("", object)
		}
	}
	return len(found), failed
}

// pathFields are the fields of kustomizations and of the configurations of built-in plugins that name files
// and folders.
var pathFields = []string{
	"resources", "bases", "components", "crds", "configurations", "generators", "transformers", "validators",
	"patchesStrategicMerge", "path", "paths", "files", "file", "envs", "env", "targetFilePath",
}

// freeFields are the fields whose content the user makes up.
var freeFields = []string{"labels", "commonLabels", "commonAnnotations", "annotations"}

// isOneOf reports whether the library reads a key as one of the fields: it decodes them with encoding/json, which
// ignores case, and also reads ſ as s.
func isOneOf(fields []string, key string) bool {
	return slices.ContainsFunc(fields, func(field string) bool { return strings.EqualFold(field, key) })
}

// walk looks for remote names in the value of a field.
func (r reading) walk(field string, value any) {
	switch value := value.(type) {
	case map[string]any:
		for key, member := range value {
			if !isOneOf(freeFields, key) {
				r.walk(key, member)
			}
		}
	case []any:
		for _, item := range value {
			r.walk(field, item)
		}
	case string:
		if err := manifest.CheckAnchors(value); err != nil {
			r.unreadable = fmt.Errorf("%s: inline: %w", r.path, err)
		}
		switch {
		case isOneOf([]string{"literals", "patch"}, field):
			_, secret, _ := strings.Cut(value, "=")
			r.sensitive = append(r.sensitive, value, secret)
		case isOneOf(pathFields, field):
			r.name(value)
		}
	}
}

// name checks the name of a file or folder, and reports whether it is one: a plugin configuration or a patch may stand in its
// place.
func (r reading) name(value string) bool {
	r.checkName(value)
	objects, failed := reading{offline: r.offline, path: r.path}.inspect(value)
	if objects > 0 || strings.Contains(value, "\n") {
		r.sensitive = append(r.sensitive, value)
		if len(failed) > 0 && pluginVersion.MatchString(value) {
			r.unreadable = fmt.Errorf("%s: inline: %w", r.path, failed[0])
		}
	}
	if objects > 0 {
		return false
	}
	if _, file, named := strings.Cut(value, "="); named { // KEY=FILE of a generator
		r.checkName(file)
	}
	return true
}

func (r reading) checkName(target string) {
	found := remoteName{r.path, target, remoteReason(target)}
	if found.reason != "" && !slices.Contains(r.remote, found) {
		r.remote = append(r.remote, found)
	}
}

// checkFolders checks the names in a kustomization that may name repositories, the way the library reads them. If a name looks
// like a repository, the library tries to clone it without checking for a file or folder of that name.
func (r reading) checkFolders(content []byte, folder string) {
	var read types.Kustomization
	if read.Unmarshal(content) != nil {
		return // then the library stops as well
	}
	for _, name := range slices.Concat(
		read.Resources, read.Bases, read.Components, read.Generators, read.Transformers, read.Validators, //nolint:staticcheck // the library still reads bases
	) {
		if !r.name(name) {
			continue
		}
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(folder, path)
		}
		if !r.Exists(path) && r.unreadable == nil {
			r.unreadable = fmt.Errorf("%s names %s, and there is no such file or folder", r.path, withoutPassword(name))
		}
	}
}
