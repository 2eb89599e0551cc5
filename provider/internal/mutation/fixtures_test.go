package mutation

import (
	"sort"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kubejson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// deployment is a live object with every kind of list: keyed, keyed with a default, a set, and atomic ones.
const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: prod
  uid: 6c7a
  resourceVersion: "41"
  labels: {app: web}
  annotations: {example.com/a~b: x}
  finalizers: [example.com/a, example.com/b]
  managedFields:
  - manager: kubectl
    operation: Apply
    fieldsV1:
      f:metadata: {f:labels: {f:app: {}}, f:annotations: {"f:example.com/a~b": {}}, f:finalizers: {'v:"example.com/a"': {}, 'v:"example.com/b"': {}}}
      f:spec:
        f:replicas: {}
        f:template: {f:spec: {f:tolerations: {}, f:containers: {
          'k:{"name":"web"}': {.: {}, f:name: {}, f:image: {}, f:args: {},
            f:env: {'k:{"name":"A"}': {.: {}, f:name: {}, f:value: {}}},
            f:ports: {'k:{"containerPort":53,"protocol":"TCP"}': {.: {}, f:containerPort: {}}, 'k:{"containerPort":53,"protocol":"UDP"}': {.: {}, f:containerPort: {}, f:protocol: {}}}},
          'k:{"name":"log"}': {.: {}, f:name: {}, f:image: {}}}}}
spec:
  replicas: 3
  paused: false
  template:
    spec:
      tolerations: [{key: a, operator: Exists}, {key: b, operator: Exists}]
      containers:
      - name: web
        image: "web:1"
        args: [serve, -v, --all]
        env: [{name: A, value: "1"}]
        ports: [{containerPort: 53, protocol: TCP}, {containerPort: 53, protocol: UDP}]
      - name: log
        image: "log:1"
        env: [{name: B, value: "2"}]
`

func object(t testing.TB, text string) *unstructured.Unstructured {
	t.Helper()
	document, err := manifest.ParseDocument(text)
	require.NoError(t, err)
	return &unstructured.Unstructured{Object: document.(map[string]any)}
}

func decode(t testing.TB, text string) any {
	t.Helper()
	var value any
	require.NoError(t, kubejson.Unmarshal([]byte(text), &value))
	return value
}

func jsonPatch(t testing.TB, text string) JSONPatch {
	t.Helper()
	operations, err := manifest.ParseDocument(text)
	require.NoError(t, err)
	patch, problems := ParseJSONPatch(operations)
	require.Empty(t, problems)
	return patch
}

func mergePatch(t testing.TB, text string) MergePatch {
	t.Helper()
	document, err := manifest.ParseDocument(text)
	require.NoError(t, err)
	patch, problems := ParseMergePatch(document)
	require.Empty(t, problems)
	return patch
}

// paths lists the leaves of a set as a user reads them.
func paths(set *fieldpath.Set) []string {
	var names []string
	set.Leaves().Iterate(func(path fieldpath.Path) { names = append(names, ownership.Format(path)) })
	sort.Strings(names)
	return names
}
