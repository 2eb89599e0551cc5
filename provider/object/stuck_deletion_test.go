package object

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func parsed(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	object := &unstructured.Unstructured{}
	require.NoError(t, yaml.Unmarshal([]byte(text), &object.Object))
	return object
}

func TestWhatHoldsATerminatingObjectIsNamed(t *testing.T) {
	for _, c := range []struct{ sentence, text, holding, diagnosis, lastResort string }{{
		"a volume by its claim, with the command and without advice that would harm [D36] [N10]",
		`{apiVersion: v1, kind: PersistentVolume, metadata: {name: disk, finalizers: [kubernetes.io/pv-protection]},
			spec: {claimRef: {namespace: shop, name: data-db-0}}}`,
		"held by the PersistentVolumeClaim shop/data-db-0",
		"  kubernetes.io/pv-protection: the volume is bound to this claim, and goes after it. If the data may be deleted, run: " +
			"kubectl delete pvc --namespace shop data-db-0\n",
		"forceDestroy would remove the volume under a claim that still uses it",
	}, {
		"a volume that no claim has by its finalizer [D36]",
		`{apiVersion: v1, kind: PersistentVolume, metadata: {name: disk, finalizers: [kubernetes.io/pv-protection]}}`,
		"held by the finalizer kubernetes.io/pv-protection", "  kubernetes.io/pv-protection: the volume is still bound to a claim.\n",
		"As a last resort, set forceDestroy to true",
	}, {
		"a namespace by the API group that does not answer, first [D40]",
		`{apiVersion: v1, kind: Namespace, metadata: {name: shop}, spec: {finalizers: [kubernetes]}, status: {conditions: [
			{type: NamespaceDeletionDiscoveryFailure, status: "True", message: "Discovery failed for some groups, 1 failing: metrics.k8s.io/v1beta1"},
			{type: NamespaceContentRemaining, status: "False", message: "All content successfully removed"}]}}`,
		"the namespace cannot be emptied while an API group does not answer (see `kubectl get apiservice`): " +
			"Discovery failed for some groups, 1 failing: metrics.k8s.io/v1beta1",
		"  kubernetes: the namespace is being emptied.\n",
		"forceDestroy cannot help: repair the API group",
	}, {
		"a namespace by what is left in it [D40]",
		`{apiVersion: v1, kind: Namespace, metadata: {name: shop}, spec: {finalizers: [kubernetes]}, status: {conditions: [
			{type: NamespaceContentRemaining, status: "True", message: "Some resources are remaining: pods. has 1 resource instances"}]}}`,
		"what is in it is being deleted",
		"  kubernetes: the namespace is being emptied.\n  Some resources are remaining: pods. has 1 resource instances\n",
		"It has no finalizers of its own that forceDestroy could remove",
	}, {
		"a custom object of the same kind name by its finalizer, as any other [D40]",
		`{apiVersion: acme.io/v1, kind: Namespace, metadata: {name: shop, finalizers: [acme.io/clean]}, spec: {finalizers: [kubernetes]}, status: {conditions: [
			{type: NamespaceContentRemaining, status: "True", message: "not of a namespace"}]}}`,
		"held by the finalizer acme.io/clean",
		"  acme.io/clean: its controller has not removed it; check whether the controller still runs.\n",
		"As a last resort, set forceDestroy to true",
	}} {
		t.Run(c.sentence, func(t *testing.T) {
			live := parsed(t, c.text)
			assert.Equal(t, c.holding, holding(live))
			assert.Equal(t, c.diagnosis, blockersOf(live))
			assert.Contains(t, lastResort(live), c.lastResort)
		})
	}
}
