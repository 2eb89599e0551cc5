package sdk_test

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// These are the programs of examples/ that are not run by the pulumi command: they need a packed SDK.

func TestAutomationInGo(t *testing.T) {
	selected(t, "go")
	t.Parallel()
	p := newPlatform(t, "automation-go")
	archive := packed(t, "go/"+goModule+"/@v/*.zip")
	version := strings.TrimSuffix(filepath.Base(archive), ".zip")
	unpack(t, archive, goModule+"@"+version+"/", filepath.Join(p.root, "sdk", "go", "k8sconnect"))
	p.env["GOWORK"], p.env["CGO_ENABLED"], p.env["GOFLAGS"] = "off", "0", "-buildvcs=false -trimpath -ldflags=-w"

	step(t, "it is well-formed, vetted and tidy", func(t *testing.T) {
		assert.Empty(t, p.must(t, "gofmt", "-d", "."))
		p.must(t, "go", "vet", "./...")
		p.must(t, "go", "mod", "tidy", "-diff")
	})
	step(t, "the commands of its README.md do what it says", func(t *testing.T) { p.readme(t, "acme", "globex") })
	p.must(t, "go", "build", "-o", "program", ".")
	p.program = []string{"./program"}
	p.tell(t, 20)
}

func TestAutomationInTypeScript(t *testing.T) {
	selected(t, "nodejs")
	t.Parallel()
	p := newPlatform(t, "automation-typescript")
	link := filepath.Join(p.root, "bin", "sdk", "nodejs")
	require.NoError(t, os.MkdirAll(filepath.Dir(link), 0o755))
	require.NoError(t, os.Symlink(filepath.Dir(packed(t, "nodejs/*.tgz")), link))

	// It is compiled by one of them, and strictly.
	step(t, "the commands of its README.md do what it says", func(t *testing.T) { p.readme(t, "initech", "umbrella") })
	options, err := os.ReadFile(filepath.Join(p.dir, "tsconfig.json"))
	require.NoError(t, err)
	assert.Contains(t, string(options), `"strict": true`)
	p.program = []string{"node", "bin/main.js"}
	p.tell(t, 8) // Go's program shows that it holds for many
}

// preparation are the commands of a README.md that make what the tests have already.
var preparation = regexp.MustCompile(`^make `)

// readme runs the commands of the README.md as they are printed. In between there are the tenants that they name.
func (p *platform) readme(t *testing.T, tenants ...string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, "README.md"))
	require.NoError(t, err)
	p.tidyUp(t, tenants)
	var had bool
	for _, block := range regexp.MustCompile("(?ms)^```sh\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
		for line := range strings.Lines(block[1]) {
			line = regexp.MustCompile(`\s+#.*$`).ReplaceAllString(strings.TrimSpace(line), "")
			if preparation.MatchString(line) {
				continue
			}
			out := p.must(t, "sh", "-c", line)
			switch {
			case strings.Contains(line, " up "):
				had = true
				for _, tenant := range tenants {
					assert.Contains(t, out, tenant+": rolled-out: create done\n")
					p.complete(t, tenant)
				}
			case strings.HasPrefix(line, "kubectl"):
				for _, kind := range []string{"resourcequota/quota", "networkpolicy.networking.k8s.io/same-namespace", "deployment.apps/web"} {
					assert.Contains(t, out, kind)
				}
			}
		}
	}
	assert.True(t, had, "a README.md says how to make tenants")
	p.nothingLeft(t, tenants)
}

// tell tells what happens to a platform with this many tenants in its life. late and never are those whose pods nobody makes
// ready but the story itself.
func (p *platform) tell(t *testing.T, tenants int) {
	late, never := p.tenant("late"), p.tenant("never")
	var others []string
	for i := range tenants - 2 {
		others = append(others, p.tenant(fmt.Sprintf("t%02d", i+1)))
	}
	done, rest := others[:2], others[2:]
	all := slices.Concat(done, []string{late, never}, rest)
	p.tidyUp(t, all)
	var before map[string]string

	step(t, "^C in the middle of it ends what has begun, and locks nothing", func(t *testing.T) {
		command := p.start(t, "up", []string{"--parallel=2", "--timeout=10m"}, all...)
		command.prints(t, late+": rolled-out: Waiting: ")
		command.prints(t, never+": rolled-out: Waiting: ")
		began := time.Now()
		require.NoError(t, command.signal(syscall.SIGINT))
		r := command.wait(t).failed(t)
		assert.Less(t, time.Since(began), 25*time.Second)
		assert.Regexp(t, late+`: rolled-out: Deployment `+late+`/web: interrupted after `, r.errors)
		assert.Regexp(t, never+`: rolled-out: Deployment `+never+`/web: interrupted after `, r.errors)
		for _, tenant := range rest {
			assert.Contains(t, r.errors, tenant+": not begun\n")
			assert.NotContains(t, r.out, tenant)
		}
		for _, tenant := range done {
			assert.NotContains(t, r.errors, tenant)
			p.complete(t, tenant)
		}
		p.unlocked(t)
		for _, tenant := range []string{late, never} {
			assert.Empty(t, p.saved(t, tenant).Pending, "an operation of %s was dropped", tenant)
			assert.Equal(t, true, p.saved(t, tenant).outputs(t, "rolled-out")["__pendingWait"])
		}
		before = p.uids(t, all)
		assert.ElementsMatch(t, all[:4], slices.Collect(maps.Keys(before)))
	})

	step(t, "all tenants at once: a wait that fails is tried again in place, and one that never holds gives up", func(t *testing.T) {
		mark := p.mark(t)
		command := p.start(t, "up", []string{"--parallel=20", "--timeout=15s"}, all...)
		command.prints(t, late+": try 2 of 3\n")
		p.makeReady(t, late)
		r := command.wait(t).failed(t)
		assert.Regexp(t, `\A\s*Failed:\n`+never+`: rolled-out: Deployment `+never+`/web: timed out after 15s waiting for the rollout \[WaitTimedOut\]\n\z`, r.errors)
		for _, tenant := range slices.Concat(others, []string{late}) {
			p.complete(t, tenant)
		}
		assert.Contains(t, r.out, late+": rolled-out: update done\n")
		assert.Contains(t, r.out, never+": try 3 of 3\n")
		assert.NotContains(t, r.out, never+": try 4")
		p.interleaved(t, r.out, all)

		uids := p.uids(t, all)
		assert.Len(t, uids, tenants)
		for tenant, uid := range before {
			assert.Equal(t, uid, uids[tenant], tenant)
		}
		writes := p.writes(t, mark)
		assert.ElementsMatch(t, rest, slices.Collect(maps.Keys(writes)), "for the others there was nothing to do but to wait")
		for _, tenant := range rest {
			assert.Len(t, writes[tenant], 4, "nothing is destroyed to retry: %v", writes[tenant])
		}
		p.unlocked(t)
		before = uids
	})

	step(t, "SIGTERM, which the program gets alone, ends what has begun", func(t *testing.T) {
		command := p.start(t, "up", []string{"--timeout=10m"}, never)
		command.prints(t, never+": rolled-out: Waiting: ")
		require.NoError(t, command.command.Process.Signal(syscall.SIGTERM))
		r := command.wait(t).failed(t)
		assert.Contains(t, r.errors, never+": rolled-out: Deployment "+never+"/web: interrupted after ")
		assert.NotContains(t, r.out, "try 2")
		assert.Empty(t, p.saved(t, never).Pending)
		p.unlocked(t)
	})

	step(t, "what is no failed wait is not tried again: a locked stack, a manifest that is refused", func(t *testing.T) {
		lock := filepath.Join(p.backend, ".pulumi", "locks", "organization", p.project, rest[0], "someone.json")
		require.NoError(t, os.MkdirAll(filepath.Dir(lock), 0o700))
		require.NoError(t, os.WriteFile(lock, []byte(`{"pid": 1, "username": "someone", "hostname": "elsewhere"}`), 0o600))
		r := p.run(t, "up", nil, rest[0]).failed(t)
		assert.Contains(t, r.errors, "the stack is currently locked by 1 lock(s)")
		assert.NotContains(t, r.out, "try 2")
		require.NoError(t, os.Remove(lock))

		r = p.run(t, "up", []string{"--image="}, rest[0]).failed(t)
		assert.Regexp(t, rest[0]+`: web: .*`, r.errors)
		assert.Contains(t, r.out, "spec.template.spec.containers[0].image")
		assert.NotContains(t, r.out, "try 2")
	})

	step(t, "when the cluster is well, the next up goes on where it stopped, and writes nothing", func(t *testing.T) {
		p.makeReady(t, never)
		mark := p.mark(t)
		r := p.run(t, "up", []string{"--timeout=15s"}, never, rest[0]).succeeded(t)
		assert.Equal(t, never+": rolled-out: update done\n", p.changes(r.out))
		assert.Empty(t, p.writes(t, mark))
		p.complete(t, never)
		assert.Equal(t, before, p.uids(t, all))
	})

	step(t, "destroy leaves nothing, and can be repeated", func(t *testing.T) {
		r := p.run(t, "destroy", []string{"--parallel=20"}, all...).succeeded(t)
		for _, tenant := range all {
			assert.Contains(t, r.out, tenant+": namespace: delete done\n")
		}
		r = p.run(t, "destroy", nil, late).succeeded(t)
		assert.Equal(t, late+": there is no such stack\n", r.out)
		p.nothingLeft(t, all)
	})
}

// complete looks at all that a tenant has: in the cluster, and in the outputs of its stack.
func (p *platform) complete(t *testing.T, tenant string) {
	t.Helper()
	namespace, err := p.client.CoreV1().Namespaces().Get(t.Context(), tenant, metav1.GetOptions{})
	require.NoError(t, err)
	quota, err := p.client.CoreV1().ResourceQuotas(tenant).Get(t.Context(), "quota", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, "10", quota.Spec.Hard.Pods().String())
	_, err = p.client.NetworkingV1().NetworkPolicies(tenant).Get(t.Context(), "same-namespace", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, int32(1), p.web(t, tenant).Status.AvailableReplicas, tenant)
	assert.Equal(t, map[string]any{"namespace": tenant, "uid": string(namespace.UID)},
		p.saved(t, tenant).outputs(t, p.project+"-"+tenant))
}

func (p *platform) web(t *testing.T, tenant string) *appsv1.Deployment {
	t.Helper()
	web, err := p.client.AppsV1().Deployments(tenant).Get(t.Context(), "web", metav1.GetOptions{})
	require.NoError(t, err)
	return web
}

// makeReady plays the kubelet of a tenant's pods, until the rollout has what it needs.
func (p *platform) makeReady(t *testing.T, tenant string) {
	t.Helper()
	require.Eventually(t, func() bool {
		ready(t, p.client, tenant, p.web(t, tenant).Spec.Template.Spec.Containers[0].Image)
		return p.web(t, tenant).Status.AvailableReplicas == 1
	}, time.Minute, 100*time.Millisecond)
}

// uids are those of the tenants' namespaces, where they exist.
func (p *platform) uids(t *testing.T, tenants []string) map[string]string {
	t.Helper()
	uids := map[string]string{}
	for _, tenant := range tenants {
		namespace, err := p.client.CoreV1().Namespaces().Get(t.Context(), tenant, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			continue
		}
		require.NoError(t, err)
		uids[tenant] = string(namespace.UID)
	}
	return uids
}

// nothingLeft wants that the tenants, their stacks, all locks and temporary folders are gone.
func (p *platform) nothingLeft(t *testing.T, tenants []string) {
	t.Helper()
	assert.Empty(t, p.uids(t, tenants))
	stacks, err := filepath.Glob(filepath.Join(p.backend, ".pulumi", "stacks", p.project, "*.json"))
	require.NoError(t, err)
	assert.Empty(t, stacks)
	folders, err := filepath.Glob(filepath.Join(p.env["TMPDIR"], "*auto*"))
	require.NoError(t, err)
	assert.Empty(t, folders)
	p.unlocked(t)
}

func (p *platform) unlocked(t *testing.T) {
	t.Helper()
	locks, err := filepath.Glob(filepath.Join(p.backend, ".pulumi", "locks", "*", "*", "*", "*.json"))
	require.NoError(t, err)
	assert.Empty(t, locks)
}

// interleaved wants that every line begins with the name of a tenant, that all tenants have lines, and that they
// did not come one tenant after the other.
func (p *platform) interleaved(t *testing.T, printed string, tenants []string) {
	t.Helper()
	said, turns, last := map[string]bool{}, 0, ""
	for line := range strings.Lines(printed) {
		tenant, _, _ := strings.Cut(line, ": ")
		require.Contains(t, tenants, tenant, line)
		said[tenant] = true
		if tenant != last {
			turns++
		}
		last = tenant
	}
	assert.Len(t, said, len(tenants))
	assert.Greater(t, turns, 2*len(tenants))
}

// changes are the lines that say that something was done.
func (p *platform) changes(printed string) string {
	var done strings.Builder
	for line := range strings.Lines(printed) {
		if strings.HasSuffix(line, " done\n") {
			done.WriteString(line)
		}
	}
	return done.String()
}

// checkpoint is what is read of the state of a stack.
type checkpoint struct {
	Resources []struct {
		URN     string         `json:"urn"`
		Outputs map[string]any `json:"outputs"`
	} `json:"resources"`
	Pending []any `json:"pending_operations"`
}

// saved is the state of a tenant's stack, as "pulumi stack export" has it.
func (p *platform) saved(t *testing.T, tenant string) checkpoint {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(p.backend, ".pulumi", "stacks", p.project, tenant+".json"))
	require.NoError(t, err)
	var state struct {
		Checkpoint struct {
			Latest checkpoint `json:"latest"`
		} `json:"checkpoint"`
	}
	require.NoError(t, json.Unmarshal(text, &state))
	return state.Checkpoint.Latest
}

func (c checkpoint) outputs(t *testing.T, name string) map[string]any {
	t.Helper()
	for _, resource := range c.Resources {
		if strings.HasSuffix(resource.URN, "::"+name) {
			return resource.Outputs
		}
	}
	require.Fail(t, "not in the state", name)
	return nil
}

// unpack writes the files of an archive, whose names begin with the prefix, into a folder.
func unpack(t *testing.T, archive, prefix, dir string) {
	t.Helper()
	reader, err := zip.OpenReader(archive)
	require.NoError(t, err)
	defer func() { assert.NoError(t, reader.Close()) }()
	for _, file := range reader.File {
		name, inside := strings.CutPrefix(file.Name, prefix)
		require.True(t, inside, "%s is not below %s", file.Name, prefix)
		content, err := file.Open()
		require.NoError(t, err)
		text, err := io.ReadAll(content)
		require.NoError(t, err)
		require.NoError(t, content.Close())
		target := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(target), 0o755))
		require.NoError(t, os.WriteFile(target, text, 0o600))
	}
}
