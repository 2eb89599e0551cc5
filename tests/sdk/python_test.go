package sdk_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
)

const mypy = "mypy==2.4.1"

var pythonPrograms = installation{install: installPython}

func installPython(t *testing.T, p *project) {
	p.followReadme(t, "Python")
	p.write(t, "everything.py", program(t, "everything.py"))
	p.write(t, "story.py", program(t, "story.py"))
	for name, example := range snippets(t, "python") {
		p.write(t, name+".py", example)
	}
	p.run(t, "venv/bin/pip", "install", "-q", "--disable-pip-version-check", mypy)
}

func TestPythonPackageTypeChecks(t *testing.T) {
	selected(t, "python")
	t.Parallel()
	p := pythonPrograms.get(t)
	assertUsesEveryInput(t, program(t, "everything.py"), func(input string) string { return `\b` + snake(input) + `_?=` })
	programs := []string{"__main__.py", "everything.py", "story.py"}
	for name := range snippets(t, "python") {
		programs = append(programs, name+".py")
	}
	p.run(t, "venv/bin/mypy", append([]string{"--strict"}, programs...)...)

	// What was packed can be loaded, and says which plugin it needs.
	out := p.run(t, "venv/bin/python", "-c", `
import importlib.resources, json, pulumi_k8sconnect
plugin = json.loads(importlib.resources.files(pulumi_k8sconnect).joinpath("pulumi-plugin.json").read_text())
print(json.dumps([pulumi_k8sconnect.KubeObject.__name__, plugin["name"], plugin["server"], "version" in plugin]))`)
	assert.JSONEq(t, `["KubeObject", "k8sconnect", "github://api.github.com/k8sconnect/pulumi-k8sconnect", true]`, out)
}

// snake is the name of a property in Python.
func snake(name string) string {
	var out strings.Builder
	for _, letter := range name {
		if unicode.IsUpper(letter) {
			out.WriteByte('_')
		}
		out.WriteRune(unicode.ToLower(letter))
	}
	return out.String()
}
