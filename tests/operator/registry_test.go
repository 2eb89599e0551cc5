package operator

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"encoding/json"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/util/cert"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/chartserver"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster/namespaces"
)

const (
	// shelves is a class whose program is in a registry, and says what tenants may set.
	shelves = `{
		"apiVersion": "platform.example.com/v1alpha1", "kind": "EnvironmentClass", "metadata": {"name": "shelf"},
		"spec": {
			"kind": {"kind": "Shelf", "plural": "shelves"},
			"namespace": "SPACE", "namespaces": {"matchLabels": {"kubernetes.io/metadata.name": "SPACE"}},
			"program": {"oci": {"ref": "REGISTRY/programs/shelf:1", "pullSecretRef": {"name": "registry"}, "interval": "10s"}},
			"template": {"serviceAccountName": "environment-runner", "config": {"name": "{{ name }}", "k8sconnect:namespace": "{{ namespace }}"}}
		}
	}`
	shelf = `{"apiVersion": "apps.platform.example.com/v1alpha1", "kind": "Shelf", "metadata": {"name": "NAME"}, "spec": {"label": "books"}}`
	// shelfProgram says of which edition it is.
	shelfProgram = `
name: shelf
runtime: yaml
config: {name: {type: string}, label: {type: string}, boards: {type: integer, default: 3}MORE}
resources:
  shelf:
    type: k8sconnect:KubeObject
    properties: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: "${name}"}, data: {label: "${label}", boards: "${boards} boards", edition: EDITION}}}
outputs: {edition: EDITION}
`
)

// programArchive is a folder with a program, as "flux push artifact" packs it.
func programArchive(t *testing.T, program string) chartserver.Blob {
	t.Helper()
	packed := &bytes.Buffer{}
	compressed := gzip.NewWriter(packed)
	archive := tar.NewWriter(compressed)
	require.NoError(t, archive.WriteHeader(&tar.Header{Name: "Pulumi.yaml", Mode: 0o644, Size: int64(len(program))}))
	_, err := archive.Write([]byte(program))
	require.NoError(t, err)
	require.NoError(t, archive.Close())
	require.NoError(t, compressed.Close())
	return chartserver.Blob{MediaType: "application/vnd.cncf.flux.content.v1.tar+gzip", Data: packed.Bytes()}
}

// applyText applies a manifest to the namespace.
func (s *surroundings) applyText(manifest string) {
	s.Helper()
	file := filepath.Join(s.TempDir(), "manifest.yaml")
	require.NoError(s, os.WriteFile(file, []byte(manifest), 0o600))
	s.apply(file)
}

// reachable serves a registry by HTTPS where the pods of the cluster reach it. It returns the address, and the certificate that the
// registry has.
func reachable(t *testing.T, registry *chartserver.Registry) (address string, authority []byte) {
	t.Helper()
	host := "127.0.0.1"
	if onRealNode() {
		host = namespaces.NodeAddress
	}
	certificate, key, err := cert.GenerateSelfSignedCertKey(host, []net.IP{net.ParseIP(host)}, nil)
	require.NoError(t, err)
	pair, err := tls.X509KeyPair(certificate, key)
	require.NoError(t, err)
	listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	require.NoError(t, err)
	server := httptest.NewUnstartedServer(registry)
	require.NoError(t, server.Listener.Close())
	server.Listener, server.TLS = listener, &tls.Config{Certificates: []tls.Certificate{pair}}
	server.StartTLS()
	t.Cleanup(server.Close)
	return listener.Addr().String(), certificate
}

func TestTheProgramOfAClassIsInARegistry(t *testing.T) { // [X63]
	t.Parallel()
	s := with(t)
	registry := chartserver.NewRegistry(t)
	push := func(edition, more string) string {
		config := chartserver.Blob{MediaType: "application/vnd.cncf.flux.config.v1+json", Data: []byte("{}")}
		return registry.PushManifest(t, "programs/shelf", "1", config, programArchive(t, strings.NewReplacer("EDITION", edition, "MORE", more).Replace(shelfProgram)))
	}
	first := push("first", "")
	address, authority := reachable(t, registry)

	s.run("create", "role", "run-as", "-n", s.namespace, "--verb=impersonate", "--resource=serviceaccounts", "--resource-name=environment-runner")
	s.run("create", "rolebinding", "run-as", "-n", s.namespace, "--role=run-as", "--serviceaccount="+system+":environment-operator")
	secret, err := json.Marshal(fields{
		"apiVersion": "v1", "kind": "Secret", "metadata": fields{"name": "registry"}, "type": "kubernetes.io/dockerconfigjson",
		"stringData": fields{".dockerconfigjson": `{"auths": {}}`, "ca.crt": string(authority)},
	})
	require.NoError(t, err)
	s.applyText(string(secret))
	s.applyText(strings.NewReplacer("SPACE", s.namespace, "REGISTRY", address).Replace(shelves))
	t.Cleanup(func() {
		out, err := kubectl(t.Context(), s.cluster, "delete", "environmentclass", "shelf", "--ignore-not-found", "--wait=false")
		if err != nil {
			t.Log(out)
		}
	})
	s.run("wait", "environmentclass/shelf", "--for=condition=Ready", "--timeout=60s")
	assert.Equal(t, first, s.run("get", "environmentclass/shelf", "-o", "jsonpath={.status.artifact.digest}"))
	edition := func(name string) string {
		out, _ := kubectl(t.Context(), s.cluster, "get", "shelf", name, "-n", s.namespace, "-o", "jsonpath={.status.outputs.edition}")
		return out
	}
	assert.JSONEq(t, `["label"]`, s.run("get", "crd/shelves.apps.platform.example.com", "-o", "jsonpath={.spec.versions[0].schema.openAPIV3Schema.properties.spec.required}"))
	s.applyText(strings.NewReplacer("NAME", "hall").Replace(shelf))
	s.eventually(func() bool { return edition("hall") == "first" }, "the program from the registry has run")
	before := s.configMap("hall").UID

	second := push("second", ", shade: {type: string, default: oak}")
	s.eventually(func() bool { return edition("hall") == "second" }, "the tag has moved, and the object follows")
	assert.Equal(t, "oak", s.run("get", "shelf", "hall", "-n", s.namespace, "-o", "jsonpath={.spec.shade}"), "with what the program has now")
	assert.Equal(t, "3 boards", s.configMap("hall").Data["boards"])
	assert.Equal(t, second, s.run("get", "environmentclass/shelf", "-o", "jsonpath={.status.artifact.digest}"))
	assert.Equal(t, before, s.configMap("hall").UID)

	registry.Fail(503)
	s.applyText(strings.NewReplacer("NAME", "attic").Replace(shelf))
	s.eventually(func() bool { return edition("attic") == "second" }, "new objects do not need the registry")

	s.run("delete", "shelves", "--all", "-n", s.namespace, "--timeout=90s")
	assert.Nil(t, s.configMap("hall"))
	s.run("delete", "environmentclass", "shelf", "--timeout=60s")
}
