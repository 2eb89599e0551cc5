package sdk_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestProjectFolders runs the README's first program as "pulumi new" would have it: a folder for the commands of
// the CLI. The hosts of these languages come with a released CLI and cannot be built from a module.
func TestProjectFolders(t *testing.T) {
	for _, language := range []struct {
		name, runtime, main string
		programs            *installation
	}{
		{"go", "go", "first", &goPrograms},
		{"nodejs", "nodejs", "first.ts", &nodePrograms},
		{"python", "{name: python, options: {virtualenv: venv}}", "first.py", &pythonPrograms},
	} {
		// One after the other: all make the same object.
		t.Run(language.name, func(t *testing.T) {
			selected(t, language.name)
			host := "pulumi-language-" + language.name
			if _, err := exec.LookPath(host); err != nil {
				t.Skipf("%s is not on the PATH: it comes with a released Pulumi CLI", host)
			}
			p := language.programs.get(t)
			by := folder(func(t *testing.T, s *story) {
				s.dir = p.dir
				s.env["HOME"] = os.Getenv("HOME") // the caches of the language
				for _, setting := range p.env {
					if key, value, _ := strings.Cut(setting, "="); strings.HasPrefix(key, "GO") {
						s.env[key] = value
					}
				}
				p.write(t, "Pulumi.yaml", fmt.Sprintf("name: %s\nruntime: %s\nmain: %s\n", s.project, language.runtime, language.main))
			})
			s := newStory(t, by)
			s.project = "folder-" + language.name
			assert.Equal(t, map[string]int{"create": 2}, s.do(t, "up").Changes)
			settings, err := s.client.CoreV1().ConfigMaps("default").Get(t.Context(), "settings", metav1.GetOptions{})
			require.NoError(t, err)
			assert.Equal(t, map[string]string{"greeting": "hello"}, settings.Data)
			assert.Equal(t, map[string]int{"same": 2}, s.do(t, "preview").Changes)
			s.do(t, "destroy")
			_, err = s.client.CoreV1().ConfigMaps("default").Get(t.Context(), "settings", metav1.GetOptions{})
			assert.True(t, apierrors.IsNotFound(err), "%v", err)
		})
	}
}
