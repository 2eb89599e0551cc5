package sets

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/order"
)

// engineOf remembers the order in which children are registered. Some of them take long.
type engineOf struct {
	sync.Mutex
	began, done []string
	takes       map[string]time.Duration
}

func (e *engineOf) Call(pulumi.MockCallArgs) (resource.PropertyMap, error) { return nil, nil }

func (e *engineOf) NewResource(args pulumi.MockResourceArgs) (string, resource.PropertyMap, error) {
	name := strings.TrimPrefix(args.Name, "shop:")
	e.note(&e.began, name)
	time.Sleep(e.takes[name])
	e.note(&e.done, name)
	return args.Name, args.Inputs, nil
}

func (e *engineOf) note(names *[]string, name string) {
	e.Lock()
	defer e.Unlock()
	*names = append(*names, name)
}

func TestTheLightestObjectsAreAppliedFirst(t *testing.T) { // [M25]
	of := func(key string, bytes int) Object {
		return Object{Key: key, Manifest: map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": key}, "data": map[string]any{"file": strings.Repeat("x", bytes)},
		}}
	}
	small := func(key string) Object { return of(key, 1) }
	big := func(key string) Object { return of(key, manifest.MaxWeight) }
	set := func() Set {
		return Set{Wait: WaitNone, Objects: []Object{big("a-big"), small("b-uses-big"), small("c-small"), small("d-uses-small")}, Graph: order.Graph{
			Sorted: []string{"a-big", "b-uses-big", "c-small", "d-uses-small"},
			Edges:  []order.Edge{{Object: "b-uses-big", After: "a-big"}, {Object: "d-uses-small", After: "c-small"}},
		}}
	}
	register := func(t *testing.T, e *engineOf, dryRun bool) (took time.Duration) {
		began := time.Now()
		require.NoError(t, pulumi.RunErr(func(ctx *pulumi.Context) error {
			err := NewRegistration(ctx, Children{Object: "k8sconnect:index:KubeObject"}, nil, set(), Parent{URN: "urn:pulumi:stack::project::k8sconnect:index:Manifests::shop", records: &Records{}}).
				RegisterFirst(func(string) bool { return true })
			took = time.Since(began)
			return err
		}, pulumi.WithMocks("project", "stack", e), func(info *pulumi.RunInfo) { info.DryRun = dryRun }))
		return took
	}
	before := func(names []string, first, second string) bool {
		return slices.Index(names, first) < slices.Index(names, second)
	}

	t.Run("as far as the order allows it", func(t *testing.T) {
		r := &Registration{byKey: map[string]Object{}, waitedFor: map[string][]order.Edge{"f-light": nil}}
		for _, o := range []Object{big("a-big"), small("b-uses-big"), of("c-medium", 10_000), of("d-uses-medium", 1), of("e-heavy", 90_000), small("f-light"), small("g-waits")} {
			r.byKey[o.Key] = o
			r.Graph.Sorted = append(r.Graph.Sorted, o.Key)
		}
		r.Graph.Edges = []order.Edge{
			{Object: "b-uses-big", After: "a-big"}, {Object: "d-uses-medium", After: "c-medium"}, {Object: "g-waits", After: "f-light", Ready: true},
		}
		first, last := r.lightFirst(r.Graph.Sorted)
		assert.Equal(t, []string{"f-light", "c-medium", "d-uses-medium", "e-heavy"}, first)
		assert.Equal(t, []string{"g-waits", "a-big", "b-uses-big"}, last)
	})
	t.Run("big ones when the others are done, and what comes after them too", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			e := &engineOf{takes: map[string]time.Duration{"c-small": time.Second, "d-uses-small": time.Second}}
			register(t, e, false)
			for _, late := range []string{"a-big", "b-uses-big"} {
				for _, early := range []string{"c-small", "d-uses-small"} {
					assert.True(t, before(e.done, early, late), "%s before %s: %v", early, late, e.done)
				}
			}
		})
	})
	t.Run("but what takes long does not hold them up for long", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			e := &engineOf{takes: map[string]time.Duration{"c-small": time.Hour}}
			assert.Equal(t, patience, register(t, e, false))
			assert.True(t, before(e.done, "b-uses-big", "c-small"), e.done)
		})
	})
	t.Run("a preview, which writes no state, does not wait", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			assert.Zero(t, register(t, &engineOf{takes: map[string]time.Duration{"c-small": time.Second}}, true))
		})
	})
}
