package sdk_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// typedNode is a folder with the packages of types beside those that the other programs use. They are not installed
// there: Pulumi would want the plugin of @pulumi/kubernetes for every program.
var typedNode = installation{install: func(t *testing.T, p *project) {
	first := nodePrograms.get(t)
	p.env = first.env
	p.write(t, "package.json", "{}")
	p.run(t, "npm", "install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error",
		"kubernetes-types@1.30.0", "kubernetes-models@4.5.1")
	p.run(t, "npm", "pack", "--loglevel=error", "--silent", "@pulumi/kubernetes@4.34.2")
	require.NoError(t, os.MkdirAll(p.path("node_modules/@pulumi/kubernetes"), 0o755))
	p.run(t, "tar", "-xzf", "pulumi-kubernetes-4.34.2.tgz", "-C", "node_modules/@pulumi/kubernetes", "--strip-components=1")
	for _, name := range []string{"@pulumi/pulumi", "@k8sconnect", "@types"} {
		require.NoError(t, os.Symlink(first.path("node_modules/"+name), p.path("node_modules/"+name)))
	}
	p.write(t, "tsconfig.json", tsconfig)
}}

// typeErrors are what the type checker says of the lines of a file: all messages of an error, or of several, in one text.
type typeErrors map[string]map[int]string

var typeError = regexp.MustCompile(`^(\S+?)\((\d+),\d+\): error (.*)$`)

// checkTypes type-checks the programs in the folder.
func checkTypes(t *testing.T, p project) typeErrors {
	t.Helper()
	out, err := p.try(t, nodePrograms.get(t).path("node_modules/.bin/tsc"), "--noEmit", "--skipLibCheck", "--project", "tsconfig.json")
	found := typeErrors{}
	file, line := "", 0
	for text := range strings.Lines(out) {
		if parts := typeError.FindStringSubmatch(strings.TrimSpace(text)); parts != nil {
			file = filepath.Base(parts[1])
			line, _ = strconv.Atoi(parts[2])
			text = parts[3] + "\n"
			if found[file] == nil {
				found[file] = map[int]string{}
			}
		}
		require.NotEmpty(t, file, "%v\n%s", err, out)
		found[file][line] += text
	}
	return found
}

func TestTypedManifestsInTypeScript(t *testing.T) {
	selected(t, "nodejs")
	t.Parallel()
	p := typedNode.get(t)
	refused := program(t, "refused.ts")
	p.write(t, "manifests.ts", program(t, "manifests.ts"))
	p.write(t, "refused.ts", refused)
	programs := typedPrograms(t, "typescript")
	for i, page := range programs {
		p.write(t, fmt.Sprintf("good%d.ts", i), page.good)
		p.write(t, fmt.Sprintf("bad%d.ts", i), page.bad)
	}
	errors := checkTypes(t, p)

	t.Run("Outputs are allowed at every depth of every shape [E1] [E2]", func(t *testing.T) {
		assert.Empty(t, errors["manifests.ts"])
	})
	t.Run("a misspelt field, a wrong type and a missing field are errors where they are [E1] [E2]", func(t *testing.T) {
		wanted := 0
		for i, line := range strings.Split(refused, "\n") {
			if _, want, found := strings.Cut(line, " // "); found {
				wanted++
				assert.Contains(t, errors["refused.ts"][i+1], want, "line %d: %s", i+1, line)
			}
		}
		assert.Len(t, errors["refused.ts"], wanted, "%v", errors["refused.ts"])
	})
	t.Run("the programs on the page are right, and wrong with their changes [E1] [E2] [E6]", func(t *testing.T) {
		for i, page := range programs {
			assert.Empty(t, errors[fmt.Sprintf("good%d.ts", i)])
			bad := errors[fmt.Sprintf("bad%d.ts", i)]
			assert.Len(t, bad, 1, "%s\n%v", page.bad, bad)
			assert.Contains(t, bad[page.line], page.says)
		}
	})
	t.Run("it is a type alone", func(t *testing.T) {
		compiled, err := os.ReadFile(p.path("node_modules/@k8sconnect/pulumi/manifest.js"))
		require.NoError(t, err)
		code := regexp.MustCompile(`(?m)^(//|"use strict"|Object\.defineProperty\(exports, "__esModule").*$`).ReplaceAllString(string(compiled), "")
		assert.Empty(t, strings.TrimSpace(code))
	})
}
