package e2e

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// story is what a test adds to the commands of an example's README.md: what the world does while
// they run, and what the README promises. Commands are named as they are printed, without the
// comments behind them.
type story struct {
	// before runs before a command.
	before map[string]func(t *testing.T, e *example)
	// during plays what happens while "pulumi up" runs.
	during func(t *testing.T, e *example)
	// prints is what a command's output contains.
	prints map[string][]string
	// promised looks at what there is when a preview has nothing to do any more.
	promised func(t *testing.T, e *example)
	// variant is a command that changes the program. Only the second time runs it.
	variant string
}

// example is a copy of a folder of examples/, with an administrator of its own and a home that has
// nothing but his kubeconfig.
type example struct {
	*stack
	story
	cluster *cluster.Cluster
	kube    *kube   // the cluster of KUBECONFIG
	kubes   []*kube // all clusters
	user    cluster.User
	mark    cluster.AuditMark // before the update that runs
	home    string
	second  bool // it runs for the second time

	commands []string        // of the README.md, in order
	done     map[string]bool // those that were run this time
}

var (
	shellBlocks = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")
	remark      = regexp.MustCompile(`\s+#.*$`)
	listed      = regexp.MustCompile(`(?m)^\| \[([^\]]+)\]\(([^)]+)\) \| \S`)
	// setup are commands that prepare the machine of the reader, or need Pulumi Cloud. The tests have their
	// own provider, and do themselves what environments of Pulumi ESC do (TestESC).
	setup = regexp.MustCompile(`^(make install$|export KUBECONFIG=|pulumi (env|config env) )`)
)

// elsewhere are the folders whose README.md a test of another package goes through: its file, its name, and with what it does.
var elsewhere = map[string]struct{ folder, file, test, by string }{
	"automation-go":         {"../../sdk", "automation_test.go", "TestAutomationInGo", `newPlatform(t, "automation-go")`},
	"automation-typescript": {"../../sdk", "automation_test.go", "TestAutomationInTypeScript", `newPlatform(t, "automation-typescript")`},
	"typed":                 {"../../sdk", "typed_example_test.go", "TestTheTypedExample", `typedExample(t, language)`},
	"operator":              {"../../operator", "programs_test.go", "TestTheProgramsOfTheOperator", "newStacks(t)"},
}

// TestExamples goes through the README.md of every folder of examples/, twice: its commands are run
// as they are printed, in their order, and nothing is left afterwards.
func TestExamples(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "..", "examples")
	var folders []string
	entries, err := os.ReadDir(root)
	require.NoError(t, err)
	for _, entry := range entries {
		if entry.IsDir() {
			folders = append(folders, entry.Name())
		}
	}

	t.Run("every example has a story here or a test elsewhere, and every story an example", func(t *testing.T) {
		assert.ElementsMatch(t, folders, slices.AppendSeq(slices.Collect(maps.Keys(stories)), maps.Keys(elsewhere)))
		for _, other := range elsewhere {
			tests, err := readFile(other.folder, other.file)
			require.NoError(t, err)
			assert.Regexp(t, `(?m)^func `+other.test+`\(t \*testing\.T\) \{\n(\t.*\n)*\t.*`+regexp.QuoteMeta(other.by)+`\n`, tests)
		}
	})
	t.Run("the index lists every example", func(t *testing.T) {
		index, err := readFile(root, "README.md")
		require.NoError(t, err)
		var names []string
		for _, line := range listed.FindAllStringSubmatch(index, -1) {
			assert.Equal(t, line[1], line[2])
			names = append(names, line[1])
		}
		assert.ElementsMatch(t, folders, names)
	})
	for _, folder := range folders {
		if _, is := elsewhere[folder]; is {
			continue
		}
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			e := newExample(t, filepath.Join(root, folder), stories[folder])
			e.goThrough(t)
			if t.Failed() {
				return
			}
			e.second = true
			e.goThrough(t)
		})
	}
}

// newExample copies the folder of an example.
func newExample(t *testing.T, folder string, s story) *example {
	t.Helper()
	c := workloads.Get(t)
	e := &example{
		stack:   &stack{project: filepath.Base(folder), name: "dev", dir: t.TempDir(), backend: t.TempDir()},
		story:   s,
		cluster: c, kube: kubeOf(t, c), home: t.TempDir(),
	}
	e.kubes = []*kube{e.kube}
	require.NoError(t, os.CopyFS(e.dir, os.DirFS(folder)))
	user, err := c.AddUser("example-"+e.project, "system:masters")
	require.NoError(t, err)
	e.user = user
	e.env = environment(e.backend, e.kubeconfig(t, "config", user))
	maps.Copy(e.env, map[string]string{
		"HOME": e.home, "PULUMI_SKIP_CONFIRMATIONS": "true", "PULUMI_OPTION_SKIP_PREVIEW": "true",
		"PULUMI_OPTION_NON_INTERACTIVE": "true", "PULUMI_OPTION_COLOR": "never",
	})

	readme, err := readFile(folder, "README.md")
	require.NoError(t, err)
	for _, block := range shellBlocks.FindAllStringSubmatch(readme, -1) {
		for line := range strings.Lines(block[1]) {
			if line = remark.ReplaceAllString(strings.TrimSpace(line), ""); !setup.MatchString(line) {
				e.commands = append(e.commands, line)
			}
		}
	}
	program, err := readFile(folder, "Pulumi.yaml")
	require.NoError(t, err)
	assert.Regexp(t, `\Aname: `+e.project+`\nruntime: yaml\ndescription: \S.*\n`, program)
	t.Cleanup(func() { e.tidyAll(t) })
	return e
}

// kubeconfig writes a user's kubeconfig into ~/.kube.
func (e *example) kubeconfig(t *testing.T, name string, user cluster.User) string {
	t.Helper()
	content, err := user.Kubeconfig()
	require.NoError(t, err)
	path := filepath.Join(e.home, ".kube", name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, content, 0o600))
	return path
}

// goThrough runs every command of the README.md once. Where it updates, a preview comes before, and
// one that has nothing to do comes after, unless the README.md has them itself.
func (e *example) goThrough(t *testing.T) {
	t.Helper()
	e.done = map[string]bool{}
	shows := func(command string) bool { return slices.Contains(e.commands, command) }
	for _, command := range e.commands {
		if command == e.variant && !e.second {
			e.done[command] = true
		}
	}
	if e.variant != "" && e.second {
		e.execute(t, e.variant)
	}
	for _, command := range e.commands {
		if e.done[command] {
			continue
		}
		if before := e.before[command]; before != nil {
			before(t, e)
		}
		switch command {
		case "pulumi up":
			if !e.second && !shows("pulumi preview") && !shows("pulumi preview --diff") {
				e.preview(t)
			}
			e.execute(t, command)
			if !e.second && !shows("pulumi preview --expect-no-changes") {
				e.previewEmpty(t)
			}
		case "pulumi destroy --remove":
			e.inItsNamespace(t)
			if e.promised != nil {
				e.promised(t, e)
			}
			e.destroyAll(t, command)
		default:
			e.execute(t, command)
		}
	}
	assert.Len(t, e.done, len(e.commands), "every command was run: %v", e.done)
	assert.True(t, e.done["pulumi destroy --remove"], "a README.md says how to clean up")
	e.nothingLeft(t)
}

// execute runs a command of the README.md, which has to succeed.
func (e *example) execute(t *testing.T, command string) {
	t.Helper()
	require.Contains(t, e.commands, command)
	require.False(t, e.done[command], "run already: %s", command)
	e.done[command] = true
	var err error
	e.mark, err = e.cluster.AuditMark()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
	cmd.Dir, cmd.WaitDelay = e.dir, 10*time.Second
	for key, value := range e.env {
		cmd.Env = append(cmd.Env, key+"="+value)
	}
	running := begin(t, command, cmd)
	if command == "pulumi up" && e.during != nil {
		e.during(t, e)
	}
	r := running.wait(t).succeeded(t)
	t.Logf("%v %s", r.took, command)
	for _, text := range e.prints[command] {
		assert.Contains(t, r.out, text, command)
	}
}

// saved are the resources of the state, by their names.
func (e *example) saved(t *testing.T) map[string]resource {
	t.Helper()
	saved, _, err := e.checkpoint()
	require.NoError(t, err)
	resources := map[string]resource{}
	for _, r := range saved.Resources {
		resources[r.name()] = r
	}
	return resources
}

// follows wants that a resource depends on another one, directly or by way of others.
func (e *example) follows(t *testing.T, later, earlier string) {
	t.Helper()
	saved := e.saved(t)
	names := slices.Collect(maps.Keys(saved))
	require.Contains(t, names, later)
	require.Contains(t, names, earlier)
	before := map[string]bool{}
	var walk func(urn string)
	walk = func(urn string) {
		name := resource{URN: urn}.name()
		if !before[name] {
			before[name] = true
			for _, dependency := range saved[name].Dependencies {
				walk(dependency)
			}
		}
	}
	walk(saved[later].URN)
	assert.True(t, before[earlier], "%s comes after %s", later, earlier)
}

// inItsNamespace wants that all objects are in the namespace that has the example's name, or have
// its name in theirs. What is patched may be anybody's.
func (e *example) inItsNamespace(t *testing.T) {
	t.Helper()
	for name, r := range e.saved(t) {
		if r.Type == "k8sconnect:index:KubeObject" {
			assert.Regexp(t, `[/.]`+e.project+`(/[^/]+|\.[^/]+)?$`, r.ID, name)
		}
	}
}

// destroyAll destroys, and wants that every object is gone, and that what was patched stays as it is
// and does not know that we were there.
func (e *example) destroyAll(t *testing.T, command string) {
	t.Helper()
	before, patched := e.saved(t), map[string]map[string]any{}
	require.NotEmpty(t, before)
	for _, r := range before {
		if r.Type == "k8sconnect:index:Patch" {
			patched[r.ID] = valuesOf(e.kube.get(t, r.ID).Object)
		}
	}
	e.execute(t, command)
	_, _, err := e.checkpoint()
	require.ErrorIs(t, err, fs.ErrNotExist, "a stack is removed when nothing is left in it")
	for _, r := range before {
		if r.Type == "k8sconnect:index:KubeObject" {
			for _, k := range e.kubes {
				k.gone(t, r.ID)
			}
		}
	}
	for id, values := range patched {
		assert.Equal(t, values, valuesOf(e.kube.get(t, id).Object), "a destroy changes no value of %s", id)
		assert.Empty(t, e.kube.ours(t, id), "a manager of ours is left on %s", id)
	}
}

// clusterWide are the kinds without a namespace that an example may have, or its files.
var clusterWide = []string{
	"v1/Namespace", "v1/PersistentVolume", "apiextensions.k8s.io/v1/CustomResourceDefinition",
	"admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration",
}

// nothingLeft wants that nothing in a cluster has the example's name, and that no configuration of the
// stack is left.
func (e *example) nothingLeft(t *testing.T) {
	t.Helper()
	named := regexp.MustCompile(`(^|\.)` + regexp.QuoteMeta(e.project) + `(\.|$)`)
	for _, k := range e.kubes {
		for _, kind := range clusterWide {
			client, _ := k.must(t, kind+"/any")
			list, err := client.List(t.Context(), metav1.ListOptions{})
			require.NoError(t, err)
			for _, object := range list.Items {
				assert.False(t, named.MatchString(object.GetName()), "%s %s is left", object.GetKind(), object.GetName())
			}
		}
	}
	assert.NoFileExists(t, filepath.Join(e.dir, "Pulumi.dev.yaml"))
}

// tidyAll removes what a test that has failed has left behind.
func (e *example) tidyAll(t *testing.T) {
	if !t.Failed() {
		return
	}
	for _, k := range e.kubes {
		e.tidy(t, k)
		for _, kind := range clusterWide {
			k.remove(t, fmt.Sprintf("%s/%s", kind, e.project))
		}
	}
}
