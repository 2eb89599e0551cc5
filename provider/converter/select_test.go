package converter

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

func TestWhatIsImported(t *testing.T) {
	t.Parallel()
	const byKubectl = ", managedFields: [{manager: kubectl, operation: Apply, fieldsType: FieldsV1, fieldsV1: {'f:data': {}}}]"
	for _, example := range []struct {
		name, apiVersion, kind, metadata string
		kinds                            []string
		selected                         bool
		says                             string // part of the warning
	}{
		{"what kubectl has applied", "v1", "ConfigMap", "name: a" + byKubectl, nil, true, ""},
		{"a Secret is left out", "v1", "Secret", "name: a" + byKubectl, nil, false, leftSecret},
		{"unless its kind is named", "v1", "Secret", "name: a" + byKubectl, []string{"secrets"}, true, ""},
		{"the token of an account", "v1", "Secret", "name: a, annotations: {kubernetes.io/service-account.name: b}" + byKubectl, []string{"Secret"}, false, ""},
		{"the record of a Helm release", "v1", "Secret", "name: sh.helm.release.v1.a.v1, labels: {owner: helm}" + strings.Replace(byKubectl, "kubectl", "helm", 1), []string{"Secret"}, false, ""},
		{"the certificate of the cluster", "v1", "ConfigMap", "name: kube-root-ca.crt" + byKubectl, nil, false, ""},
		{"the default account", "v1", "ServiceAccount", "name: default" + byKubectl, nil, false, ""},
		{"another account", "v1", "ServiceAccount", "name: web" + byKubectl, nil, true, ""},
		{"the namespace default", "v1", "Namespace", "name: default" + byKubectl, nil, false, ""},
		{"what another object owns", "apps/v1", "ReplicaSet", "name: a, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: a, uid: u}]" + byKubectl, nil, false, ""},
		{"what the control plane has made", "v1", "Endpoints", "name: a" + strings.Replace(byKubectl, "kubectl", "kube-controller-manager", 1), nil, false, ""},
		{"what an operator has made", "v1", "ConfigMap", "name: a" + strings.Replace(byKubectl, "kubectl", "operator", 1), nil, false, "ConfigMap a (operator)"},
		{"what a KubeObject manages", "v1", "ConfigMap", "name: a" + strings.Replace(byKubectl, "kubectl", "k8sconnect-shop.prod.a-00000000", 1), nil, false, leftManaged},
		{"what is being deleted", "v1", "ConfigMap", "name: a, deletionTimestamp: '2026-01-01T00:00:00Z'" + byKubectl, nil, false, leftTerminating},
	} {
		t.Run(example.name+" [M51]", func(t *testing.T) {
			t.Parallel()
			object := &unstructured.Unstructured{}
			require.NoError(t, yaml.Unmarshal([]byte("{apiVersion: "+example.apiVersion+", kind: "+example.kind+", metadata: {"+example.metadata+"}}"), &object.Object))
			sorted := newSorter(arguments{kinds: example.kinds})
			sorted.add(object, "")
			found := sorted.selection(nil)
			assert.Equal(t, example.selected, len(found.objects) == 1)
			if example.says == "" {
				assert.Empty(t, found.warnings)
			} else {
				require.Len(t, found.warnings, 1)
				assert.Contains(t, found.warnings[0], example.says)
			}
		})
	}
}

func TestWhatIsSaidOfObjectsThatSomethingNames(t *testing.T) {
	t.Parallel()
	for _, example := range []struct{ name, object, says string }{
		{"an object of nobody known", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}", ""},
		{"a namespace that begins like those of Kubernetes", "{apiVersion: v1, kind: Namespace, metadata: {name: kube-prometheus}}", ""},
		{"a namespace of Kubernetes", "{apiVersion: v1, kind: Namespace, metadata: {name: kube-system}}", leftOfCluster + ": Namespace kube-system (kubernetes_namespace.a)"},
		{"an object that another owns", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, ownerReferences: [{apiVersion: v1, kind: Pod, name: a, uid: u}]}}", leftOwned + ": ConfigMap a (kubernetes_namespace.a)"},
		{"a Secret", "{apiVersion: v1, kind: Secret, metadata: {name: a}}", leftSecret + ": Secret a (kubernetes_namespace.a)"},
	} {
		t.Run(example.name+" [M58]", func(t *testing.T) {
			t.Parallel()
			object := &unstructured.Unstructured{}
			require.NoError(t, yaml.Unmarshal([]byte(example.object), &object.Object))
			sorted := newSorter(arguments{})
			sorted.named = true
			sorted.add(object, "kubernetes_namespace.a")
			found := sorted.selection(nil)
			if example.says == "" {
				require.Len(t, found.objects, 1)
				assert.Equal(t, "kubernetes_namespace.a", found.addresses[found.objects[0]])
				return
			}
			require.Len(t, found.warnings, 1)
			assert.Contains(t, found.warnings[0], example.says)
		})
	}
}

func TestTheObjectsOfAState(t *testing.T) {
	t.Parallel()
	object := func(uid string) *unstructured.Unstructured {
		o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
		o.SetName("a")
		o.SetUID(types.UID(uid))
		return o
	}
	id := manifest.Identity{APIVersion: "v1", Kind: "ConfigMap", Name: "a"}
	found := sortNamed(arguments{}, []wanted{
		{id, "other.cluster", "u"}, {id, "this.cluster", "v"}, {id, "this.again", ""}, {id, "is.gone", "w"},
	}, []*unstructured.Unstructured{object("v"), object("v"), object("v"), nil}).selection(nil)

	t.Run("are imported once, by the first address [M57]", func(t *testing.T) {
		t.Parallel()
		assert.Equal(t, []manifest.Identity{id}, found.objects)
		assert.Equal(t, map[manifest.Identity]string{id: "this.cluster"}, found.addresses)
	})
	t.Run("are not those of another UID, which another cluster may have [M58]", func(t *testing.T) {
		t.Parallel()
		require.Len(t, found.warnings, 2)
		assert.Contains(t, strings.Join(found.warnings, "\n"), leftOther+": ConfigMap a (other.cluster).")
		assert.Contains(t, strings.Join(found.warnings, "\n"), leftAbsent+": ConfigMap a (is.gone).")
	})
}

func TestTheKindsThatAreListed(t *testing.T) {
	t.Parallel()
	served := func(group, kind, plural string, namespaced bool, short ...string) cluster.ServedKind {
		s := cluster.ServedKind{Names: append([]string{kind, plural}, short...)}
		s.Group, s.Version, s.GroupVersionResource.Resource, s.Kind, s.Namespaced = group, "v1", plural, kind, namespaced
		return s
	}
	all := []cluster.ServedKind{
		served("", "Namespace", "namespaces", false), served("", "Node", "nodes", false), served("", "Event", "events", true),
		served("", "ConfigMap", "configmaps", true, "cm"), served("apps", "Deployment", "deployments", true, "deploy"),
		served("sub.example", "Deployment", "deployments", true), served("own.example", "Event", "events", true),
	}
	for _, example := range []struct {
		named []string
		want  []string
	}{
		{nil, []string{"configmaps", "deployments.apps", "deployments.sub.example", "events.own.example", "namespaces"}},
		{[]string{"cm", "ConfigMap"}, []string{"configmaps"}},
		{[]string{"deployment.apps", "events"}, []string{"deployments.apps", "events", "events.own.example"}},
		{[]string{"Deployment"}, []string{"deployments.apps", "deployments.sub.example"}},
	} {
		t.Run(strings.Join(example.named, ",")+" [M52]", func(t *testing.T) {
			t.Parallel()
			chosen, err := choose(all, example.named)
			require.NoError(t, err)
			var names []string
			for _, kind := range chosen {
				names = append(names, kind.GroupResource().String())
			}
			assert.Equal(t, example.want, names)
		})
	}
	_, err := choose(all, []string{"Deploymnet"})
	require.ErrorContains(t, err, "Did you mean Deployment?")
	_, err = choose(all, []string{"Node"})
	require.ErrorContains(t, err, "the cluster serves no such kind")
}
