package converter

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// record is the data of a release's record, as Helm writes it.
func record(t testing.TB, manifest string, hooks int) string {
	t.Helper()
	content, err := json.Marshal(map[string]any{"manifest": manifest, "hooks": make([]struct{}, hooks)})
	require.NoError(t, err)
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, err = w.Write(content)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString(zipped.Bytes())))
}

func TestTheRecordOfARelease(t *testing.T) {
	t.Parallel()
	named, hooks, err := objectsOf(record(t, "---\n# Source: a\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: b, namespace: c}\n", 2))
	require.NoError(t, err)
	assert.Equal(t, []manifest.Identity{{APIVersion: "v1", Kind: "ConfigMap", Name: "a"}, {APIVersion: "apps/v1", Kind: "Deployment", Namespace: "c", Name: "b"}}, named, "[M54]")
	assert.Equal(t, 2, hooks)
	for _, wrong := range []string{"", "*", base64.StdEncoding.EncodeToString([]byte("*")), record(t, "a: [", 0)} {
		_, _, err := objectsOf(wrong)
		require.Error(t, err, wrong)
	}
	revision := func(number string) unstructured.Unstructured {
		r := unstructured.Unstructured{Object: map[string]any{}}
		r.SetLabels(map[string]string{"version": number})
		return r
	}
	assert.Equal(t, "10", newest([]unstructured.Unstructured{revision("9"), revision("10"), revision("2")}).GetLabels()["version"])
	assert.Nil(t, newest(nil))
}

func FuzzObjectsOf(f *testing.F) {
	f.Add(record(f, "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}", 0))
	f.Add("")
	f.Fuzz(func(_ *testing.T, data string) { _, _, _ = objectsOf(data) })
}

func TestTheStateOfAStack(t *testing.T) {
	t.Parallel()
	const secret = `{"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "ciphertext": "v1:a:b"}`
	const state = `{"version": 3, "deployment": {"resources": [
		{"urn": "urn:stack", "type": "pulumi:pulumi:Stack"},
		{"urn": "urn:provider", "custom": true, "type": "pulumi:providers:kubernetes", "outputs": {}},
		{"urn": "urn:component", "type": "kubernetes:yaml/v2:ConfigGroup"},
		{"urn": "urn:web", "custom": true, "type": "kubernetes:apps/v1:Deployment", "id": "shop/web",
		 "outputs": {"__initialApiVersion": "apps/v1", "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "shop", "uid": "u"}}},
		{"urn": "urn:web2", "custom": true, "type": "kubernetes:apps/v1:Deployment", "id": "shop/old", "delete": true,
		 "outputs": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "old", "namespace": "shop"}}},
		{"urn": "urn:read", "custom": true, "external": true, "type": "kubernetes:core/v1:ConfigMap", "id": "shop/read",
		 "outputs": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "read", "namespace": "shop"}}},
		{"urn": "urn:name", "custom": true, "type": "kubernetes:core/v1:ConfigMap", "id": "shop/named",
		 "outputs": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": ` + secret + `, "namespace": "shop"}}},
		{"urn": "urn:namespace", "custom": true, "type": "kubernetes:core/v1:ConfigMap", "id": "shop/placed",
		 "outputs": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "placed", "namespace": ` + secret + `}}},
		{"urn": "urn:metadata", "custom": true, "type": "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole", "id": "shop:sealed",
		 "outputs": {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": ` + secret + `}},
		{"urn": "urn:nothing", "custom": true, "type": "kubernetes:core/v1:ConfigMap", "id": "shop/nothing", "outputs": {}},
		{"urn": "urn:patch", "custom": true, "type": "kubernetes:core/v1:ConfigMapPatch", "id": "shop/patched",
		 "outputs": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "patched", "namespace": "shop"}}},
		{"urn": "urn:release", "custom": true, "type": "kubernetes:helm.sh/v3:Release", "id": "shop/a", "outputs": {"name": "a", "namespace": "shop"}},
		{"urn": "urn:ours", "custom": true, "type": "k8sconnect:index:KubeObject", "outputs": {}}]}}`
	found, err := objectsInStack([]byte(state))
	require.NoError(t, err)
	assert.Equal(t, []wanted{
		{Identity: manifest.Identity{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "shop", Name: "web"}, uid: "u"},
		{Identity: manifest.Identity{APIVersion: "v1", Kind: "ConfigMap", Namespace: "shop", Name: "named"}},
		{Identity: manifest.Identity{APIVersion: "v1", Kind: "ConfigMap", Namespace: "shop", Name: "placed"}},
		{Identity: manifest.Identity{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "ClusterRole", Name: "shop:sealed"}},
	}, found.objects, "[M55]")
	assert.Equal(t, []string{
		"urn:release is a Helm release, not an object. Write a Chart, or import the objects of the release: pulumi import --from k8sconnect -- release a -n shop",
		"Left out, because they are not single objects: urn:nothing, urn:patch.",
	}, found.notes(), "[M55]")
	for _, wrong := range []string{"", "[]", "{}"} {
		_, err := objectsInStack([]byte(wrong))
		require.Error(t, err, wrong)
	}
}

func FuzzObjectsInStack(f *testing.F) {
	f.Add([]byte(`{"deployment": {"resources": [{"custom": true, "type": "kubernetes:core/v1:ConfigMap", "outputs": {"apiVersion": "v1"}}]}}`))
	f.Fuzz(func(_ *testing.T, content []byte) { _, _ = objectsInStack(content) })
}
