package sdk_test

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const goModule = "github.com/k8sconnect/pulumi-k8sconnect/sdk/go/k8sconnect"

// Without the path of the temporary folder in it, what was compiled is found again by the next run.
var goPrograms = installation{install: installGo, env: []string{"GOFLAGS=-mod=mod -buildvcs=false -trimpath -ldflags=-w", "GOWORK=off", "CGO_ENABLED=0"}}

// installGo takes the module out of its archive and not from the module proxy beside it: the go command would keep
// it in the user's cache, where it hides the next one of the same version, and at last the released one.
func installGo(t *testing.T, p project) {
	archive := packed(t, "go/"+goModule+"/@v/*.zip")
	version := strings.TrimSuffix(filepath.Base(archive), ".zip")
	unpack(t, archive, goModule+"@"+version+"/", p.path("sdk"))
	p.write(t, "everything/main.go", program(t, "everything.go.txt"))
	p.write(t, "first/main.go", firstProgram(t, "go"))
	p.write(t, "story/main.go", program(t, "story.go.txt"))
	for name, example := range snippets(t, "go") {
		p.write(t, "examples/"+name+"/main.go", example)
	}

	// The consumer selects what the module asks for, and its checksums are those of the module.
	mod, err := os.ReadFile(p.path("sdk/go.mod"))
	require.NoError(t, err)
	sum, err := os.ReadFile(p.path("sdk/go.sum"))
	require.NoError(t, err)
	_, requires, _ := strings.Cut(string(mod), "\ngo ")
	p.write(t, "go.mod", fmt.Sprintf("module example.com/consumer\n\ngo %s\nrequire %s %s\n\nreplace %[2]s => ./sdk\n",
		requires, goModule, version))
	p.write(t, "go.sum", string(sum))
	p.run(t, "go", "build", "-o", "bin/", "./story")
}

func TestGoModuleTypeChecks(t *testing.T) {
	selected(t, "go")
	t.Parallel()
	p := goPrograms.get(t)
	assertUsesEveryInput(t, program(t, "everything.go.txt"), func(input string) string {
		return `\b` + strings.ToUpper(input[:1]) + input[1:] + `:`
	})
	p.run(t, "go", "vet", goModule+"/...", "./everything", "./first", "./story", "./examples/...")

	// The types are not any: a wrong input is found.
	p.write(t, "wrong/main.go", "package main\n\nimport \""+goModule+"\"\n\n"+
		"func main() { _ = k8sconnect.WaitForArgs{Rollout: 1} }\n")
	out, err := p.try(t, "go", "vet", "./wrong")
	require.Error(t, err)
	assert.Contains(t, out, "cannot use 1")

	var plugin struct{ Name, Server string }
	text, err := os.ReadFile(p.path("sdk/pulumi-plugin.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &plugin))
	assert.Equal(t, "k8sconnect", plugin.Name)
	assert.Equal(t, "github://api.github.com/k8sconnect/pulumi-k8sconnect", plugin.Server)
	assert.FileExists(t, p.path("sdk/LICENSE"))
}

// The checked-in go.mod and go.sum belong to the generated code beside them.
func TestGoModuleIsTidy(t *testing.T) {
	selected(t, "go")
	t.Parallel()
	command := exec.Command("go", "mod", "tidy", "-diff")
	command.Dir = filepath.Join("..", "..", "sdk", "go", "k8sconnect")
	command.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	out, err := command.CombinedOutput()
	assert.NoError(t, err, "%s", out)
}

func unpack(t *testing.T, archive, prefix, dir string) {
	t.Helper()
	reader, err := zip.OpenReader(archive)
	require.NoError(t, err)
	defer func() { assert.NoError(t, reader.Close()) }()
	for _, file := range reader.File {
		name, inside := strings.CutPrefix(file.Name, prefix)
		require.True(t, inside, "%s is not below %s", file.Name, prefix)
		content, err := file.Open()
		require.NoError(t, err)
		text, err := io.ReadAll(content)
		require.NoError(t, err)
		require.NoError(t, content.Close())
		target := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(target), 0o755))
		require.NoError(t, os.WriteFile(target, text, 0o600))
	}
}
