package e2e

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/reason"
)

// pageOnArchitecture has no programs. What its diagrams and tables name, tests/repository compares with the code.
func pageOnArchitecture(t *testing.T, p page) {
	p.prove(t, proofs{
		aDiagram: func(t *testing.T, f fence) { assert.Regexp(t, `\Aflowchart TD\n`, f.code) },
	})
}

// pageOnResources has no programs, but names every resource and function that a program can use.
func pageOnResources(t *testing.T, p page) {
	p.prove(t, proofs{
		aDiagram: func(t *testing.T, f fence) { assert.Regexp(t, `\Aflowchart TD\n`, f.code) },
	})
	for _, name := range []string{"KubeObject", "Manifests", "Chart", "Task", "Wait", "Patch", "splitYaml", "renderChart", "getObject`, `getObjects"} {
		assert.Contains(t, p.text, "`"+name+"`")
	}
}

func pageOnConfiguration(t *testing.T, p page) {
	c := shared.Get(t)
	p.prove(t, proofs{
		aProgram: func(t *testing.T, f fence) {
			s, _, space := docsStack(t, c)
			s.clusters(t, c, space, "east", "west")
			s.program(t, "%s", programOf(t, f.code))
			assert.Contains(t, s.preview(t), "to create")
		},
		aStackFile:   configured,
		anESCFile:    escEnvironment,
		commandLines: commands,
	})
	t.Run("a destroy uses the configuration of the last update, unless it runs the program", func(t *testing.T) {
		t.Parallel()
		s, k, space := docsStack(t, c)
		admin, err := c.Admin().Kubeconfig()
		require.NoError(t, err)
		former := s.file(t, "former.yaml", string(admin))
		s.file(t, "new.yaml", string(admin))
		s.config(t, "k8sconnect:kubeconfig", "./former.yaml")
		s.program(t, "%s", configMap("settings", "settings", space))
		s.up(t)
		require.NoError(t, os.Remove(former))
		s.config(t, "k8sconnect:kubeconfig", "./new.yaml")
		k.merge(t, "v1/ConfigMap/"+space+"/settings", `{data: {a: "drift"}}`)

		out := s.preview(t)
		assert.Contains(t, out, "NOT CHECKED: ")
		assert.Contains(t, out, `data.a: "drift" -> "1"`, "it has read once more")
		assert.Contains(t, s.runFails(t, "destroy", "--yes", "--skip-preview"), `"./former.yaml" does not exist`)
		args := words(t, strings.TrimSpace(p.in(t, "Secrets", commandLines)[0].code))
		s.run(t, append(args[1:], "--yes", "--skip-preview")...)
		k.gone(t, "v1/ConfigMap/"+space+"/settings")
	})
	t.Run("the table has every key of the schema, and no other", func(t *testing.T) {
		var listed []string
		for _, row := range tableRow.FindAllStringSubmatch(p.section(t, "Configuration"), -1) {
			listed = append(listed, row[1])
		}
		var keys []string
		for key := range configKeys() {
			keys = append(keys, key)
		}
		assert.ElementsMatch(t, keys, listed)
	})
	t.Run("what the page calls always secret is what the schema does", func(t *testing.T) {
		_, text, _ := strings.Cut(p.section(t, "Secrets"), "\n")
		text, _, found := strings.Cut(text, " are always secret")
		require.True(t, found)
		for key, variable := range configKeys() {
			secret, _ := at(variable, "secret").(bool)
			assert.Equal(t, secret, strings.Contains(text, "`"+key+"`"), key)
		}
	})
}

// clusters writes a kubeconfig into a project that has a context for each of the names, which all lead to
// one namespace.
func (s *stack) clusters(t *testing.T, c *cluster.Cluster, space string, names ...string) {
	t.Helper()
	admin, err := c.Admin().Kubeconfig()
	require.NoError(t, err)
	config, err := clientcmd.Load(admin)
	require.NoError(t, err)
	for _, name := range names {
		named := config.Contexts[config.CurrentContext].DeepCopy()
		named.Namespace = space
		config.Contexts[name] = named
	}
	text, err := clientcmd.Write(*config)
	require.NoError(t, err)
	s.file(t, "clusters.yaml", string(text))
}

// pageOnLanguages holds the names of the packages against the schema. Its programs are type-checked where the
// packages are installed, in tests/sdk.
func pageOnLanguages(t *testing.T, p page) {
	p.prove(t, proofs{inALanguage: func(t *testing.T, f fence) {
		assert.Contains(t, f.code, "Wait", "it shows how a reference is handed on")
	}, commandLines: commands})
	schema, err := readFile(filepath.Join("..", "..", ".."), "schema.json")
	require.NoError(t, err)
	of := func(path ...any) string {
		text, _ := at(parse([]byte(schema)), path...).(string)
		return text
	}
	root := func(language, key string) string { return of("language", language, key) }
	for _, name := range []string{
		root("nodejs", "packageName"), root("python", "packageName"), root("go", "importBasePath"),
		root("csharp", "rootNamespace") + "." + of("language", "csharp", "namespaces", "k8sconnect"),
		of("resources", "k8sconnect:index:Patch", "inputProperties", "patch", "language", "csharp", "name"),
	} {
		assert.Contains(t, p.text, "`"+name+"`")
	}
	pom, err := readFile(filepath.Join("..", "..", "..", "sdk", "java"), "pom.xml")
	require.NoError(t, err)
	group, artifact, found := strings.Cut(regexp.MustCompile("`(io[.][^`]+)`").FindStringSubmatch(p.text)[1], ":")
	require.True(t, found)
	assert.Contains(t, pom, "<groupId>"+group+"</groupId>")
	assert.Contains(t, pom, "<artifactId>"+artifact+"</artifactId>")
}

// pageOnTypedManifests holds only that each program is followed by a change and what the type checker says about it. That
// it says so is what tests/sdk proves, where the packages are installed.
func pageOnTypedManifests(t *testing.T, p page) {
	require.NotEmpty(t, p.fences)
	for i, f := range p.fences {
		assert.Equal(t, []kind{inALanguage, aWrongChange, anOutput}[i%3], f.kind, "the block in line %d", f.line)
	}
}

// pageOnTypedKinds proves the page on typed kinds. Its programs in other languages are checked by tests/sdk.
func pageOnTypedKinds(t *testing.T, p page) {
	p.prove(t, proofs{commandLines: commands, inALanguage: func(*testing.T, fence) {}, aProgram: func(t *testing.T, f fence) {
		s, _, _ := docsStack(t, shared.Get(t))
		s.extend(t, "kinds=v1/ConfigMap", live(t))
		s.program(t, "%s", programOf(t, f.code))
		assert.Contains(t, s.preview(t), "to create")
	}})
}

// installs are the first words of commands that only tests/sdk runs.
var installs = []string{"npm", "npx", "node", "python3", "venv/bin/pip", "venv/bin/python", "go"}

// pageOfProjects is for pages whose files, and the commands that install and run them, tests/sdk takes from the page and tries. Here it is
// only held that each file has a name, and that the other commands exist.
func pageOfProjects(t *testing.T, p page) {
	named := func(t *testing.T, f fence) {
		lines := strings.Split(p.text, "\n")[:f.line-1]
		require.GreaterOrEqual(t, len(lines), 2)
		if above := lines[len(lines)-2]; !regexp.MustCompile("^`\\S+`$").MatchString(above) {
			require.Contains(t, above, "This policy can be added to the list", "its name is above it")
		}
	}
	p.prove(t, proofs{aProject: named, inALanguage: named, commandLines: func(t *testing.T, f fence) {
		first, _, _ := strings.Cut(f.code, " ")
		if !slices.Contains(installs, first) {
			commands(t, f)
		}
	}})
}

var tableCells = regexp.MustCompile(`(?m)^\|.*\|$`)

// pageOnRecovery holds the page against what the provider says; that it does so is what the tests of
// recovery prove.
func pageOnRecovery(t *testing.T, p page) {
	p.prove(t, proofs{
		anOutput: func(t *testing.T, f fence) {
			for line := range strings.Lines(f.code) {
				// Its reason is written by one place for all errors.
				line = strings.Replace(strings.TrimSpace(line), " ["+reason.Of(strings.TrimSpace(line))+"]", "", 1)
				requireSaid(t, strings.Replace(line, "ConfigMap shop/settings", gap, 1))
			}
		},
		commandLines: commands,
	})
	t.Run("what the page says that you see is said", func(t *testing.T) {
		shown := 0
		for _, row := range tableCells.FindAllString(p.section(t, "In a hurry"), -1) {
			for _, text := range inlineCode.FindAllStringSubmatch(strings.Split(row, " | ")[0], -1) {
				requireSaid(t, text[1])
				shown++
			}
		}
		for _, row := range tableCells.FindAllString(p.text, -1) {
			cells := strings.Split(row, " | ")
			if len(cells) != 4 || strings.Contains(cells[1], "how it is known") {
				continue
			}
			for _, text := range inlineCode.FindAllStringSubmatch(cells[1], -1) {
				requireSaid(t, text[1])
				shown++
			}
		}
		require.Greater(t, shown, 12)
	})
}

var inlineCode = regexp.MustCompile("`([^`]+)`")

// pageOnReasons wants that every row is about a reason, and none twice. That the page has all reasons, with their meanings, is what a
// test of the package failure proves, beside their list.
func pageOnReasons(t *testing.T, p page) {
	p.prove(t, proofs{})
	seen := map[string]bool{}
	for _, row := range everyRow(t, p) {
		assert.Regexp(t, `^\[[A-Za-z]+\]$`, row[1])
		assert.False(t, seen[row[1]], "it is there twice: %s", row[1])
		seen[row[1]] = true
	}
	require.Greater(t, len(seen), 30)
}

// everyRow are the rows of all tables of a page, which begin with what is looked up.
func everyRow(t *testing.T, p page) [][]string {
	t.Helper()
	rows := tableRow.FindAllStringSubmatch(p.text, -1)
	assert.Len(t, rows, len(tableCells.FindAllString(p.text, -1))-2*strings.Count(p.text, "\n|---|"), "every row begins with what is looked up")
	return rows
}

// pageOnMessages wants every message of the page in the code of the provider, and makes one
// of them.
func pageOnMessages(t *testing.T, p page) {
	p.prove(t, proofs{
		anOutput: func(t *testing.T, f fence) {
			s := newStack(t)
			s.nowhere(t)
			s.program(t, configMap("settings", "settings", "shop"))
			requireShown(t, f.code, s.previewFails(t))
		},
	})
	rows := everyRow(t, p)
	require.Greater(t, len(rows), 200)
	var pulumis []string
	for _, row := range tableRow.FindAllStringSubmatch(p.section(t, "Messages of Pulumi itself"), -1) {
		pulumis = append(pulumis, row[1])
	}
	seen := map[string]bool{}
	for _, row := range rows {
		if !slices.Contains(pulumis, row[1]) {
			requireSaid(t, row[1])
		}
		assert.False(t, seen[row[1]], "it is there twice: %s", row[1])
		seen[row[1]] = true
	}
	t.Run("what Pulumi itself says is brought about, and what to do helps", func(t *testing.T) {
		t.Parallel()
		require.Len(t, pulumis, 4)
		s, _, _ := docsStack(t, shared.Get(t))
		waiting := func(timeout string) string {
			return "resources: {w: {type: k8sconnect:Wait, properties: {waitFor: {field: data.a, timeout: " + timeout + "}, " +
				"resourceRef: {apiVersion: v1, kind: ConfigMap, name: never}}}}\n"
		}
		s.program(t, "%s", waiting("1m"))
		without := maps.Clone(s.env)
		without["PATH"] = t.TempDir()
		host := "pulumi-language-yaml"
		require.NoError(t, os.Symlink(filepath.Join(filepath.Dir(tools.Pulumi), host), filepath.Join(without["PATH"], host)))
		assert.Contains(t, begin(t, "pulumi preview", tools.Command(t.Context(), s.dir, without, "preview")).wait(t).out, pulumis[0])

		up := s.start(t, "up", "--yes", "--skip-preview")
		up.prints(t, "Wait w creating")
		s.kill(t, up)
		up.wait(t)
		assert.Contains(t, s.exec(t, "up", "--yes", "--skip-preview").out, pulumis[1])
		s.run(t, "cancel", "--yes")
		s.program(t, "%s", waiting("1s"))
		assert.Contains(t, s.upFails(t), pulumis[2])
		assert.Contains(t, s.refresh(t, "--clear-pending-creates"), pulumis[3])
		assert.NotContains(t, s.upFails(t), pulumis[2])
	})
}
