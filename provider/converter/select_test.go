package converter

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
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
			sorted.add(object)
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
