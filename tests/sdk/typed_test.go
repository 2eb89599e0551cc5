package sdk_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// beside is a project for programs that need more than those of another, whose environment it has. What they need is not
// installed there: Pulumi looks for plugins in all that is.
func beside(t *testing.T, other project) project {
	t.Helper()
	dir, err := os.MkdirTemp(scratch, "typed-")
	require.NoError(t, err)
	return project{dir: dir, env: other.env}
}

// installPyright installs the type checker of Python that is quick with dictionaries.
func (p project) installPyright(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm, by which pyright is installed, is not on the PATH")
	}
	p.write(t, "package.json", "{}")
	p.run(t, "npm", "install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline", "--loglevel=error", "pyright@1.1.414")
}

func TestTypedManifestsInPython(t *testing.T) {
	selected(t, "python")
	t.Parallel()
	first := pythonPrograms.get(t)
	p := beside(t, first)
	p.installPyright(t)
	p.run(t, first.path("venv/bin/pip"), "install", "-q", "--disable-pip-version-check", "--no-compile", "--no-deps", "--target", "types",
		"pulumi_kubernetes==4.34.2", "lightkube==1.0.1", "lightkube-models==1.37.0.8", "msgspec==0.22.0")
	p.write(t, "pyrightconfig.json", fmt.Sprintf(`{"venvPath": %q, "venv": "venv", "extraPaths": ["types"], "include": ["*.py"]}`, first.dir))
	programs := typedPrograms(t, "python")
	for i, page := range programs {
		p.write(t, fmt.Sprintf("good%d.py", i), page.good)
		p.write(t, fmt.Sprintf("bad%d.py", i), page.bad)
	}
	out, err := p.try(t, "node_modules/.bin/pyright")
	require.Error(t, err)
	t.Run("the programs on the page are right, and wrong with their changes [E3] [E6]", func(t *testing.T) {
		assert.NotContains(t, out, filepath.Join(p.dir, "good"))
		assert.Contains(t, out, fmt.Sprintf("%d errors,", len(programs)))
		for i, page := range programs {
			page.assertRefused(t, out, fmt.Sprintf("bad%d.py:%d:", i, page.line))
		}
	})
}

func TestTypedManifestsInGo(t *testing.T) {
	selected(t, "go")
	t.Parallel()
	first := goPrograms.get(t)
	p := beside(t, first)
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(first.path(name))
		require.NoError(t, err)
		p.write(t, name, string(text))
	}
	// The versions that the provider has, which are compiled already.
	ours, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	require.NoError(t, err)
	get := []string{"get"}
	for _, module := range regexp.MustCompile(`(?m)^\t(k8s\.io/(?:api|apimachinery)) (v\S+)`).FindAllStringSubmatch(string(ours), -1) {
		get = append(get, module[1]+"@"+module[2])
	}
	require.Len(t, get, 3)
	p.run(t, "go", get...)
	for _, page := range typedPrograms(t, "go") {
		p.write(t, "good/main.go", page.good)
		p.write(t, "bad/main.go", page.bad)
		t.Run("the program on the page is right, and wrong with its change [E4] [E6]", func(t *testing.T) {
			p.run(t, "go", "vet", "-mod=mod", "./good")
			out, err := p.try(t, "go", "vet", "-mod=mod", "./bad")
			require.Error(t, err)
			page.assertRefused(t, out, fmt.Sprintf("bad/main.go:%d:", page.line))
		})
	}
}

// typedPOM is a project of Maven with the types alone.
const typedPOM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion><groupId>typed</groupId><artifactId>typed</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>io.fabric8</groupId><artifactId>kubernetes-model-apps</artifactId><version>7.4.0</version></dependency>
  </dependencies>
</project>`

func TestTypedManifestsInJava(t *testing.T) {
	selected(t, "java")
	t.Parallel()
	first := javaPrograms.get(t)
	p := beside(t, first)
	p.write(t, "pom.xml", typedPOM)
	p.run(t, "mvn", "-q", "-B", "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath", "-Dmdep.outputFile=classpath")
	classpath := javaClasspath(t, first) + string(os.PathListSeparator) + javaClasspath(t, p)
	for _, page := range typedPrograms(t, "java") {
		p.write(t, "good/App.java", page.good)
		p.write(t, "bad/App.java", page.bad)
		compile := []string{"-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-proc:none", "-d", "classes", "-cp", classpath}
		t.Run("the program on the page is right, and wrong with its change [E4] [E6]", func(t *testing.T) {
			p.run(t, "javac", append(compile, "good/App.java")...)
			out, err := p.try(t, "javac", append(compile, "bad/App.java")...)
			require.Error(t, err)
			page.assertRefused(t, out, fmt.Sprintf("App.java:%d: error:", page.line))
		})
	}
}

func TestTypedManifestsInCSharp(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", typedPage))
	require.NoError(t, err)
	require.True(t, strings.Contains(string(text), "\n## C#\n\nThis project does not compile C# programs, so this is untested."))
	t.Skip("nothing here compiles C#: the page says that what it has for it is untested [E4]")
}
