package sdk_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// crateDefinition is a kind with words and with a field that is no identifier.
const crateDefinition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crates.example.io}
spec:
  group: example.io
  scope: Namespaced
  names: {kind: Crate, plural: crates}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              required: [size]
              properties:
                size: {type: string, enum: [small, large]}
                kebab-name: {type: string}
`

// kindsProject is a project with the classes of these kinds: the built-in ones as the cluster has them, and one from a file.
func kindsProject(t *testing.T, env []string) project {
	t.Helper()
	c := workloads.Get(t)
	p := project{dir: t.TempDir(), env: append(slices.Clip(env), "npm_config_prefer_offline=true",
		"KUBECONFIG="+c.KubeconfigFile(), "PULUMI_BACKEND_URL=file://"+filepath.ToSlash(t.TempDir()), "SPACE="+c.Namespace(t),
		"PATH="+strangerPath("hosts")+string(os.PathListSeparator)+strangerPath("bin")+string(os.PathListSeparator)+os.Getenv("PATH"))}
	p.write(t, "crates.yaml", crateDefinition)
	kubectl, err := cluster.Tool("kubectl")
	require.NoError(t, err)
	p.run(t, kubectl, "apply", "--server-side", "-f", "crates.yaml")
	p.run(t, kubectl, "wait", "--for", "condition=Established", "-f", "crates.yaml")
	return p
}

// kindsPage is the page on typed kinds. Its programs are type-checked, and the one in YAML is previewed.
const kindsPage = "typed-kinds.md"

// onKindsPage is the program of the page in the language of the fence.
func onKindsPage(t *testing.T, fence string) string {
	t.Helper()
	found := regexp.MustCompile("(?ms)^```" + fence + "\n(.*?)^```$").FindStringSubmatch(readDocsPage(t, kindsPage))
	require.NotNil(t, found, "%s has no program in %s", kindsPage, fence)
	return found[1]
}

// refusedByPolicies wants that the packs of the pages see the image of the typed Deployment, as it is in the program.
func refusedByPolicies(t *testing.T, p project, program string) { // [K12]
	t.Helper()
	pack := regexp.MustCompile("(?ms)^```typescript\n(.*?)^```$").FindStringSubmatch(sectionOf(t, readDocsPage(t, kindsPage), "In a policy pack"))
	require.NotNil(t, pack)
	p.run(t, "npm", "install", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error", "@pulumi/policy@1.21.0")
	p.write(t, "pack/PulumiPolicy.yaml", "runtime: nodejs\n")
	p.write(t, "pack/package.json", `{"version": "1.0.0", "main": "index.ts"}`)
	p.write(t, "pack/index.ts", pack[1])
	p.write(t, "index.ts", strings.Replace(program, `image: "web:1"`, `image: "web:latest"`, 1))
	p.pulumi(t, "stack", "init", "policies")
	out, err := p.try(t, "bash", "-c", "pulumi preview --policy-pack pack --policy-pack "+policyPacks["nodejs"].installed(t).dir)
	require.Error(t, err, out)
	assert.Equal(t, 2, strings.Count(out, "The container web runs web:latest."), out)
}

const (
	kindsParameters = "kinds=apps/v1/Deployment,v1/Service,v1/ConfigMap crds=crates.yaml"
	pulumiProgram   = "name: kinds\nruntime: "
)

// pulumi runs the CLI that is on the project's PATH.
func (p project) pulumi(t *testing.T, args ...string) string {
	t.Helper()
	return p.run(t, "bash", append([]string{"-c", `exec pulumi "$@"`, "pulumi"}, args...)...)
}

// generate writes the classes for a language. more are more parameters.
func (p project) generate(t *testing.T, language string, more ...string) {
	t.Helper()
	p.pulumi(t, "package", "gen-sdk", "k8sconnect", "--extension", strings.Join(append([]string{kindsParameters}, more...), " "),
		"--language", language, "--local", "--out", "made")
}

// mistake is a change of a program, and what the compiler says of it.
type mistake struct{ was, is, says string }

// refuses wants that no program with a mistake compiles. Each is in a file of its own, whose name has a %d.
func (p project) refuses(t *testing.T, file, program string, check []string, mistakes ...mistake) {
	t.Helper()
	for i, m := range mistakes {
		require.Contains(t, program, m.was)
		p.write(t, fmt.Sprintf(file, i), strings.Replace(program, m.was, m.is, 1))
	}
	out, err := p.try(t, check[0], check[1:]...)
	require.Error(t, err)
	for i, m := range mistakes {
		own := ""
		for part := range strings.SplitSeq(out, "wrong") {
			if strings.HasPrefix(part, strconv.Itoa(i)) {
				own += part
			}
		}
		assert.Contains(t, own, m.says, "%s in place of %s:\n%s", m.is, m.was, out)
	}
}

// livesAsKinds takes the program of a project through its life.
func livesAsKinds(t *testing.T, p project) {
	t.Helper()
	client, space := workloads.Get(t).Client(), ""
	for _, setting := range p.env {
		if value, found := strings.CutPrefix(setting, "SPACE="); found {
			space = value
		}
	}
	p.pulumi(t, "stack", "init", "dev")
	p.pulumi(t, "up", "--yes", "--skip-preview")
	assert.Equal(t, "1\n", p.pulumi(t, "stack", "output", "replicas"))
	assert.Equal(t, "web\n", p.pulumi(t, "stack", "output", "waitedFor"))
	p.pulumi(t, "preview", "--expect-no-changes")

	_, err := client.AppsV1().Deployments(space).Patch(t.Context(), "web", types.MergePatchType,
		[]byte(`{"spec": {"replicas": 2, "paused": true}}`), metav1.PatchOptions{FieldManager: "someone"})
	require.NoError(t, err)
	preview := p.pulumi(t, "preview", "--diff")
	assert.Regexp(t, `~ replicas: 2 => 1`, preview)
	assert.NotContains(t, preview, "paused")
	p.pulumi(t, "up", "--yes", "--skip-preview")
	web, err := client.AppsV1().Deployments(space).Get(t.Context(), "web", metav1.GetOptions{})
	require.NoError(t, err)
	assert.EqualValues(t, 1, *web.Spec.Replicas)
	assert.True(t, web.Spec.Paused)
	if strings.HasPrefix(p.read(t, "Pulumi.yaml"), pulumiProgram+"nodejs") {
		assert.Equal(t, "yes", web.Labels["transformed"], "a transform sees the fields of the kind")
	}
	p.pulumi(t, "preview", "--expect-no-changes")
	p.pulumi(t, "refresh", "--yes", "--skip-preview", "--expect-no-changes")

	p.pulumi(t, "destroy", "--yes", "--skip-preview")
	_, err = client.AppsV1().Deployments(space).Get(t.Context(), "web", metav1.GetOptions{})
	assert.True(t, apierrors.IsNotFound(err), "%v", err)
}

// livesInTwoClusters has typed children of components, and typed resources alone, in the clusters that their providers lead to.
func livesInTwoClusters(t *testing.T, p project) { // [K2]
	t.Helper()
	home, other := workloads.Get(t), cluster.ForTest(t, cluster.Options{})
	p.env = append(slices.Clip(p.env), "OTHER="+other.KubeconfigFile())
	in := func(c *cluster.Cluster) (names []string) {
		list, err := c.Client().CoreV1().ConfigMaps("default").List(t.Context(), metav1.ListOptions{LabelSelector: "typed=yes"})
		require.NoError(t, err)
		for _, found := range list.Items {
			names = append(names, found.Name)
		}
		return names
	}
	p.pulumi(t, "stack", "init", "two")
	p.pulumi(t, "up", "--yes", "--skip-preview")
	assert.ElementsMatch(t, []string{"by-provider", "by-providers", "by-list", "explicit"}, in(other))
	assert.ElementsMatch(t, []string{"in-component", "alone"}, in(home))
	p.pulumi(t, "preview", "--expect-no-changes")

	p.pulumi(t, "config", "set", "--path", "pulumi:disable-default-providers[0]", "k8sconnect")
	out, err := p.try(t, "bash", "-c", "pulumi preview")
	require.Error(t, err, "resources without a provider want the default one")
	assert.Contains(t, out, "denydefaultprovider", "so Pulumi says it of a resource of an extension")
	p.env = append(slices.Clip(p.env), "EXPLICIT=yes")
	p.pulumi(t, "up", "--yes", "--skip-preview")
	assert.Len(t, in(other), 4)
	assert.Empty(t, in(home))
	p.pulumi(t, "destroy", "--yes", "--skip-preview")
	assert.Empty(t, in(other))
}

func TestTypedKindsInTypeScript(t *testing.T) { // [K1] [K2] [K6] [K11] [K12]
	selected(t, "nodejs")
	t.Parallel()
	p := kindsProject(t, strangerShell(t))
	p.write(t, "Pulumi.yaml", pulumiProgram+"nodejs\n")
	p.write(t, "package.json", `{"dependencies": {"typescript": "^5", "@types/node": "^20", "@k8sconnect/pulumi": "file:`+packed(t, "nodejs/*.tgz")+`"}}`)
	p.pulumi(t, "package", "add", "k8sconnect", "--extension", kindsParameters)
	p.write(t, "check.json", tsconfig)
	text, check := program(t, "kinds.ts"), []string{"node_modules/.bin/tsc", "--noEmit", "--project", "check.json"}
	p.write(t, "index.ts", text)
	p.write(t, "page.ts", onKindsPage(t, "typescript"))
	// The types fit. The provider refuses a Patch of an object that is ours, so it is not in the program that runs.
	p.write(t, "target.ts", text+"new k8sconnect.Patch(\"web\", { target: web.k8sconnect.resourceRef, patch: { data: {} }, takeOwnership: true });\n")
	p.run(t, check[0], check[1:]...)
	require.NoError(t, os.Remove(p.path("target.ts")))
	require.NoError(t, os.Remove(p.path("index.ts")))
	p.refuses(t, "wrong%d.ts", text, check,
		mistake{"replicas: 1", "replica: 1", "'replica' does not exist in type"},
		mistake{`metadata: { name: "web", namespace },` + "\n", "metadata: { namespace },\n", "'name' is missing"},
		mistake{`size: "large"`, `size: "huge"`, `'"huge"' is not assignable`},
		mistake{`image: "web:1"`, `image: 1`, "'number' is not assignable"},
		mistake{"resourceRef: web.k8sconnect.resourceRef,", "resourceRef: web.k8sconnect.fieldOwnership,", "not assignable"},
		mistake{"ignoreFields", "ignoredFields", "'ignoredFields' does not exist"},
		mistake{"port: 80", `port: "http"`, "'string' is not assignable"},
	)
	p.write(t, "index.ts", text)
	livesAsKinds(t, p)
	refusedByPolicies(t, p, text)
	p.write(t, "index.ts", program(t, "kinds_component.ts"))
	livesInTwoClusters(t, p)
}

func TestTypedKindsInYAML(t *testing.T) { // [K5]
	t.Parallel()
	p := kindsProject(t, strangerShell(t))
	const name = "imported-as-yaml"
	page, written := onKindsPage(t, "yaml"), "metadata: { name: web }"
	require.Contains(t, page, written)
	p.write(t, "Pulumi.yaml", pulumiProgram+"yaml\n"+strings.Replace(page, written, "metadata: { name: "+name+", namespace: default }", 1))
	p.pulumi(t, "package", "add", "k8sconnect")
	p.pulumi(t, "package", "add", "k8sconnect", "--extension", kindsParameters)
	p.pulumi(t, "stack", "init", "dev")
	assert.Contains(t, p.pulumi(t, "preview"), "2 to create")

	imported := func(typed string) (string, error) {
		return p.try(t, "bash", "-c", "pulumi import --yes --generate-code=false --protect=false k8sconnect:"+typed+" web v1/ConfigMap/default/"+name)
	}
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"greeting": "hello"}}
	_, err := workloads.Get(t).Client().CoreV1().ConfigMaps("default").Create(t.Context(), config, metav1.CreateOptions{})
	require.NoError(t, err)
	out, err := imported("core/v1:Service")
	require.Error(t, err)
	assert.Contains(t, out, "or the type k8sconnect:core/v1:ConfigMap. [Invalid]")
	out, err = imported("core/v1:ConfigMap")
	require.NoError(t, err, out)
	p.pulumi(t, "preview", "--expect-no-changes")
}

func TestTypedKindsInGo(t *testing.T) { // [K1] [K6] [K11]
	selected(t, "go")
	t.Parallel()
	first := goPrograms.get(t)
	p := kindsProject(t, first.env)
	p.generate(t, "go")
	p.write(t, "Pulumi.yaml", pulumiProgram+"go\n")
	p.write(t, "go.sum", first.read(t, "go.sum"))
	p.write(t, "go.mod", first.read(t, "go.mod")+"\nrequire kinds v0.0.0\n\nreplace kinds => ./made/go\n")
	text, check := program(t, "kinds.go.txt"), []string{"go", "vet", "-mod=mod", "."}
	p.write(t, "main.go", text)
	p.write(t, "page/main.go", onKindsPage(t, "go"))
	p.run(t, check[0], append(check[1:], "./page")...)
	p.refuses(t, "wrong%d/main.go", text, []string{"go", "vet", "-mod=mod", "./..."},
		mistake{"Replicas: pulumi", "Replica: pulumi", "unknown field Replica"},
		mistake{"CrateSpecSizeLarge", "CrateSpecSizeHuge", "undefined: examplev1.CrateSpecSizeHuge"},
		mistake{`pulumi.String("web:1")`, "pulumi.Int(1)", "cannot use pulumi.Int(1)"},
	)
	p.env = append(slices.Clip(p.env), "GOFLAGS=-mod=mod -modcacherw -buildvcs=false -trimpath -ldflags=-w")
	livesAsKinds(t, p)

	t.Run("the classes can be in the program's own module, without a replace", func(t *testing.T) {
		p := project{dir: t.TempDir(), env: p.env}
		p.write(t, "crates.yaml", crateDefinition)
		p.write(t, "go.sum", first.read(t, "go.sum"))
		p.write(t, "go.mod", regexp.MustCompile(`(?m)^module .*$`).ReplaceAllString(first.read(t, "go.mod"), "module shop"))
		p.pulumi(t, "package", "gen-sdk", "k8sconnect", "--extension", "crds=crates.yaml go=shop/sdks/go/boxes",
			"--language", "go", "--local", "--out", "sdks")
		require.NoError(t, os.Remove(p.path("sdks/go/go.mod")), "the page says so")
		p.write(t, "main.go", "package main\n\nimport v1 \"shop/sdks/go/boxes/example/v1\"\n\nfunc main() { _ = v1.CrateArgs{} }\n")
		p.run(t, "go", "vet", "./...")
	})
}

func TestTypedKindsInPython(t *testing.T) { // [K1] [K6] [K11]
	selected(t, "python")
	t.Parallel()
	first := pythonPrograms.get(t)
	p := kindsProject(t, strangerShell(t))
	p.generate(t, "python")
	p.write(t, "Pulumi.yaml", pulumiProgram+"{name: python, options: {virtualenv: venv}}\n")
	require.NoError(t, os.Symlink(first.path("venv"), p.path("venv")))
	p.run(t, "venv/bin/pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "./made/python")
	text, check := program(t, "kinds.py"), []string{"venv/bin/mypy", "--strict", "__main__.py"}
	p.write(t, "page.py", onKindsPage(t, "python"))
	p.run(t, "venv/bin/mypy", "--strict", "page.py")
	p.write(t, "__main__.py", text)
	p.run(t, check[0], check[1:]...)
	// A mistake inside a plain dict is found, too, but mypy needs minutes to say so: it tries all forms of the arguments. See below.
	p.refuses(t, "wrong%d.py", text, []string{"venv/bin/mypy", "--strict", "wrong0.py", "wrong1.py", "wrong2.py"},
		mistake{`NamedMetaArgs(name=`, `NamedMetaArgs(names=`, `Unexpected keyword argument "names"`},
		mistake{`NamedMetaArgs(name="settings", `, `NamedMetaArgs(`, `Missing named argument "name"`},
		mistake{"CrateSpecSize.LARGE", "CrateSpecSize.HUGE", `has no attribute "HUGE"`},
	)
	livesAsKinds(t, p)
	t.Run("pyright says what is wrong in a dict [K11]", func(t *testing.T) {
		p.installPyright(t)
		p.write(t, "pyrightconfig.json", `{"venvPath": ".", "venv": "venv", "include": ["page.py"]}`)
		p.run(t, "node_modules/.bin/pyright")
		p.write(t, "pyrightconfig.json", `{"venvPath": ".", "venv": "venv", "include": ["wrong*.py"]}`)
		p.refuses(t, "wrong%d.py", onKindsPage(t, "python"), []string{"node_modules/.bin/pyright"},
			mistake{`"selector": {`, `"selectors": {`, `not assignable to "DeploymentSpecArgsDict"`},
			mistake{`metadata={"name": "web"}`, `metadata={"namespace": "web"}`, `not assignable to "NamedMetaArgsDict"`},
			mistake{`"image": "nginx:1"`, `"image": 1`, `not assignable to "DeploymentSpecArgsDict"`},
		)
	})
}
