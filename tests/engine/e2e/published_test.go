//go:build published

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/charts"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// Charts of others live through what their users do with them: they are installed, drift is repaired, they are upgraded to each later
// version that is there, go back, and are removed; and those that Helm has installed are taken over without a change to a workload or a
// Secret. After each of these, nothing differs. Each has a cluster of its own, since most have definitions, webhooks and cluster roles.
func TestPublishedChartsLive(t *testing.T) {
	for name, versions := range charts.Versions(t) {
		t.Run(name, func(t *testing.T) {
			t.Run("installed", func(t *testing.T) { aloneIn(t).installs(t, versions) })
			t.Run("taken over", func(t *testing.T) { aloneIn(t).takesOver(t, versions) })
		})
	}
}

// aloneIn begins a story in a cluster of its own.
func aloneIn(t *testing.T) chartStory {
	t.Helper()
	c, err := cluster.Start(context.Background(), workloads.Options)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Stop()) })
	return chartStory{newStackIn(t, kubeOf(t, c), c.KubeconfigFile()), kubeOf(t, c), c, c.Namespace(t)}
}

// of writes a program with the chart.
func (s chartStory) of(t *testing.T, folder, inputs string) {
	t.Helper()
	s.program(t, "resources:\n  shop:\n    type: k8sconnect:Chart\n    properties:\n      chart: %q\n      namespace: %s\n      kubeVersion: 1.36.0\n      %s\n",
		folder, s.space, strings.ReplaceAll(inputs, "\n", "\n      "))
}

func (s chartStory) installs(t *testing.T, versions []string) {
	s.of(t, versions[0], "")
	step(t, "install", func(t *testing.T) { s.settles(t) })
	step(t, "drift", func(t *testing.T) { s.drifts(t) })
	if len(versions) == 1 {
		step(t, "edit", func(t *testing.T) {
			s.of(t, versions[0], "edits: {labels: {team: shop}}")
			s.settles(t)
		})
	}
	s.upgrades(t, versions, func(t *testing.T, version string) { s.of(t, version, "") })
	step(t, "remove", func(t *testing.T) { s.removes(t) })
}

func (s chartStory) takesOver(t *testing.T, versions []string) {
	s.of(t, versions[0], "")
	s.helm(t, s.cluster, s.space, "install", "shop", versions[0], "--timeout", "10m")
	before := s.kept(t)
	step(t, "take over", func(t *testing.T) {
		s.of(t, versions[0], "adopt: true\ntakeOverFrom: [helm]")
		s.settles(t)
		s.requireKept(t, before)
	})
	step(t, "no longer", func(t *testing.T) {
		s.of(t, versions[0], "")
		s.settles(t)
		s.requireKept(t, before)
	})
	s.upgrades(t, versions, func(t *testing.T, version string) { s.of(t, version, "") })
	step(t, "remove", func(t *testing.T) { s.removes(t) })
}

// upgrades goes through the later versions, and back to the first, which is what it was then. What others have written stays.
func (s chartStory) upgrades(t *testing.T, versions []string, of func(t *testing.T, version string)) {
	var before map[string]string
	var stays func(t *testing.T)
	step(t, "others write", func(t *testing.T) {
		stays = s.others(t)
		before = s.kept(t)
	})
	for i, version := range versions[1:] {
		step(t, fmt.Sprint("upgrade ", i+1), func(t *testing.T) {
			of(t, version)
			s.settles(t)
			stays(t)
		})
	}
	step(t, "go back", func(t *testing.T) {
		of(t, versions[0])
		s.settles(t)
		s.requireKept(t, before)
	})
}

// settles updates, as its preview says, and wants that nothing differs then.
func (s chartStory) settles(t *testing.T) {
	t.Helper()
	t.Log(s.preview(t))
	s.up(t)
	s.previewEmpty(t)
	s.up(t, "--expect-no-changes")
}

// applied are the objects in the state that are in the cluster, by their IDs: a finished Job may be gone.
func (s chartStory) applied(t *testing.T) map[string]*unstructured.Unstructured {
	t.Helper()
	objects := map[string]*unstructured.Unstructured{}
	for _, r := range s.export(t).all {
		if r.Type == "k8sconnect:index:KubeObject" {
			if object := s.kube.find(t, r.ID); object != nil {
				objects[r.ID] = object
			}
		}
	}
	return objects
}

// drifts changes the labels of each object, and deletes those that can be made again at once: all is as it was then.
func (s chartStory) drifts(t *testing.T) {
	t.Helper()
	deleted := []string{"ConfigMap", "Secret", "Service", "Deployment", "Role"}
	before, data := s.applied(t), s.kept(t)
	for id, object := range before {
		if slices.Contains(deleted, object.GetKind()) && len(object.GetFinalizers()) == 0 {
			s.kube.delete(t, id)
			continue
		}
		drifted := map[string]string{}
		for name := range object.GetLabels() {
			drifted[name] = "drifted"
		}
		if len(drifted) > 0 {
			labels, err := json.Marshal(drifted)
			require.NoError(t, err)
			s.kube.merge(t, id, fmt.Sprintf("metadata: {labels: %s}", labels))
		}
	}
	s.previewOnly(t, "create", "update")
	s.up(t)
	s.previewEmpty(t)
	s.requireKept(t, data)
	for id, object := range s.applied(t) {
		assert.Equal(t, before[id].GetLabels(), object.GetLabels(), id)
		if !slices.Contains(deleted, object.GetKind()) {
			assert.Equal(t, before[id].GetUID(), object.GetUID(), id)
		}
	}
}

// others writes beside what is applied, as Jobs, controllers and people do: a key into each Secret and ConfigMap, and an authority into each
// webhook that has none. That is no drift, and whoever calls what it returns wants all of it to be there still.
func (s chartStory) others(t *testing.T) (stays func(t *testing.T)) {
	t.Helper()
	const authority = "QXV0aG9yaXR5"
	written := map[string][]any{}
	for id, object := range s.applied(t) {
		switch object.GetKind() {
		case "Secret", "ConfigMap":
			s.kube.merge(t, id, `data: {by-others: eA==}`)
			written[id] = []any{"data", "by-others"}
		case "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration":
			if at(object.Object, "webhooks", 0, "clientConfig", "caBundle") == nil {
				s.kube.jsonPatch(t, id, `[{op: add, path: /webhooks/0/clientConfig/caBundle, value: `+authority+`}]`)
				written[id] = []any{"webhooks", 0, "clientConfig", "caBundle"}
			}
		}
	}
	s.previewEmpty(t)
	return func(t *testing.T) {
		t.Helper()
		for id, path := range written {
			if object := s.kube.find(t, id); object != nil { // A version may do without it.
				assert.Contains(t, []any{"eA==", authority}, at(object.Object, path...), "%s has lost what others have written", id)
			}
		}
	}
}

// previewOnly wants a preview with no other operations.
func (s chartStory) previewOnly(t *testing.T, operations ...string) {
	t.Helper()
	out := s.preview(t)
	for _, operation := range []string{"create", "update", "replace", "delete"} {
		if !slices.Contains(operations, operation) {
			assert.NotContains(t, out, " to "+operation)
		}
	}
}

// removes destroys: nothing is in the state then, and of its objects those alone are in the cluster that ask for it.
func (s chartStory) removes(t *testing.T) {
	t.Helper()
	before := s.applied(t)
	s.destroy(t)
	assert.Empty(t, s.export(t).all)
	for id, was := range before {
		client, name, err := s.kube.locate(id)
		if meta.IsNoMatchError(err) {
			continue // Its definition is gone.
		}
		require.NoError(t, err)
		now, err := client.Get(t.Context(), name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) || err == nil && now.GetUID() != was.GetUID() {
			continue
		}
		require.NoError(t, err)
		stays := was.GetAnnotations()["helm.sh/resource-policy"] == "keep" || was.GetAnnotations()["helm.sh/hook"] != ""
		assert.True(t, stays, "%s is still in the cluster", id)
	}
}

// requireKept wants what a change must not touch to be as it was.
func (s chartStory) requireKept(t *testing.T, before map[string]string) {
	t.Helper()
	now := s.kept(t)
	for id, was := range before {
		assert.Equal(t, was, now[id], id)
	}
}

// kept is what a takeover must not change: the pods of workloads, and the data of Secrets.
func (s chartStory) kept(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, of := range []schema.GroupVersionResource{
		{Group: "apps", Version: "v1", Resource: "deployments"}, {Group: "apps", Version: "v1", Resource: "statefulsets"},
		{Group: "apps", Version: "v1", Resource: "daemonsets"}, {Version: "v1", Resource: "secrets"},
	} {
		list, err := s.kube.client.Resource(of).List(t.Context(), metav1.ListOptions{LabelSelector: "owner!=helm"})
		require.NoError(t, err)
		for _, one := range list.Items {
			content, _, _ := unstructured.NestedFieldNoCopy(one.Object, "spec", "template")
			annotations, _, _ := unstructured.NestedMap(one.Object, "spec", "template", "metadata", "annotations")
			for name := range annotations {
				if strings.HasPrefix(name, "checksum/") { // Helm computes it from another rendering, with other draws, than it applies.
					unstructured.RemoveNestedField(one.Object, "spec", "template", "metadata", "annotations", name)
				}
			}
			if of.Resource == "secrets" {
				content = one.Object["data"]
			}
			text, err := json.Marshal(content)
			require.NoError(t, err)
			all[one.GetKind()+" "+one.GetNamespace()+"/"+one.GetName()] = string(text)
		}
	}
	return all
}
