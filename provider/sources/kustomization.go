package sources

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sync"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/kustomize/kyaml/openapi"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// building allows one kustomization build at a time: the library keeps the schemas of kinds, which a kustomization
// may bring, in one place for the whole process.
var building sync.Mutex

// kustomize builds the kustomization in a folder, by kubectl's rules: it reads no files outside the folder of a
// kustomization, and runs no plugins.
func kustomize(folder string, secret bool) (source, error) {
	subject := "the kustomization " + folder
	if secret {
		subject = "the kustomization"
	}
	label := "what " + subject + " builds"
	root, err := filepath.Abs(folder) // an absolute path never counts as a repository
	if err == nil {
		var info os.FileInfo
		if info, err = os.Stat(root); err == nil && !info.IsDir() {
			err = errors.New("it is a file; name its folder")
		}
	}
	switch {
	case remoteReason(folder) != "" && err != nil && !secret:
		return source{}, fmt.Errorf("%s: %s", subject, remoteReason(folder))
	case err != nil && secret:
		return source{}, errors.New("the folder of the kustomization cannot be read; its name is not shown, because it is secret")
	case errors.Is(err, os.ErrNotExist):
		return source{}, fmt.Errorf("there is no folder %s%s", folder, fromHere())
	case err != nil:
		return source{}, fmt.Errorf("%s: %w", subject, err)
	}
	disk := newOffline(filesys.MakeFsOnDisk())
	text, err := disk.build(root)
	switch {
	case len(disk.remote) > 0 && secret, err != nil && secret:
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

// withoutConfig is an error of the library without the configurations that it quotes, which contain patches and the
// data of Secrets, and without passwords in URLs.
type withoutConfig struct{ error }

var quotedConfig = regexp.MustCompile("(?s) with config: `.*`")

func (e withoutConfig) Error() string {
	return withoutPassword(quotedConfig.ReplaceAllString(e.error.Error(), ""))
}

func (e withoutConfig) Unwrap() error { return e.error }

// build runs the library. The library panics on some malformed input, which must not end the provider, because it is
// working on other resources.
func (o *offline) build(root string) (text string, err error) {
	building.Lock()
	defer building.Unlock()
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("kustomize gave up: %v", cause)
		}
	}()
	openapi.ResetOpenAPI() // what an earlier kustomization brought
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(o, root)
	if err != nil {
		return "", err
	}
	encoded, err := built.AsYaml()
	return string(encoded), err
}
