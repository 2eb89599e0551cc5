package functions

import (
	"bytes"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// offline is the file system that a kustomization is built from. The library fetches URLs and clones
// repositories as soon as it meets one, and cannot be told not to. So every file that may name one is looked
// through before the library sees it, and is not handed out if it does.
//
// On the way it collects what must not be printed, since the library quotes files in its errors.
type offline struct {
	filesys.FileSystem

	remote    []remoteName
	sensitive []string
	generated []string // the contents of files that generators put into ConfigMaps and Secrets
	// unreadable is about a file that should have been looked through and could not be parsed.
	unreadable error
}

// remoteName names something remote. file is where it stands.
type remoteName struct{ file, target, reason string }

// ReadFile reads a file that names nothing remote.
func (o *offline) ReadFile(path string) ([]byte, error) {
	content, err := o.FileSystem.ReadFile(path)
	if err != nil {
		return nil, err
	}
	before := len(o.remote)
	kustomization := slices.Contains(konfig.RecognizedKustomizationFileNames(), filepath.Base(path))
	plugin := pluginVersion.Match(content)
	if kustomization || plugin || bytes.Contains(content, []byte("Secret")) {
		failed := o.inspect(path, string(content), kustomization)
		if len(failed) > 0 && (kustomization || plugin) {
			// The library may read what we do not, and find a remote name in it.
			o.unreadable = fmt.Errorf("%s: %w", path, failed[0])
		}
	}
	if o.unreadable != nil {
		return nil, o.unreadable
	}
	if len(o.remote) > before {
		return nil, fmt.Errorf("%s: %s", path, o.remote[before].reason)
	}
	if !kustomization && !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path)) {
		o.generated = append(o.generated, string(content))
	}
	return content, nil
}

// secrets are the texts that must not be printed.
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

// pluginVersion finds the configurations of built-in plugins.
var pluginVersion = regexp.MustCompile(`apiVersion["']?\s*:\s*["']?` + konfig.BuiltinPluginApiVersion)

// inspect looks through the documents of a text, and returns the mistakes in those that it cannot read.
func (o *offline) inspect(path, text string, kustomization bool) []*manifest.PlacedError {
	found, failed := manifest.ParseDocuments(text)
	for _, placed := range found {
		object := placed.Object
		o.sensitive = append(o.sensitive, tracked.KindTexts(object)...)
		if kustomization || object["apiVersion"] == konfig.BuiltinPluginApiVersion {
			o.walk(path, "", object)
		}
	}
	return failed
}

// pathFields are the fields of kustomizations and of the configurations of built-in plugins that name files
// and folders.
var pathFields = []string{
	"resources", "bases", "components", "crds", "configurations", "generators", "transformers", "validators",
	"patchesStrategicMerge", "path", "paths", "files", "file", "envs", "env", "targetFilePath",
}

// freeFields are the fields whose contents are the user's own.
var freeFields = []string{"labels", "commonLabels", "commonAnnotations", "annotations"}

// walk looks for names of what is remote in the value of a field.
func (o *offline) walk(path, field string, value any) {
	switch value := value.(type) {
	case map[string]any:
		for key, member := range value {
			if !slices.Contains(freeFields, key) {
				o.walk(path, key, member)
			}
		}
	case []any:
		for _, item := range value {
			o.walk(path, field, item)
		}
	case string:
		switch {
		case field == "literals" || field == "patch":
			_, secret, _ := strings.Cut(value, "=")
			o.sensitive = append(o.sensitive, value, secret)
		case !slices.Contains(pathFields, field):
		case strings.Contains(value, "\n"): // an inline plugin configuration or patch
			o.sensitive = append(o.sensitive, value)
			if failed := o.inspect(path, value, false); len(failed) > 0 && pluginVersion.MatchString(value) {
				o.unreadable = fmt.Errorf("%s: inline: %w", path, failed[0])
			}
		default:
			o.name(path, value)
			if _, file, named := strings.Cut(value, "="); named { // KEY=FILE of a generator
				o.name(path, file)
			}
		}
	}
}

func (o *offline) name(path, target string) {
	if reason := remoteReason(target); reason != "" {
		o.remote = append(o.remote, remoteName{path, target, reason})
	}
}

// schemes are how names of what is remote begin, as the library reads them.
var schemes = regexp.MustCompile(`(?i)^(git::|(https?|ssh|file)://|github\.com[/:]|[a-z][a-z0-9-]*@)`)

// remoteReason says why a name means something that would be fetched; it is empty for a path. A name that
// could be both is remote: the library would try that first.
func remoteReason(target string) string {
	address, err := url.Parse(target)
	isURL := err == nil && (address.Scheme == "http" || address.Scheme == "https")
	if !isURL && !schemes.MatchString(target) {
		return ""
	}
	return "it is remote, and splitYaml fetches nothing from the network; download it, and name the files that you have looked at"
}

// refusal is the error about what is remote.
func (o *offline) refusal(root, subject string) error {
	lines := []string{fmt.Sprintf("cannot build %s: it needs what is remote, and splitYaml fetches nothing from the network", subject)}
	for _, found := range o.remote {
		file := found.file
		if relative, err := filepath.Rel(root, file); err == nil {
			file = relative
		}
		lines = append(lines, fmt.Sprintf("  %s names %s", file, withoutPassword(found.target)))
	}
	lines = append(lines, "  Next: download what is named, have a look at it, and name the downloaded files instead.")
	return fmt.Errorf("%s", strings.Join(lines, "\n"))
}

// credentials are those in a URL.
var credentials = regexp.MustCompile(`//[^/@]*@`)

func withoutPassword(target string) string { return credentials.ReplaceAllString(target, "//") }
