package sdk_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const goModule = "github.com/k8sconnect/pulumi-k8sconnect/sdk/go/k8sconnect"

var goPrograms = installation{install: installGo}

func installGo(t *testing.T, p *project) {
	// The go command would keep the module in the user's cache, where it hides the next one of the same version, and
	// at last the released one. In a cache of its own it finds what the user has.
	user := strings.TrimSpace(p.run(t, "go", "env", "GOMODCACHE"))
	proxies := strings.TrimSpace(p.run(t, "go", "env", "GOPROXY"))
	cache := p.path("modules")
	download := filepath.Join(cache, "cache", "download")
	require.NoError(t, os.MkdirAll(download, 0o755))
	sums := filepath.Join(user, "cache", "download", "sumdb") // what was looked up before, if anything
	if _, err := os.Stat(sums); err == nil {
		require.NoError(t, os.Symlink(sums, filepath.Join(download, "sumdb")))
	}
	p.env = append(p.env, "GOMODCACHE="+cache, "GOPROXY=file://"+filepath.ToSlash(filepath.Join(user, "cache", "download"))+","+proxies,
		// Without the path of the temporary folder in it, what was compiled is found again by the next run.
		"GOFLAGS=-modcacherw -buildvcs=false -trimpath -ldflags=-w", "GOWORK=off", "CGO_ENABLED=0")
	p.followReadme(t, "Go")
	p.run(t, "go", "vet", ".")

	p.write(t, "everything/main.go", program(t, "everything.go.txt"))
	p.write(t, "story/main.go", program(t, "story.go.txt"))
	for name, example := range snippets(t, "go") {
		p.write(t, "examples/"+name+"/main.go", example)
	}
	// The other programs have more dependencies.
	p.run(t, "go", "build", "-mod=mod", "-o", "bin/", "./story")
}

// goModuleFile reads a file of the module as it is installed.
func goModuleFile(t *testing.T, p project, name string) string {
	t.Helper()
	dir := strings.TrimSpace(p.run(t, "go", "list", "-m", "-f", "{{.Dir}}", goModule))
	text, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	return string(text)
}

func TestGoModuleTypeChecks(t *testing.T) {
	selected(t, "go")
	t.Parallel()
	p := goPrograms.get(t)
	assertUsesEveryInput(t, program(t, "everything.go.txt"), func(input string) string {
		return `\b` + strings.ToUpper(input[:1]) + input[1:] + `:`
	})
	p.run(t, "go", "vet", "-mod=mod", goModule+"/...", "./everything", "./story", "./examples/...")

	// The types are not any: a wrong input is found.
	p.write(t, "wrong/main.go", "package main\n\nimport \""+goModule+"\"\n\n"+
		"func main() { _ = k8sconnect.WaitForArgs{Rollout: 1} }\n")
	out, err := p.try(t, "go", "vet", "-mod=mod", "./wrong")
	require.Error(t, err)
	assert.Contains(t, out, "cannot use 1")

	var plugin struct{ Name, Server string }
	require.NoError(t, json.Unmarshal([]byte(goModuleFile(t, p, "pulumi-plugin.json")), &plugin))
	assert.Equal(t, "k8sconnect", plugin.Name)
	assert.Equal(t, "github://api.github.com/k8sconnect/pulumi-k8sconnect", plugin.Server)
	assert.Contains(t, goModuleFile(t, p, "LICENSE"), "Apache License")
}

// The checked-in go.mod and go.sum belong to the generated code beside them.
func TestGoModuleIsTidy(t *testing.T) {
	selected(t, "go")
	t.Parallel()
	command := exec.Command("go", "mod", "tidy", "-diff")
	command.Dir = filepath.Join("..", "..", "sdk", "go", "k8sconnect")
	command.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0")
	out, err := command.CombinedOutput()
	assert.NoError(t, err, "%s", out)
}
