package sdk_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const javaProject = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>com.example</groupId>
  <artifactId>consumer</artifactId>
  <version>1</version>
  <repositories>
    <repository>
      <id>packed</id>
      <url>file://%s</url>
    </repository>
  </repositories>
  <dependencies>
    <dependency>
      <groupId>io.github.k8sconnect</groupId>
      <artifactId>pulumi-k8sconnect</artifactId>
      <version>%s</version>
    </dependency>
  </dependencies>
</project>
`

func TestJavaPackageTypeChecks(t *testing.T) {
	selected(t, "java")
	t.Parallel()
	pom := packed(t, "java/io/github/k8sconnect/pulumi-k8sconnect/*/*.pom")
	version := filepath.Base(filepath.Dir(pom))
	repository := filepath.Join(filepath.Dir(pom), "..", "..", "..", "..", "..")
	p := newProject(t)
	everything := program(t, "Everything.java")
	p.write(t, "pom.xml", fmt.Sprintf(javaProject, repository, version))
	p.write(t, "Everything.java", everything)
	p.write(t, "App.java", firstProgram(t, "java"))

	// Maven's copy of an earlier package of the same version would be taken.
	local := filepath.Join(repository, "..", "m2")
	require.NoError(t, os.RemoveAll(filepath.Join(local, "io", "github", "k8sconnect")))
	p.run(t, "mvn", "-q", "-B", "-Dmaven.repo.local="+local,
		"org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath", "-Dmdep.outputFile=classpath")
	classpath, err := os.ReadFile(p.path("classpath"))
	require.NoError(t, err)
	require.Contains(t, string(classpath), "pulumi-k8sconnect-"+version+".jar")

	assertUsesEveryInput(t, everything, func(input string) string { return `\.` + input + `\(` })
	p.run(t, "javac", "-Xlint", "-Werror", "-d", "classes", "-cp", string(classpath), "Everything.java", "App.java")

	// The types are not Object: a wrong input is found.
	p.write(t, "Wrong.java", "class Wrong {\n"+
		"    Object wrong = com.k8sconnect.pulumi.inputs.WaitForArgs.builder().rollout(\"yes\").build();\n}\n")
	out, err := p.try(t, "javac", "-d", "classes", "-cp", string(classpath), "Wrong.java")
	require.Error(t, err)
	assert.Contains(t, out, "no suitable method found for rollout")

	// How Pulumi's host for Java asks which plugins a program needs.
	out = p.run(t, "java", "-cp", string(classpath), "com.pulumi.bootstrap.internal.Main", "packages")
	assert.JSONEq(t, fmt.Sprintf(`[{"resource": true, "name": "k8sconnect", "version": %q,
		"server": "github://api.github.com/k8sconnect/pulumi-k8sconnect"}]`, version), strings.TrimSpace(out))
}
