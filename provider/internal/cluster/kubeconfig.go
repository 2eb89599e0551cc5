package cluster

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/yaml"
)

// isContents tells a kubeconfig from the path of one: contents span lines, or are a mapping on one line (JSON).
func isContents(kubeconfig string) bool {
	text := strings.TrimSpace(kubeconfig)
	if strings.Contains(text, "\n") {
		return true
	}
	var mapping map[string]any
	return yaml.Unmarshal([]byte(text), &mapping) == nil && mapping != nil
}

// loadKubeconfig reads what the Kubeconfig field says.
func loadKubeconfig(kubeconfig string) (*clientcmdapi.Config, error) {
	text := strings.TrimSpace(kubeconfig)
	if isContents(text) {
		config, err := clientcmd.Load([]byte(text))
		if err != nil {
			return nil, &FieldError{Field: "kubeconfig", Reason: "is not a valid kubeconfig" + position(err)}
		}
		return config, nil
	}
	path, err := expandHome(text)
	if err != nil {
		return nil, err
	}
	if err := readable(path); err != nil {
		return nil, err
	}
	return loadFiles(path)
}

// loadAmbient reads what kubectl would: $KUBECONFIG, which may list several files, else ~/.kube/config. It returns
// nil if neither is there.
func loadAmbient() (*clientcmdapi.Config, error) {
	if list := os.Getenv(clientcmd.RecommendedConfigPathEnvVar); list != "" {
		var found, missing []string
		for _, path := range filepath.SplitList(list) {
			if path == "" {
				continue
			}
			if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
				missing = append(missing, path)
				continue
			}
			if err := readable(path); err != nil {
				return nil, err
			}
			found = append(found, path)
		}
		if len(found) == 0 && len(missing) > 0 {
			return nil, &FieldError{Field: "kubeconfig", Reason: fmt.Sprintf(
				"is not set, and the environment's KUBECONFIG names only files that do not exist: %s", strings.Join(missing, ", "))}
		}
		if len(found) > 0 {
			return loadFiles(found...)
		}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, nil //nolint:nilerr // without a home there is no kubeconfig in it
	}
	path := filepath.Join(home, clientcmd.RecommendedHomeDir, clientcmd.RecommendedFileName)
	if _, err := os.Stat(path); err != nil {
		return nil, nil //nolint:nilerr // the next place is in-cluster
	}
	return loadFiles(path)
}

// loadFiles merges kubeconfigs as kubectl does: the first file that sets a value wins, and relative paths in a file
// are relative to it.
func loadFiles(paths ...string) (*clientcmdapi.Config, error) {
	rules := clientcmd.ClientConfigLoadingRules{Precedence: paths}
	config, err := rules.Load()
	if err != nil {
		return nil, &FieldError{Field: "kubeconfig", Reason: fmt.Sprintf(
			"%s is not a valid kubeconfig%s", strings.Join(paths, ", "), position(err))}
	}
	return config, nil
}

func readable(path string) error {
	file, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &FieldError{Field: "kubeconfig", Reason: fmt.Sprintf("file %q does not exist", path), Err: fs.ErrNotExist}
	case err != nil:
		return &FieldError{Field: "kubeconfig", Reason: fmt.Sprintf("file %q cannot be read", path), Err: err}
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err == nil && info.IsDir() {
		return &FieldError{Field: "kubeconfig", Reason: fmt.Sprintf("%q is a directory", path)}
	}
	return nil
}

func expandHome(path string) (string, error) {
	if path != "~" && !strings.HasPrefix(path, "~/") && !strings.HasPrefix(path, `~\`) {
		return path, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", &FieldError{Field: "kubeconfig", Reason: "has a ~ and the home directory is not known", Err: err}
	}
	return filepath.Join(home, path[1:]), nil
}

// linePattern finds where a parser stopped. The rest of its message may quote the file, which holds credentials.
var linePattern = regexp.MustCompile(`line \d+`)

func position(err error) string {
	if line := linePattern.FindString(err.Error()); line != "" {
		return " (" + line + ")"
	}
	return ""
}

// chooseContext makes sure that the context is there, because client-go would silently go on without.
func chooseContext(config *clientcmdapi.Config, context string) (string, error) {
	names := make([]string, 0, len(config.Contexts))
	for name := range config.Contexts {
		names = append(names, name)
	}
	sort.Strings(names)
	switch {
	case len(names) == 0:
		return "", &FieldError{Field: "kubeconfig", Reason: "has no contexts"}
	case context == "" && config.CurrentContext == "":
		return "", &FieldError{Field: "context", Reason: fmt.Sprintf(
			"must be set, because the kubeconfig has no current-context; it has %s", strings.Join(names, ", "))}
	case context == "":
		context = config.CurrentContext
	}
	if config.Contexts[context] == nil {
		return "", &FieldError{Field: "context", Reason: fmt.Sprintf(
			"%q is not in the kubeconfig; it has %s", context, strings.Join(names, ", "))}
	}
	return context, nil
}
