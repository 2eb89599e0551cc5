package sdk_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// javac compiles what the arguments name, into a folder.
const javac = `javac -J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC -Xlint -Xlint:-path -proc:none -cp "classes:$(cat libraries.path)" -d `

// TestTypedKindsInJava gives the package the version of the provider: what Pulumi's generator for Java writes asks for a provider of the
// version that the package has, and sends no extension.
func TestTypedKindsInJava(t *testing.T) { // [K1] [K11]
	selected(t, "java")
	t.Parallel()
	first := javaPrograms.get(t)
	p := kindsProject(t, append(slices.Clip(first.env), "JAVA_TOOL_OPTIONS="+shortLived))
	p.generate(t, "java", "version="+javaVersion(t))
	p.write(t, "libraries.path", javaClasspath(t, first))
	p.write(t, "libraries", first.read(t, "libraries"))
	text := program(t, "Kinds.java")
	p.write(t, "Kinds.java", text)
	p.write(t, "page/App.java", onKindsPage(t, "java"))
	p.run(t, "bash", "-ec", javac+`classes $(find made -name '*.java')`)
	p.run(t, "bash", "-ec", javac+`classes -Werror Kinds.java page/App.java`)
	p.refuses(t, "wrong%d/Kinds.java", text, []string{"bash", "-c",
		`failed=0; for file in wrong*/Kinds.java; do ` + javac + `wrong "$file" || failed=1; done; exit $failed`},
		mistake{".replicas(1)", ".replica(1)", "method replica(int)"},
		mistake{"CrateSpecSize.Large", "CrateSpecSize.Huge", "variable Huge"},
		mistake{`image("web:1")`, "image(1)", "no suitable method found for image(int)"},
		mistake{"ResourceRefs.of(reference)", "ResourceRefs.of(web.spec())", "cannot be converted to Output<ResourceRef>"},
	)

	pack := func() {
		p.run(t, "jar", "--create", "--file", "kinds.jar", "--main-class", "Kinds", "--manifest", "libraries",
			"-C", "classes", ".", "-C", "made/java/src/main/resources", ".")
	}
	pack()
	p.write(t, "Pulumi.yaml", pulumiProgram+"{name: java, options: {binary: kinds.jar}}\n")
	livesAsKinds(t, p)

	t.Run("a field whose name is no identifier is refused, and nothing else happens [K6]", func(t *testing.T) {
		p.write(t, "Kinds.java", strings.Replace(text, ".size(CrateSpecSize.Large)", `.size(CrateSpecSize.Large).kebab__name("x")`, 1))
		p.run(t, "bash", "-ec", javac+`classes Kinds.java`)
		require.NoError(t, os.Remove(p.path("kinds.jar")))
		pack()
		out, err := p.try(t, "bash", "-c", "pulumi preview")
		require.Error(t, err)
		assert.Contains(t, out, "spec.kebab__name: unknown field")
	})
}
