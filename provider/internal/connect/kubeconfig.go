package connect

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// contentsOf distinguishes the contents of a kubeconfig from its path. Contents span several lines, or are a mapping on
// one line (JSON), or are either of these in base64, which is how CI systems keep them.
func contentsOf(kubeconfig string) (contents []byte, ok bool) {
	text := strings.TrimSpace(kubeconfig)
	// A file name may happen to be valid base64, but it does not decode to a text with a colon.
	if decoded, ok := decodeBase64(text); ok && utf8.Valid(decoded) && bytes.ContainsRune(decoded, ':') && isContents(string(decoded)) {
		return decoded, true
	}
	return []byte(text), isContents(text)
}

func isContents(text string) bool {
	return strings.Contains(strings.TrimSpace(text), "\n") || isMapping(text)
}

func isMapping(text string) bool {
	var mapping map[string]any
	return yaml.Unmarshal([]byte(text), &mapping) == nil && mapping != nil
}

// pathShape matches texts that are certainly paths by their beginning, or that end like the name of a kubeconfig.
var pathShape = regexp.MustCompile(`(?i)^(/|~|\.{1,2}[/\\]|[a-z]:[/\\]|\\\\)|(config|\.(ya?ml|json|conf))$`)

// maxShownPath is the maximum length of a path that is shown.
const maxShownPath = 255

// looksLikePath reports whether a text that was given as a path can be shown. Any other text may be credentials in the
// wrong field: a kubeconfig in damaged base64, or a token.
func looksLikePath(text string) bool {
	return len(text) <= maxShownPath && !strings.ContainsFunc(text, unicode.IsControl) && pathShape.MatchString(text)
}

// loadKubeconfig loads the kubeconfig in the Kubeconfig field.
func loadKubeconfig(kubeconfig string) (*clientcmdapi.Config, error) {
	if contents, ok := contentsOf(kubeconfig); ok {
		config, err := clientcmd.Load(contents)
		if err != nil {
			return nil, &failure.FieldError{Field: "kubeconfig", Reason: "is not a valid kubeconfig" + position(err)}
		}
		return config, nil
	}
	path, err := expandHome(kubeconfig)
	if err != nil {
		return nil, err
	}
	switch err := readable(path); {
	case err != nil && !looksLikePath(strings.TrimSpace(kubeconfig)):
		return nil, &failure.FieldError{Field: "kubeconfig", Reason: "what is set is neither a kubeconfig nor the path of a file; " +
			"it takes contents (YAML or JSON, plain or in base64) or a path"}
	case err != nil:
		return nil, &failure.FieldError{Field: "kubeconfig", Reason: unreadable(path, err)}
	}
	return loadFiles(path)
}

// loadAmbient loads the kubeconfig that kubectl would use: $KUBECONFIG, which may list several files, otherwise
// ~/.kube/config. It returns nil if neither exists.
func loadAmbient() (*clientcmdapi.Config, error) {
	listed, home := ambientFiles()
	var found, missing []string
	for _, path := range listed {
		err := readable(path)
		switch {
		case err == nil:
			found = append(found, path)
		case !looksLikePath(path):
			return nil, &failure.FieldError{Field: "kubeconfig", Reason: "is not set, and the environment's KUBECONFIG is not a list of paths; " +
				"contents, plain or in base64, go into kubeconfig"}
		case errors.Is(err, fs.ErrNotExist):
			missing = append(missing, path)
		default:
			return nil, &failure.FieldError{Field: "kubeconfig", Reason: "is not set, and of the environment's KUBECONFIG " + unreadable(path, err)}
		}
	}
	switch {
	case len(found) > 0:
		return loadFiles(found...)
	case len(missing) > 0:
		return nil, &failure.FieldError{Field: "kubeconfig", Reason: fmt.Sprintf(
			"is not set, and the environment's KUBECONFIG names only files that do not exist: %s", strings.Join(missing, ", "))}
	}
	if _, err := os.Stat(home); err != nil {
		return nil, nil //nolint:nilerr // the next place is in-cluster
	}
	return loadFiles(home)
}

// ambientFiles returns the files that $KUBECONFIG lists, and the file to use if it lists none, which is "" without a
// home directory.
func ambientFiles() (listed []string, home string) {
	for _, path := range filepath.SplitList(os.Getenv(clientcmd.RecommendedConfigPathEnvVar)) {
		if path != "" {
			listed = append(listed, path)
		}
	}
	if folder, err := os.UserHomeDir(); err == nil {
		home = filepath.Join(folder, clientcmd.RecommendedHomeDir, clientcmd.RecommendedFileName)
	}
	return listed, home
}

// KubeconfigFiles returns all files that can say where the connection leads, whether they exist or not.
func (c Connection) KubeconfigFiles() []string {
	if c.inline() {
		return nil
	}
	kubeconfig := strings.TrimSpace(c.Kubeconfig.reveal())
	if kubeconfig == "" {
		listed, home := ambientFiles()
		return append(listed, home)
	}
	if _, ok := contentsOf(kubeconfig); ok {
		return nil
	}
	path, err := expandHome(kubeconfig)
	if err != nil {
		return nil
	}
	return []string{path}
}

// loadFiles merges kubeconfigs as kubectl does: the first file that sets a value wins, and relative paths in a file are
// relative to that file.
func loadFiles(paths ...string) (*clientcmdapi.Config, error) {
	rules := clientcmd.ClientConfigLoadingRules{Precedence: paths}
	config, err := rules.Load()
	if err != nil {
		return nil, &failure.FieldError{Field: "kubeconfig", Reason: fmt.Sprintf(
			"%s is not a valid kubeconfig%s", strings.Join(paths, ", "), position(err))}
	}
	return config, nil
}

// readable reports why a file cannot be read.
func readable(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return &fs.PathError{Op: "read", Path: path, Err: errIsDirectory}
	}
	return nil
}

var errIsDirectory = errors.New("is a directory")

// unreadable says what is wrong with a file, and names it once.
func unreadable(path string, err error) string {
	cause := err
	if inner := (*fs.PathError)(nil); errors.As(err, &inner) {
		cause = inner.Err
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("file %q does not exist", path)
	case errors.Is(err, errIsDirectory):
		return fmt.Sprintf("%q is a directory", path)
	default:
		return fmt.Sprintf("file %q cannot be read: %v", path, cause)
	}
}

// expandHome converts the Kubeconfig field to a path.
func expandHome(kubeconfig string) (string, error) {
	path := strings.TrimSpace(kubeconfig)
	if path != "~" && !strings.HasPrefix(path, "~/") && !strings.HasPrefix(path, `~\`) {
		return path, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", &failure.FieldError{Field: "kubeconfig", Reason: "has a ~ and the home directory is not known", Err: err}
	}
	return filepath.Join(home, path[1:]), nil
}

// linePattern finds the line at which a parser stopped. The rest of its message may quote the file, which holds
// credentials.
var linePattern = regexp.MustCompile(`line \d+`)

func position(err error) string {
	if line := linePattern.FindString(err.Error()); line != "" {
		return " (" + line + ")"
	}
	return ""
}

// chooseContext makes sure that the context exists, because client-go would silently continue without it.
func chooseContext(config *clientcmdapi.Config, context string) (string, error) {
	names := slices.Sorted(maps.Keys(config.Contexts))
	switch {
	case len(names) == 0:
		return "", &failure.FieldError{Field: "kubeconfig", Reason: "has no contexts"}
	case context == "" && config.CurrentContext == "":
		return "", &failure.FieldError{Field: "context", Reason: fmt.Sprintf(
			"must be set, because the kubeconfig has no current-context; it has %s", strings.Join(names, ", "))}
	case context == "":
		context = config.CurrentContext
	}
	if config.Contexts[context] == nil {
		return "", &failure.FieldError{Field: "context", Reason: fmt.Sprintf(
			"%q is not in the kubeconfig; it has %s", context, strings.Join(names, ", "))}
	}
	return context, nil
}

// checkFiles makes sure that the files that a context names exist, because client-go would repeat the text that was
// given as a path. That text may be a key in base64, which belongs in client-key-data.
func checkFiles(config *clientcmdapi.Config, context string) error {
	type named struct{ key, path string }
	var files []named
	if cluster := config.Clusters[config.Contexts[context].Cluster]; cluster != nil {
		if len(cluster.CertificateAuthorityData) == 0 {
			files = append(files, named{"certificate-authority", cluster.CertificateAuthority})
		}
		if _, err := ParseProxy(cluster.ProxyURL); err != nil && cluster.ProxyURL != "" {
			return &failure.FieldError{Field: "kubeconfig", Reason: fmt.Sprintf("context %s has a proxy-url that is not usable: %v", context, err)}
		}
	}
	if user := config.AuthInfos[config.Contexts[context].AuthInfo]; user != nil {
		files = append(files, named{"client-certificate", user.ClientCertificate})
		if user.ClientCertificate != "" || len(user.ClientCertificateData) > 0 {
			files = append(files, named{"client-key", user.ClientKey})
		}
		if user.Token == "" {
			files = append(files, named{"tokenFile", user.TokenFile})
		}
	}
	for _, file := range files {
		if file.path == "" {
			continue
		}
		switch err := readable(file.path); {
		case err != nil && !looksLikePath(file.path):
			return &failure.FieldError{Field: "kubeconfig", Reason: fmt.Sprintf(
				"what context %s has as %s is not the path of a file", context, file.key)}
		case err != nil:
			return &failure.FieldError{Field: "kubeconfig", Reason: fmt.Sprintf(
				"context %s names a %s that cannot be read: %s", context, file.key, unreadable(file.path, err))}
		}
	}
	return nil
}
