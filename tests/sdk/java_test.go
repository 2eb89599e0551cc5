package sdk_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

var javaPrograms = installation{install: installJava}

// shortLived are the options of programs that are started often and never run for long: they neither optimize what they
// compile, nor collect garbage beside their work.
const shortLived = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

func installJava(t *testing.T, p *project) {
	// What is packed is tested: an earlier package of the same version is in nobody's repository.
	sdk, err := cluster.Tool("sdk")
	require.NoError(t, err)
	local := filepath.Join(sdk, "m2")
	require.NoError(t, os.RemoveAll(filepath.Join(local, "io", "github", "k8sconnect")))
	p.env = append(p.env, "MAVEN_OPTS=-Dmaven.repo.local="+local+" "+shortLived)
	p.followReadme(t, "Java")

	p.write(t, "Everything.java", program(t, "Everything.java"))
	p.write(t, "Story.java", program(t, "Story.java"))
	p.write(t, "Set.java", program(t, "Set.java"))
	programs := []string{"src/main/java/App.java", "Everything.java", "Story.java", "Set.java"}
	for name, example := range snippets(t, "java") {
		require.Contains(t, example, "public class App {")
		p.write(t, name+".java", strings.Replace(example, "public class App {", "public class "+name+" {", 1))
		programs = append(programs, name+".java")
	}
	p.run(t, "mvn", "-q", "-B", "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath", "-Dmdep.outputFile=classpath")
	classpath := javaClasspath(t, *p)
	require.Contains(t, classpath, "pulumi-k8sconnect-"+javaVersion(t)+".jar")
	p.run(t, "javac", append([]string{"-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-Xlint", "-Werror", "-d", "classes",
		"-cp", classpath}, programs...)...)

	// Pulumi's host for Java runs a jar, which says where the packages are, in lines of at most 72 bytes.
	libraries := "Class-Path: file://" + strings.ReplaceAll(classpath, string(os.PathListSeparator), " file://")
	p.write(t, "libraries", strings.Join(regexp.MustCompile(`.{1,70}`).FindAllString(libraries, -1), "\n ")+"\n")
	for main, file := range map[string]string{"Story": "story.jar", "Set": "set.jar"} {
		p.run(t, "jar", "--create", "--file", file, "--main-class", main, "--manifest", "libraries", "-C", "classes", ".")
	}
}

// javaVersion is that of the package that is packed.
func javaVersion(t *testing.T) string {
	t.Helper()
	return filepath.Base(filepath.Dir(packed(t, "java/io/github/k8sconnect/pulumi-k8sconnect/*/*.pom")))
}

func javaClasspath(t *testing.T, p project) string {
	t.Helper()
	classpath, err := os.ReadFile(p.path("classpath"))
	require.NoError(t, err)
	return string(classpath)
}

func TestJavaPackageTypeChecks(t *testing.T) {
	selected(t, "java")
	t.Parallel()
	p := javaPrograms.get(t)
	classpath := javaClasspath(t, p)
	assertUsesEveryInput(t, program(t, "Everything.java"), func(input string) string { return `\.` + input + `_?\(` }) // wait_, since every object has a method wait

	// The types are not Object: a wrong input is found.
	p.write(t, "Wrong.java", "class Wrong {\n"+
		"    Object wrong = com.k8sconnect.pulumi.inputs.WaitForArgs.builder().rollout(\"yes\").build();\n}\n")
	out, err := p.try(t, "javac", "-d", "classes", "-cp", classpath, "Wrong.java")
	require.Error(t, err)
	assert.Contains(t, out, "no suitable method found for rollout")

	// How Pulumi's host for Java asks which plugins a program needs.
	out = p.run(t, "java", "-cp", classpath, "com.pulumi.bootstrap.internal.Main", "packages")
	assert.JSONEq(t, fmt.Sprintf(`[{"resource": true, "name": "k8sconnect", "version": %q,
		"server": "github://api.github.com/k8sconnect/pulumi-k8sconnect"}]`, javaVersion(t)), strings.TrimSpace(out))
}
