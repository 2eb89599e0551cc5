package controller_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// watching looks for drift once a day, and when a watched object changes.
func watching(spec *v1alpha1.EnvironmentSpec) {
	spec.DriftDetection = &v1alpha1.DriftDetection{Interval: &metav1.Duration{Duration: 24 * time.Hour}, Watch: true}
}

// apply sets data of an object as the provider does.
func (p *place) apply(kind, name, data string) v1alpha1.ResourceStatus {
	p.Helper()
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": kind, "metadata": map[string]any{"name": name, "namespace": p.namespace},
	}}
	if data != "" {
		object.Object["data"] = map[string]any{"text": data}
	}
	applied := client.ApplyConfigurationFromUnstructured(object)
	require.NoError(p, p.Apply(p.Context(), applied, client.FieldOwner("k8sconnect-shop.dev."+name+"-01234567"), client.ForceOwnership))
	require.NoError(p, p.Get(p.Context(), client.ObjectKeyFromObject(object), object))
	return v1alpha1.ResourceStatus{
		Name: name, APIVersion: "v1", Kind: kind, Namespace: p.namespace, ObjectName: name, UID: object.GetUID(), State: v1alpha1.ResourceApplied,
	}
}

// isWatched waits until the status says how many objects are.
func (p *place) isWatched(objects int32) *v1alpha1.Watched {
	p.Helper()
	p.eventually(func() bool {
		watched := p.read().Status.Watched
		return watched != nil && watched.Objects == objects && watched.Digest != ""
	}, "the objects are watched")
	return p.read().Status.Watched
}

// edit changes a ConfigMap as a person does.
func (p *place) edit(name string, change func(*corev1.ConfigMap)) {
	p.Helper()
	made := &corev1.ConfigMap{}
	require.NoError(p, p.Get(p.Context(), client.ObjectKey{Namespace: p.namespace, Name: name}, made))
	change(made)
	require.NoError(p, p.Update(p.Context(), made, client.FieldOwner("kubectl-edit")))
}

// isLookedAt waits for the look for drift that is the run of a number, and says how long that took.
func (p *place) isLookedAt(serial int64) time.Duration {
	p.Helper()
	began := time.Now()
	p.job(serial)
	require.Equal(p, v1alpha1.OperationDriftCheck, p.read().Status.CurrentOperation.Kind)
	return time.Since(began)
}

// sawNothing ends the look: there is no drift.
func (p *place) sawNothing(serial int64) {
	p.Helper()
	p.runs(serial, func(head *state.Head) { head.Record.Applied = false })
	p.eventually(func() bool { return p.read().Status.CurrentOperation == nil }, "the look has ended")
}

func TestWhatProgramsSetIsWatched(t *testing.T) { // [X65]
	p := newPlace(t)
	p.environment(watching)
	resources := []v1alpha1.ResourceStatus{
		p.apply("ConfigMap", "a", "hello"), p.apply("ConfigMap", "b", "hello"), p.apply("ServiceAccount", "c", ""), p.apply("Secret", "d", "aGk="),
	}
	nowhere := resources[0]
	nowhere.APIVersion, nowhere.Kind = "example.com/v1", "Nowhere"
	p.runs(1, func(head *state.Head) { head.Record.Resources = append(resources, nowhere) })
	watched := p.isWatched(3)
	require.Equal(t, []string{
		"example.com/v1 Nowhere: the API server does not have the kind", "v1 Secret: who may watch it may read its values",
	}, watched.NotWatched)

	neighbour := p.and("neighbour")
	neighbour.environment(watching)
	neighbour.runs(1, func(head *state.Head) {
		head.Record.Resources = []v1alpha1.ResourceStatus{p.apply("ConfigMap", "z", "hello")}
	})
	neighbour.isWatched(1)

	// Others set what the program does not, and what it set already. None of that is drift.
	p.edit("a", func(made *corev1.ConfigMap) { made.Labels = map[string]string{"of": "others"} })
	p.edit("b", func(made *corev1.ConfigMap) { made.Data["more"] = "of others" })
	p.make(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "another"}})
	require.NoError(t, p.Patch(p.Context(), p.secret("d"), client.RawPatch("application/merge-patch+json", []byte(`{"stringData":{"text":"bye"}}`))))
	// The watch tells of changes in their order, so when it has told of this one, it has told of those before.
	p.edit("z", func(made *corev1.ConfigMap) { made.Data["text"] = "bye" })
	neighbour.isLookedAt(2)
	require.EqualValues(t, 1, p.read().Status.Serial, "a look that nothing asks for")
	require.Equal(t, watched.Digest, p.read().Status.Watched.Digest)

	p.edit("a", func(made *corev1.ConfigMap) { made.Data["text"] = "bye" })
	require.Less(t, p.isLookedAt(2), 5*time.Second)
	p.apply("ConfigMap", "a", "hello")
	p.runs(2, func(head *state.Head) { head.Record.Drifted, head.Record.Resources = true, resources })
	p.eventually(func() bool { return p.read().Status.Serial == 2 && p.read().Status.CurrentOperation == nil }, "it is put right")
	require.NotContains(t, p.isWatched(3).NotWatched, "example.com/v1 Nowhere: the API server does not have the kind")

	require.NoError(t, p.Delete(p.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "c", Namespace: p.namespace}}))
	require.Less(t, p.isLookedAt(3), 5*time.Second)
	p.sawNothing(3)
	p.apply("ServiceAccount", "c", "") // another object of the name
	require.Less(t, p.isLookedAt(4), 5*time.Second)
	p.sawNothing(4)
	p.edit("b", func(made *corev1.ConfigMap) { delete(made.Data, "text") })
	require.Less(t, p.isLookedAt(5), 5*time.Second)
}

func TestWhatChangesWhileNobodyWatchesIsSeenLater(t *testing.T) { // [X65]
	t.Parallel()
	p := &place{namespace: fmt.Sprintf("controller-%d", places.Add(1)), environmentName: "shop"}
	t.Run("by a controller that is stopped", func(t *testing.T) {
		p.T, p.Client = t, control(t, p.namespace, 8)
		p.found(nil)
		p.environment(watching)
		resources := []v1alpha1.ResourceStatus{p.apply("ConfigMap", "a", "hello")}
		p.runs(1, func(head *state.Head) { head.Record.Resources = resources })
		p.isWatched(1)
	})
	p.T = t
	p.edit("a", func(made *corev1.ConfigMap) { made.Data["text"] = "bye" })
	t.Run("and the next one", func(t *testing.T) {
		p.T, p.Client = t, control(t, p.namespace, 8)
		p.isLookedAt(2)
	})
}
