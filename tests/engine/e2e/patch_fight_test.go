package e2e

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// fightBack is a controller that wants data.mode of a ConfigMap to be "theirs". Once a second it
// looks, and sets it again if someone has changed it. It says how often it has. It works until
// the test is over.
func (k *kube) fightBack(t *testing.T, id string) *atomic.Int32 {
	t.Helper()
	client, name := k.must(t, id)
	var fights atomic.Int32
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			live, err := client.Get(ctx, name, metav1.GetOptions{})
			if err != nil || at(live.Object, "data", "mode") == "theirs" {
				continue
			}
			if err := unstructured.SetNestedField(live.Object, "theirs", "data", "mode"); err != nil {
				t.Error(err)
				return
			}
			switch _, err := client.Update(ctx, live, metav1.UpdateOptions{FieldManager: "fighter"}); {
			case err == nil:
				fights.Add(1)
			case !apierrors.IsConflict(err) && ctx.Err() == nil:
				t.Error(err)
			}
		}
	})
	t.Cleanup(func() { stop(); running.Wait() })
	return &fights
}

func TestPatchAgainstAController(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
	user, err := c.AddUser("patch-against-controller", "system:masters")
	require.NoError(t, err)
	s.connectAs(t, user)
	id := "v1/ConfigMap/" + space + "/disputed"
	k.create(t, id, fmt.Sprintf(`{apiVersion: v1, kind: ConfigMap, metadata: {name: disputed, namespace: %s}, data: {mode: none, other: "0"}}`, space))
	fights := k.fightBack(t, id)
	s.program(t, "%s", "resources:"+patchOf("ours", targetConfigMap(space, "disputed"), `patch: {data: {mode: ours, other: "1"}}`))

	for round := range int32(3) {
		step(t, fmt.Sprintf("up %d puts it right once, and says whom it takes the field from [P28]", round+1), func(t *testing.T) {
			eventually(t, "the controller has put its own value", func() bool {
				return fights.Load() == round+1 && k.value(t, id, "data", "mode") == "theirs"
			})
			mark, err := c.AuditMark()
			require.NoError(t, err)
			r := s.succeed(t, "up", "--yes", "--diff")
			assert.Contains(t, r.out, `will take from fighter: data.mode: "theirs" -> "ours"`)
			if round > 0 {
				assert.Contains(t, changedLines(r.out), `~ mode: "theirs" => "ours"`, r.out)
				assert.Contains(t, r.out, "~ 1 updated")
			}
			assert.Len(t, writesOf(t, c, mark, "disputed").Where(by(user)), 1)
			assert.Less(t, r.took, time.Minute)
			assert.Equal(t, "1", k.value(t, id, "data", "other"))
			assert.Equal(t, map[string]any{"mode": "ours", "other": "1"}, at(s.export(t).get(t, "ours").Outputs, "managedFields", "data"))
		})
	}
	step(t, "destroy works while the controller does [P25, P28]", func(t *testing.T) {
		eventually(t, "the controller has put its own value", func() bool { return fights.Load() == 4 })
		s.handBack(t, k, id)
		assert.Equal(t, map[string]any{"mode": "theirs", "other": "1"}, k.value(t, id, "data"))
		assert.Equal(t, int32(4), fights.Load(), "nothing was left to fight about")
	})
}
