package sdk_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// policyPage is the page with the policy packs.
const policyPage = "policy-packs.md"

// policyPack is a pack on the page.
type policyPack struct {
	section string
	// pins are the versions of what its commands install.
	pins []string
	// typeCheck is the command that checks its types.
	typeCheck []string
	// more is a policy that the page adds to the list.
	more string
}

var policyPacks = map[string]policyPack{
	"nodejs": {
		section: "In TypeScript", pins: []string{"@pulumi/policy", "@pulumi/policy@1.21.0"}, more: "typescript",
		// The declarations of @pulumi/policy 1.21 have errors of their own.
		typeCheck: []string{"node_modules/.bin/tsc", "--noEmit", "--skipLibCheck", "--project", "check.json"},
	},
	"python": {
		section: "In Python", pins: []string{"pulumi-policy", "pulumi-policy==1.21.0 " + mypy},
		typeCheck: []string{"venv/bin/mypy", "--strict", "__main__.py"},
	},
}

// violations are what the packs of the page find in the program of testdata: policy, type and name of the resource, message.
var violations = []string{
	"mandatory no-json-patches-of-workloads Patch json-patch: Use patch or mergePatch for Deployment also-theirs.",
	"mandatory no-privileged-containers KubeObject web: The container setup is privileged.",
	"mandatory pinned-images KubeObject big-secret: The container secret runs secret:latest.",
	"mandatory pinned-images KubeObject big: The container big runs big:latest.",
	"mandatory pinned-images KubeObject set:batch/CronJob.nightly: The container nightly runs nightly.",
	"mandatory pinned-images KubeObject web: The container setup runs registry.example:5000/setup.",
	"mandatory pinned-images KubeObject web: The container web runs nginx:latest.",
	"mandatory pinned-images Patch merge-patch: The container merged runs merged.",
	"mandatory pinned-images Patch patch: The container patched runs patched.",
	"mandatory pinned-images ReleaseHooks chart:pre-delete: The container clean-up runs clean-up.",
	"mandatory pinned-images Task chart:batch/Job.migrate: The container migrate runs migrate.",
	"mandatory pinned-images Task task: The container task runs task:latest.",
	"mandatory pinned-images Task task: The container with runs with.",
}

// violation is what the CLI prints about one. The last line is the message.
var violation = regexp.MustCompile(`(?m)^ {8}- \[(mandatory|advisory)\] +(\S+) +\(k8sconnect:index:(\w+): (.*)\)((?:\n {10}.*)+)$`)

func violationsIn(out string) (found []string) {
	for _, v := range violation.FindAllStringSubmatch(out, -1) {
		message := v[5][strings.LastIndex(v[5], "\n"):]
		found = append(found, fmt.Sprintf("%s %s %s %s: %s", v[1], v[2], v[3], v[4], strings.TrimSpace(message)))
	}
	slices.Sort(found)
	return found
}

// TestPolicyPacks runs the packs on the page in the CLI, which asks them about what the provider makes of each input.
func TestPolicyPacks(t *testing.T) { // [D84]
	t.Parallel()
	for language, pack := range policyPacks {
		t.Run(language, func(t *testing.T) {
			selected(t, language)
			t.Parallel()
			p := pack.installed(t)
			p.run(t, pack.typeCheck[0], pack.typeCheck[1:]...)
			c, space := workloads.Get(t), "policies-in-"+language
			_, err := c.Client().CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: space}}, metav1.CreateOptions{})
			require.NoError(t, err)

			backend := t.TempDir()
			stack := project{dir: t.TempDir(), env: append(slices.Clip(p.env),
				"PATH="+strangerPath("hosts")+string(os.PathListSeparator)+strangerPath("bin")+string(os.PathListSeparator)+os.Getenv("PATH"),
				"PULUMI_BACKEND_URL=file://"+filepath.ToSlash(backend), "KUBECONFIG="+c.KubeconfigFile(), "PACK="+p.dir, "GOGC=off", "GOMEMLIMIT=400MiB")}
			require.NoError(t, os.CopyFS(stack.dir, os.DirFS(filepath.Join("testdata", "policies"))))
			stack.write(t, "long.txt", strings.Repeat("It is too long for a tree.\n", 8_000))
			stack.run(t, "bash", "-c", "pulumi stack init dev && pulumi config set k8sconnect:namespace "+space)
			fails := func(command string) string {
				out, err := stack.try(t, "bash", "-c", command)
				require.Error(t, err, out)
				return out
			}
			assert.Equal(t, violations, violationsIn(fails(`pulumi preview --policy-pack "$PACK"`)))

			// A value that is known later.
			later, err := os.ReadFile(filepath.Join("testdata", "policies", "later.yaml"))
			require.NoError(t, err)
			stack.write(t, "Pulumi.yaml", string(later))
			const notYet = "advisory pinned-images KubeObject later: can't run policy 'pinned-images' from policy pack 'kubernetes@v"
			preview := violationsIn(stack.run(t, "bash", "-c", `pulumi preview --policy-pack "$PACK"`))
			require.Len(t, preview, 1)
			assert.Contains(t, preview[0], notYet)
			assert.Contains(t, preview[0], "during preview: string value at .manifest.spec.containers.0.image can't be known during preview")
			out := fails(`pulumi up --skip-preview --policy-pack "$PACK"`)
			credentials, err := c.Client().CoreV1().Secrets(space).Get(t.Context(), "credentials", metav1.GetOptions{})
			require.NoError(t, err, "what comes before stays")
			assert.Equal(t, []string{"mandatory pinned-images KubeObject later: The container later runs " + string(credentials.UID) + "."}, violationsIn(out))
			_, err = c.Client().CoreV1().Pods(space).Get(t.Context(), "later", metav1.GetOptions{})
			assert.True(t, apierrors.IsNotFound(err), "%v", err)

			if pack.more != "" {
				assert.Equal(t, map[string]string{"team": "shop"}, credentials.Labels)
			}
			assert.NotContains(t, everythingIn(t, backend), "correct-horse")
			stack.run(t, "bash", "-c", "pulumi destroy --yes")
		})
	}
}

// installed makes the pack in a folder as the page says, with everything that the page adds to it.
func (pack policyPack) installed(t *testing.T) project {
	t.Helper()
	p := project{dir: t.TempDir(), env: append(slices.Clip(strangerShell(t)), "npm_config_prefer_offline=true")}
	page := readDocsPage(t, policyPage)
	files, commands := blocks(t, sectionOf(t, page, pack.section))
	require.NotEmpty(t, files)
	if pack.more != "" {
		more := regexp.MustCompile("(?ms)^```" + pack.more + "\n(.*?)^```$").FindStringSubmatch(sectionOf(t, page, "Policies that change resources"))
		require.NotNil(t, more)
		const list, file = "    policies: [\n", "index.ts"
		require.Contains(t, files[file], list)
		files[file] = strings.Replace(files[file], list, list+strings.TrimSuffix(more[1], "\n")+",\n", 1)
	}
	for name, content := range files {
		p.write(t, name, content)
	}
	p.write(t, "check.json", tsconfig)
	install := strings.Join(commands, "")
	require.Contains(t, install, pack.pins[0])
	p.run(t, "bash", "-e", "-c", strings.NewReplacer(pack.pins...).Replace(install))
	return p
}

// everythingIn is all that is in the files of a folder.
func everythingIn(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		all.Write(content)
		return err
	}))
	return all.String()
}
