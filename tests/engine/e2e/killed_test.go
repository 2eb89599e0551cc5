package e2e

import (
	"flag"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// crowd is how many objects TestKilledInTheMiddle makes. There are three patches for ten objects:
// go test ./tests/engine/e2e -run TestKilledInTheMiddle -crowd=200
var crowd = flag.Int("crowd", 40, "how many objects the test of the killed CLI makes")

// crowded is a stack of many objects and of many patches of objects of another manager.
type crowded struct {
	*stack
	cluster *cluster.Cluster
	kube    *kube
	proxy   *faulty
	space   string
	objects int
	patches int
}

func newCrowded(t *testing.T, objects int) crowded {
	t.Helper()
	c := shared.Get(t)
	w := crowded{newStack(t), c, kubeOf(t, c), newFaulty(t, c), c.Namespace(t), objects, objects * 3 / 10}
	w.connectAs(t, w.proxy.User)
	for i := range w.patches {
		w.kube.apply(t, w.target(i), "owner", fmt.Sprintf(podTemplate, w.space, fmt.Sprint("pods-", i)))
	}
	return w
}

func (w crowded) target(i int) string { return fmt.Sprintf("v1/PodTemplate/%s/pods-%d", w.space, i) }

// declare declares all objects and patches of one round, mixed.
func (w crowded) declare(t *testing.T, round string) {
	t.Helper()
	text := "resources:"
	for i := range w.objects {
		name := fmt.Sprint("object-", i)
		text += configMapResource(name, name, w.space, fmt.Sprintf("{round: %q}", round))
		if i < w.patches {
			text += patchOf(fmt.Sprint("patch-", i), fmt.Sprintf("{apiVersion: v1, kind: PodTemplate, namespace: %s, name: pods-%d}", w.space, i),
				replaceAll([]string{
					`patch: {template: {metadata: {annotations: {round: ROUND}}, spec: {containers: [{name: main, image: "ours:ROUND", env: [{name: ADDED, value: ROUND}]}]}}}`,
					`mergePatch: {template: {metadata: {annotations: {round: ROUND}}, spec: {terminationGracePeriodSeconds: 7}}}`,
					`jsonPatch: [{op: add, path: /template/spec/containers/0/args/-, value: "--ROUND"}, {op: replace, path: /template/spec/containers/0/image, value: "ours:ROUND"}]`,
				}[i%3], "ROUND", round))
		}
	}
	w.program(t, "%s", text)
}

// killed runs a command and kills the CLI and the provider when half of the writes are done.
func (w crowded) killed(t *testing.T, command ...string) {
	t.Helper()
	half := make(chan struct{})
	writes := 0
	w.proxy.strike(func(r *http.Request) bool {
		about := strings.Contains(r.URL.Path, "/configmaps/object-") || strings.Contains(r.URL.Path, "/podtemplates/pods-")
		return about && r.Method != http.MethodGet && r.URL.Query().Get("dryRun") == ""
	}, func(f *faulty, _ *http.Response) error {
		f.mu.Lock()
		defer f.mu.Unlock()
		if writes++; writes == (w.objects+w.patches)/2 {
			close(half)
		}
		return nil
	})
	running := w.start(t, append(command, "--yes", "--skip-preview")...)
	select {
	case <-half:
	case <-time.After(time.Minute):
		t.Fatalf("half of the writes did not come: %v", running.wait(t))
	}
	w.kill(t, running)
	require.Equal(t, -1, running.wait(t).code)
	w.proxy.heal()
	w.run(t, "cancel", "--yes")
}

// uids are those of all ConfigMaps of the program that are there.
func (w crowded) uids(t *testing.T) map[string]types.UID {
	t.Helper()
	listed, err := w.cluster.Client().CoreV1().ConfigMaps(w.space).List(t.Context(),
		metav1.ListOptions{FieldSelector: "metadata.name!=kube-root-ca.crt"})
	require.NoError(t, err)
	uids := map[string]types.UID{}
	for _, object := range listed.Items {
		uids[object.Name] = object.UID
	}
	return uids
}

// requireAll wants every object and patch of the round exactly once, those of before still the same, and a state that
// agrees. added are the arguments that a JSON patch has added by now.
func (w crowded) requireAll(t *testing.T, round string, before map[string]types.UID, added func(patch string) []any) map[string]types.UID {
	t.Helper()
	uids := w.uids(t)
	require.Len(t, uids, w.objects)
	for name, uid := range before {
		assert.Equal(t, uid, uids[name], name)
	}
	saved := w.export(t)
	require.Len(t, saved.resources, w.objects+w.patches)
	for name, uid := range uids {
		assert.Equal(t, string(uid), saved.get(t, name).uid())
		assert.Equal(t, round, at(saved.get(t, name).Outputs, "manifest", "data", "round"), name)
	}
	for _, r := range saved.resources {
		assert.Empty(t, r.InitErrors)
	}
	for i := range w.patches {
		live := w.kube.get(t, w.target(i)).Object
		container := at(live, "template", "spec", "containers", 0)
		args := []any{"--quiet"}
		switch i % 3 {
		case 0:
			assert.Equal(t, round, at(live, "template", "metadata", "annotations", "round"))
			assert.Equal(t, []any{map[string]any{"name": "ADDED", "value": round}}, at(container, "env"))
		case 1:
			assert.Equal(t, round, at(live, "template", "metadata", "annotations", "round"))
			assert.Equal(t, int64(7), at(live, "template", "spec", "terminationGracePeriodSeconds"))
		case 2:
			assert.Equal(t, "ours:"+round, at(container, "image"))
			args = append(args, added(fmt.Sprint("patch-", i))...)
		}
		assert.Equal(t, args, at(container, "args"), w.target(i))
		// A merge or JSON patch that changes no value does not make its manager an owner.
		assert.LessOrEqual(t, len(w.kube.ours(t, w.target(i))), 1, w.target(i))
	}
	w.previewEmpty(t)
	return uids
}

// values are what the targets of the patches have.
func (w crowded) values(t *testing.T) (values []any) {
	t.Helper()
	for i := range w.patches {
		values = append(values, w.kube.value(t, w.target(i), "template"))
	}
	return values
}

func TestKilledInTheMiddle(t *testing.T) {
	t.Parallel()
	for how, skip := range map[string]bool{"with checkpoints": false, "without checkpoints": true} {
		t.Run(how+" [O87]", func(t *testing.T) {
			t.Parallel()
			w := newCrowded(t, *crowd)
			if skip {
				w.env["PULUMI_SKIP_CHECKPOINTS"] = "true"
			}
			var uids map[string]types.UID
			step(t, "of a create: the next up keeps what was made, and makes the rest", func(t *testing.T) {
				w.declare(t, "one")
				w.killed(t, "up")
				made := w.uids(t)
				require.NotEmpty(t, made)
				require.Less(t, len(made), w.objects, "it was in the middle")
				if skip {
					require.Empty(t, w.export(t).resources, "nothing of it is in the state")
				}
				w.up(t)
				uids = w.requireAll(t, "one", made, func(string) []any { return []any{"--one"} })
			})
			step(t, "of an update: the next up goes on in place, and adds nothing a second time", func(t *testing.T) {
				w.declare(t, "two")
				w.killed(t, "up")
				w.up(t)
				w.requireAll(t, "two", uids, func(string) []any { return []any{"--one", "--two"} })
			})
			step(t, "of a destroy: the next up keeps what is left, and makes the rest again", func(t *testing.T) {
				w.killed(t, "destroy")
				left := w.uids(t)
				require.NotEmpty(t, left)
				require.Less(t, len(left), w.objects, "it was in the middle")
				known := w.export(t).resources
				w.up(t)
				uids = w.requireAll(t, "two", left, func(patch string) []any {
					if _, ok := known[patch]; ok {
						return []any{"--one", "--two"}
					}
					return []any{"--one", "--two", "--two"} // the destroy of that patch was done, and this is a new one
				})
			})
			step(t, "of a destroy: the next destroy ends it, and the values of the patches stay", func(t *testing.T) {
				before := w.values(t)
				w.killed(t, "destroy")
				w.destroy(t)
				assert.Equal(t, before, w.values(t))
				assert.Empty(t, w.uids(t))
				assert.Empty(t, w.export(t).resources)
				for i := range w.patches {
					assert.Empty(t, w.kube.ours(t, w.target(i)))
				}
			})
		})
	}
}
