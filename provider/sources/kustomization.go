package sources

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kustomize"
)

// kustomization builds the kustomization in a folder, by kubectl's rules: it reads no files outside the folder of a
// kustomization, and runs no plugins.
func (r reader) kustomization(folder string) (source, error) {
	subject := "the kustomization " + folder
	if r.secret {
		subject = "the kustomization"
	}
	label := "what " + subject + " builds"
	root, err := r.kustomizationFolder(folder, subject)
	if err != nil {
		return source{}, err
	}
	disk := newOffline(filesys.MakeFsOnDisk())
	text, err := disk.build(root)
	switch {
	case len(disk.remote) > 0 && r.secret, err != nil && r.secret:
		return source{}, errors.New("the kustomization cannot be built; why is not shown, because the argument is secret")
	case len(disk.remote) > 0:
		return source{}, disk.refusal(root, subject)
	case disk.unreadable != nil:
		err = disk.unreadable
	}
	if err != nil {
		return source{}, failure.Explain(withoutConfig{err}, failure.Operation{Verb: "build", Subject: subject, Sensitive: disk.secrets()})
	}
	return source{input: Kustomization, label: label, text: text}, nil
}

// kustomizationFolder returns the absolute path of a folder, which never counts as a repository.
func (r reader) kustomizationFolder(folder, subject string) (string, error) {
	root, err := filepath.Abs(folder)
	if err == nil {
		var info os.FileInfo
		if info, err = os.Stat(root); err == nil && !info.IsDir() {
			err = errors.New("it is a file; name its folder")
		}
	}
	switch {
	case err == nil:
		return root, nil
	case r.secret:
		return "", errors.New("the folder of the kustomization cannot be read; its name is not shown, because it is secret")
	case remoteReason(folder) != "":
		return "", fmt.Errorf("%s: %s", subject, remoteReason(folder))
	case errors.Is(err, os.ErrNotExist):
		return "", fmt.Errorf("there is no folder %s%s", folder, fromHere())
	default:
		return "", fmt.Errorf("%s: %w", subject, err)
	}
}

// withoutConfig is an error of the library without the configurations that it quotes, which contain patches and the
// data of Secrets, and without passwords in URLs.
type withoutConfig struct{ error }

var quotedConfig = regexp.MustCompile("(?s) with config: `.*`")

func (e withoutConfig) Error() string {
	return withoutPassword(quotedConfig.ReplaceAllString(e.error.Error(), ""))
}

func (e withoutConfig) Unwrap() error { return e.error }

// build runs the library.
func (o *offline) build(root string) (text string, err error) {
	err = kustomize.Build(func() error {
		built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(o, root)
		if err != nil {
			return err
		}
		encoded, err := built.AsYaml()
		text = string(encoded)
		return err
	})
	return text, err
}
