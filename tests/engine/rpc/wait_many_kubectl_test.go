package rpc_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// kubectlWait says whether kubectl wait finds that it holds, at once and for whatever it is to look at.
func (w world) kubectlWait(args ...string) bool {
	w.t.Helper()
	path, err := cluster.Tool("kubectl")
	require.NoError(w.t, err)
	args = append([]string{"--kubeconfig=" + shared.Get(w.t).KubeconfigFile(), "--namespace=" + w.namespace, "wait", "--timeout=0s"}, args...)
	cmd := exec.CommandContext(w.t.Context(), path, args...)
	cmd.Env = []string{"HOME=" + os.Getenv("HOME")}
	out, err := cmd.CombinedOutput()
	if err == nil {
		return true
	}
	exited := (*exec.ExitError)(nil)
	require.ErrorAs(w.t, err, &exited)
	for _, no := range []string{"timed out waiting", "condition not met", "no matching resources found"} {
		if strings.Contains(string(out), no) {
			return false
		}
	}
	require.NoError(w.t, errors.New(string(out)))
	return false
}

// kubectl wait is the reference for Waits for many objects: all hold when it says so of the labels, and as many hold as
// those of which it says so one by one. It looks at the same objects.
func TestManyAreCountedAsKubectlWaitSaysOfEach(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	for what, kind := range map[string]struct {
		kind    string
		waitFor m
		flag    string
		// make makes an object in one of its states.
		make   func(w world, name, state string)
		states []string
	}{
		"a condition": {
			kind: "Deployment", waitFor: m{"condition": "Available"}, flag: "--for=condition=Available",
			make: func(w world, name, state string) {
				made := w.deployment(t, name)
				made["metadata"].(m)["labels"] = m{"team": "red"}
				w.create(made)
				switch state {
				case "yes", "no":
					w.report("Deployment", name, condition(t, fmt.Sprintf("type: Available, status: %q", map[string]string{"yes": "True", "no": "False"}[state])))
				case "old":
					status := condition(t, `type: Available, status: "True"`)
					status["observedGeneration"] = 1
					w.report("Deployment", name, status)
					w.patch("Deployment", name, m{"spec": m{"replicas": 5}})
				}
			},
			states: []string{"no", "old", "none"},
		},
		"a value": {
			kind: "ConfigMap", waitFor: m{"fieldValue": m{"data.ready": "yes"}}, flag: "--for=jsonpath={.data.ready}=yes",
			make: func(w world, name, state string) {
				w.member(name, map[string]m{"yes": {"ready": "yes"}, "no": {"ready": "no"}, "none": {"a": "1"}}[state])
			},
			states: []string{"no", "none"},
		},
		"that there is a value": {
			kind: "ConfigMap", waitFor: m{"field": "data.ready"}, flag: "--for=jsonpath={.data.ready}",
			make: func(w world, name, state string) {
				w.member(name, map[string]m{"yes": {"ready": "yes"}, "none": {"a": "1"}}[state])
			},
			states: []string{"none"},
		},
	} {
		sets := [][]string{{}, {"yes"}, {"yes", "yes", "yes"}}
		for _, state := range kind.states {
			sets = append(sets, []string{state}, []string{"yes", state, "yes"})
		}
		for _, set := range sets {
			t.Run(fmt.Sprintf("%s: %v [R29]", what, set), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				reached := 0
				for i, state := range set {
					name := fmt.Sprintf("m%d", i)
					kind.make(w, name, state)
					if w.kubectlWait(kind.flag, kind.kind+"/"+name) {
						reached++
					}
				}
				all := w.kubectlWait(kind.flag, kind.kind, "--selector=team=red")
				assert.Equal(t, len(set) > 0 && reached == len(set), all, "kubectl of one and of all")
				p := start(t, inline(newUser(t)))
				waits := func(name string, count any) bool {
					in := waitingForMany(w, count, inTime(kind.waitFor, shortTime), m{"selector": selecting(w, kind.kind)})
					return p.wait(t, name).create(in) == nil
				}
				assert.Equal(t, all, waits("all", m{"all": true}), "all")
				for n := 1; n <= len(set)+1; n++ {
					assert.Equal(t, reached >= n, waits(fmt.Sprint("at-least-", n), m{"atLeast": n}), "at least %d", n)
					assert.Equal(t, all && len(set) == n, waits(fmt.Sprint("exactly-", n), m{"exactly": n}), "exactly %d", n)
				}
			})
		}
	}
	t.Run("deletion [R29]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		s := start(t, inline(newUser(t))).wait(t, "gone")
		gone := waitingForMany(w, nil, m{"deleted": true, "timeout": shortTime})
		w.member("one", nil)
		assert.False(t, w.kubectlWait("--for=delete", "ConfigMap", "--selector=team=red"))
		requireWaitPending(t, s, s.create(gone))
		w.delete("ConfigMap", "one")
		assert.True(t, w.kubectlWait("--for=delete", "ConfigMap", "--selector=team=red"))
		assert.Empty(t, looks(t, s))
	})
}
