package sdk_test

import (
	"os"
	"path/filepath"
	"strings"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/languagehost"
)

// hosted are the languages whose hosts come with a released Pulumi CLI alone. So that plain project folders run everywhere, the program of
// these tests plays their part.
var hosted = []string{"go", "nodejs", "python"}

const hostPrefix = "pulumi-language-"

// linkHosts makes a folder for the PATH in which the CLI finds the program of these tests as its hosts.
func linkHosts(dir string) error {
	tests, err := os.Executable()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, language := range hosted {
		if err := os.Symlink(tests, filepath.Join(dir, hostPrefix+language)); err != nil {
			return err
		}
	}
	return nil
}

// calledAsHost says for which language the CLI has started this program, if it has.
func calledAsHost() (language string, yes bool) {
	return strings.CutPrefix(filepath.Base(os.Args[0]), hostPrefix)
}

// serveHost is a language host, until the CLI is through with it.
func serveHost(language string) error {
	return languagehost.Serve(language, func(h languagehost.Host) pulumirpc.LanguageRuntimeServer { return host{h} })
}

// host does what tests of packages, imports and policies need besides.
type host struct{ languagehost.Host }
