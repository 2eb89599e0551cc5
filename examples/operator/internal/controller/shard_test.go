package controller_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// in is a place with an Environment, in a namespace with this label, and without a controller of its own.
func in(t *testing.T, person client.Client, shard string) *place {
	t.Helper()
	p := &place{T: t, Client: person, namespace: fmt.Sprintf("controller-%d", places.Add(1)), environmentName: "shop"}
	p.found(map[string]string{"shard": shard})
	p.environment()
	return p
}

func TestControllersShareTheNamespaces(t *testing.T) { // [X71]
	t.Parallel()
	round := fmt.Sprintf("-%d", places.Add(1))
	shards := map[string]client.Client{}
	for _, shard := range []string{"a", "b"} {
		selector, err := labels.Parse("shard=" + shard + round)
		require.NoError(t, err)
		shards[shard] = control(t, "", 1, func(with *setup) {
			with.options.Namespaces, with.options.RunnerImage = selector, "runner-of-"+shard
		})
	}
	person := shards["a"]
	runsAt := func(p *place, serial int64) string {
		t.Helper()
		return p.job(serial).Spec.Template.Spec.Containers[0].Image
	}
	first, second, nobodys := in(t, person, "a"+round), in(t, person, "b"+round), in(t, person, "c"+round)
	assert.Equal(t, "runner-of-a", runsAt(first, 1))
	assert.Equal(t, "runner-of-b", runsAt(second, 1), "each has its own slots")

	// The namespace moves while its run goes on.
	first.eventually(func() bool { return first.read().Status.CurrentOperation.JobUID != "" }, "the run goes on")
	patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"labels":{"shard":"b`+round+`"}}}`))
	require.NoError(t, person.Patch(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: first.namespace}}, patch))
	third := in(t, person, "a"+round)
	assert.Equal(t, "runner-of-a", runsAt(third, 1), "the slot of what went away is free")
	first.runs(1)
	first.becomes("Applied")
	second.runs(1)
	second.becomes("Applied")
	program := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: first.namespace, Name: "program"}}
	require.NoError(t, person.Patch(t.Context(), program, client.RawPatch(types.MergePatchType, []byte(`{"data":{"Main.yaml":"changed"}}`))))
	assert.Equal(t, "runner-of-b", runsAt(first, 2))

	assert.Empty(t, nobodys.read().Finalizers)
	assert.Zero(t, nobodys.read().Status.Serial, "no controller looks after it")
}
