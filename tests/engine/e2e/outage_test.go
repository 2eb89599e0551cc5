package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// fleet is how many objects are applied while the API server dies.
const fleet = 50

// outage is a stack of many objects in a cluster that can be killed.
type outage struct {
	*stack
	cluster *cluster.Cluster
	space   string
}

// declare declares all objects. The last depends on all others.
func (o outage) declare(t *testing.T, data string) {
	t.Helper()
	text, others := "resources:", []string(nil)
	for i := range fleet {
		name := fmt.Sprintf("c%02d", i)
		text += configMapResource(name, name, o.space, fmt.Sprintf("{a: %q}", data))
		others = append(others, `"${`+name+`}"`)
	}
	o.program(t, text+"    options: {dependsOn: ["+strings.Join(others[:fleet-1], ", ")+"]}\n")
}

// upKilled runs an up and kills the API server when half of the objects were written, which is seen as
// so many events of this type. When the up has failed, the API server is started again.
func (o outage) upKilled(t *testing.T, event watch.EventType) {
	t.Helper()
	client := o.cluster.Client().CoreV1().ConfigMaps(o.space)
	listed, err := client.List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	events, err := client.Watch(t.Context(), metav1.ListOptions{ResourceVersion: listed.ResourceVersion})
	require.NoError(t, err)
	defer events.Stop()

	up := o.startUp(t)
	late := time.After(patience)
	for written := 0; written < fleet/2; {
		select {
		case e, open := <-events.ResultChan():
			require.True(t, open, "the watch ended")
			if e.Type == event {
				written++
			}
		case <-late:
			t.Fatalf("only %d objects were written: %v", written, up.wait(t))
		}
	}
	require.NoError(t, o.cluster.APIServer.Kill())
	require.Equal(t, 1, failed(t, up.wait(t)).code)
	require.NoError(t, o.cluster.APIServer.Restart(t.Context()))
}

// objects are the uids of the objects that are there, and how many of them have this data.
func (o outage) objects(t *testing.T, data string) (uids map[string]types.UID, current int) {
	t.Helper()
	listed, err := o.cluster.Client().CoreV1().ConfigMaps(o.space).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	uids = map[string]types.UID{}
	for _, object := range listed.Items {
		uids[object.Name] = object.UID
		if object.Data["a"] == data {
			current++
		}
	}
	return uids, current
}

// requireAll wants all objects with this data, those of before still the same, and a state that agrees.
func (o outage) requireAll(t *testing.T, data string, before map[string]types.UID) map[string]types.UID {
	t.Helper()
	uids, current := o.objects(t, data)
	require.Len(t, uids, fleet)
	require.Equal(t, fleet, current)
	for name, uid := range before {
		assert.Equal(t, uid, uids[name], name)
	}
	saved := o.export(t)
	assert.Len(t, saved.resources, fleet)
	assert.Empty(t, saved.operations)
	for name, r := range saved.resources {
		assert.Equal(t, "v1/ConfigMap/"+o.space+"/"+name, r.ID)
		assert.Equal(t, string(uids[name]), r.uid())
		assert.False(t, r.pending())
		assert.Empty(t, r.InitErrors)
	}
	o.previewEmpty(t)
	return uids
}

func TestAPIServerKilledInAnUp(t *testing.T) {
	t.Parallel()
	c := cluster.ForTest(t, cluster.Options{Audit: true})
	for _, refresh := range []bool{false, true} {
		o := outage{newStackIn(t, kubeOf(t, c), c.KubeconfigFile()), c, c.Namespace(t)}
		between := func(t *testing.T) {
			t.Helper()
			if refresh {
				o.refresh(t)
			}
		}
		var uids map[string]types.UID
		step(t, fmt.Sprintf("of 50 new objects: the next up ends clean, refresh before it: %t [O75]", refresh), func(t *testing.T) {
			o.declare(t, "1")
			o.upKilled(t, watch.Added)
			made, _ := o.objects(t, "1")
			require.GreaterOrEqual(t, len(made), fleet/2)
			require.Less(t, len(made), fleet, "it was in the middle")
			assert.NotContains(t, made, "c49", "it depends on all others")
			saved := o.export(t)
			for name := range made {
				assert.Contains(t, saved.resources, name, "what is there is known")
			}
			between(t)
			o.up(t)
			uids = o.requireAll(t, "1", made)
		})
		step(t, fmt.Sprintf("of 50 changed objects: the next up ends clean, refresh before it: %t [O75]", refresh), func(t *testing.T) {
			o.declare(t, "2")
			o.upKilled(t, watch.Modified)
			_, changed := o.objects(t, "2")
			require.GreaterOrEqual(t, changed, fleet/2)
			require.Less(t, changed, fleet, "it was in the middle")
			between(t)
			o.up(t)
			o.requireAll(t, "2", uids)
		})
	}
	requests, err := c.Requests()
	require.NoError(t, err)
	assert.False(t, slices.ContainsFunc(requests, func(r cluster.Request) bool {
		return strings.HasPrefix(r.Verb, "delete") && strings.Contains(r.Path(), "/configmaps")
	}), "nothing was deleted")
}
