package rpc_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func init() {
	resources["Job"] = schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "jobs"}
	resources["StatefulSet"] = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "statefulsets"}
	resources["PersistentVolume"] = schema.GroupVersionResource{Version: "v1", Resource: "persistentvolumes"}
	resources["PersistentVolumeClaim"] = schema.GroupVersionResource{Version: "v1", Resource: "persistentvolumeclaims"}
}

// atOnce deletes without waiting for children: nobody collects them here.
var atOnce = map[string]any{"deletionPropagation": "Background"}

func onImmutable(what string) map[string]any { return map[string]any{"onImmutable": what} }

// unchangeable is an object with a field that can only be set when it is made.
type unchangeable struct {
	kind   string
	yaml   string
	change map[string]any // by property path
	// diff is what is shown, and how; replaces of it are the paths that force the replacement.
	diff map[string]string
}

var unchangeables = map[string]unchangeable{
	"a Deployment's selector, with a mutable field [O45]": {"Deployment", `
apiVersion: apps/v1
kind: Deployment
metadata: {name: it, namespace: NS}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web, also: that}}
    spec: {containers: [{name: web, image: "nginx:1"}]}
`, map[string]any{"manifest.spec.selector.matchLabels.app": "that", "manifest.spec.template.metadata.labels.app": "that", "manifest.spec.replicas": 3},
		map[string]string{
			"manifest.spec.selector": "update-replace", "manifest.spec.template.metadata.labels.app": "update",
			"manifest.spec.replicas": "update",
		}},
	"a Job's template": {"Job", `
apiVersion: batch/v1
kind: Job
metadata: {name: it, namespace: NS}
spec:
  template:
    spec: {restartPolicy: Never, containers: [{name: web, image: "nginx:1"}]}
`, map[string]any{"manifest.spec.template.spec.containers[0].image": "nginx:2"},
		map[string]string{"manifest.spec.template.spec.containers[0].image": "update-replace"}},
	"an immutable ConfigMap": {"ConfigMap", `
apiVersion: v1
kind: ConfigMap
metadata: {name: it, namespace: NS}
immutable: true
data: {a: "1"}
`, map[string]any{"manifest.data.a": "2", "manifest.metadata.labels": map[string]any{"l": "1"}},
		map[string]string{"manifest.data.a": "update-replace", "manifest.metadata.labels": "add"}},
	"an immutable Secret": {"Secret", `
apiVersion: v1
kind: Secret
metadata: {name: it, namespace: NS}
immutable: true
data: {a: aGlkZGVu}
`, map[string]any{"manifest.data.a": "b3RoZXI="}, map[string]string{"manifest.data.a": "update-replace"}},
}

func TestReplacementByProof(t *testing.T) {
	t.Parallel()
	for what, u := range unchangeables {
		t.Run(what+" is replaced, once, in place of the old one [O44]", func(t *testing.T) {
			t.Parallel()
			w, g := newWorld(t), newGateway(t)
			in := program(object(t, "%s", strings.ReplaceAll(u.yaml, "NS", w.namespace)), atOnce)
			s := start(t, g.connection()).resource(t, "it").mustUp("create", in)
			uid := at(t, s.outputs, "resourceRef.uid")
			after := in
			for path, v := range u.change {
				after = with(t, after, path, v)
			}
			before := w.get(u.kind, "it").GetResourceVersion()
			s.mustRead()
			asked := g.watchRequests()
			diff, err := s.diff(after)
			require.NoError(t, err)
			assert.Equal(t, u.diff, kinds(t, diff))
			assert.True(t, diff.Replace())
			assert.True(t, diff.DeleteBeforeReplace)
			said := s.process.log.all()
			assert.Contains(t, said, u.kind+" "+w.namespace+"/it is replaced, because ", "[D45]")
			for path, kind := range u.diff {
				if field, in := strings.CutPrefix(path, "manifest."); in && strings.HasSuffix(kind, "-replace") {
					assert.Contains(t, said, field, "[D45] it names what forces it")
				}
			}
			assert.Equal(t, []string{"apply, dry-run", "GET", "apply by force, dry-run", "merge patch, dry-run"}, asked(), "the proof writes nothing")
			did, outputs, err := s.preview(after)
			require.NoError(t, err)
			assert.Equal(t, "replace", did)
			for path, v := range u.change {
				assert.EqualValues(t, v, at(t, outputs, path))
			}
			assert.Equal(t, "it", at(t, outputs, "manifest.metadata.name"))
			all, err := w.objects(u.kind).List(t.Context(), listAll)
			require.NoError(t, err)
			assert.Equal(t, before, w.get(u.kind, "it").GetResourceVersion())
			for _, item := range all.Items {
				assert.NotContains(t, item.GetName(), "probe")
			}

			s.mustUp("replace", after)
			assert.NotEqual(t, uid, at(t, s.outputs, "resourceRef.uid"))
			assert.Equal(t, at(t, s.outputs, "resourceRef.uid"), w.value(u.kind, "it", "metadata", "uid"))
			s.mustUp("same", after)
		})
		t.Run(what+" is kept where the user says so [O44]", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			in := program(object(t, "%s", strings.ReplaceAll(u.yaml, "NS", w.namespace)), onImmutable("fail"))
			s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", in)
			requireRefused(t, w, s, u, in)
		})
	}
}

// requireRefused proves that a change is refused with an explanation, and that nothing happens.
func requireRefused(t *testing.T, w world, s *session, u unchangeable, in resource.PropertyMap) {
	t.Helper()
	kept, before := s.stored, w.get(u.kind, "it").GetResourceVersion()
	for path, v := range u.change {
		in = with(t, in, path, v)
	}
	_, _, err := s.preview(in)
	require.ErrorContains(t, err, "cannot be changed on an existing object")
	assert.ErrorContains(t, err, "onImmutable")
	assert.Regexp(t, w.namespace+"/it: (spec|data)[^ ]* cannot be changed", err.Error(), "the field is named")
	s.stored = kept
	did, err := s.up(in)
	require.ErrorContains(t, err, "was not touched")
	assert.Equal(t, "update", did)
	assert.Equal(t, before, w.get(u.kind, "it").GetResourceVersion())
}

func TestKindsThatHoldDataAreKept(t *testing.T) {
	t.Parallel()
	claim := unchangeable{"PersistentVolumeClaim", `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: it, namespace: NS}
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: none
  resources: {requests: {storage: 10Gi}}
`, map[string]any{"manifest.spec.resources.requests.storage": "5Gi"}, nil}
	set := unchangeable{"StatefulSet", `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: it, namespace: NS}
spec:
  serviceName: it
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "nginx:1"}]}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 10Gi}}}
`, map[string]any{"manifest.spec.volumeClaimTemplates[0].spec.resources.requests.storage": "20Gi"}, nil}
	for what, u := range map[string]unchangeable{"a claim that shrinks": claim, "a StatefulSet's claims": set} {
		t.Run(what+": refused, onImmutable explained, nothing deleted [O47]", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			in := program(object(t, "%s", strings.ReplaceAll(u.yaml, "NS", w.namespace)), atOnce)
			s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", in)
			requireRefused(t, w, s, u, in)
			s.mustUp("same", in)
		})
	}
	t.Run("a StatefulSet that may be replaced is [O44] [O47]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		in := program(object(t, "%s", strings.ReplaceAll(set.yaml, "NS", w.namespace)), atOnce, onImmutable("replace"))
		s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", in)
		for path, v := range set.change {
			in = with(t, in, path, v)
		}
		s.mustUp("replace", in).mustUp("same", in)
	})
}

// freeAddress is an address in the range of another one that nobody has: those at its beginning are not given out
// before the others are used up, and each is taken once.
func freeAddress(address string) string {
	octets := strings.Split(address, ".")
	return fmt.Sprintf("%s.%s.0.%d", octets[0], octets[1], 10+addressesTaken.Add(1))
}

var addressesTaken atomic.Int32

func TestAServicesAddress(t *testing.T) {
	t.Parallel()
	service := func(w world, spec string) resource.PropertyMap {
		return program(object(t, `
apiVersion: v1
kind: Service
metadata: {name: it, namespace: %s}
spec: {ports: [{name: http, port: 80}], %s}
`, w.namespace, spec), atOnce)
	}
	t.Run("changed, with a node port that the object holds, is replaced [O44]", func(t *testing.T) {
		w := newWorld(t)
		s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", service(w, "type: NodePort"))
		ports, _ := w.value("Service", "it", "spec", "ports").([]any)
		nodePort, _ := ports[0].(map[string]any)["nodePort"].(int64)
		require.NotZero(t, nodePort)
		held, _ := w.value("Service", "it", "spec", "clusterIP").(string)
		in := with(t, service(w, "type: NodePort, clusterIP: "+held), "manifest.spec.ports[0].nodePort", nodePort)
		_, err := s.up(in)
		require.NoError(t, err)
		other := freeAddress(held)
		after := with(t, in, "manifest.spec.clusterIP", other)
		diff, err := s.mustRead().diff(after)
		require.NoError(t, err)
		require.True(t, diff.Replace())
		assert.Equal(t, map[string]string{"manifest.spec.clusterIP": "update-replace"}, kinds(t, diff))
		s.mustUp("replace", after).mustUp("same", after)
		assert.Equal(t, other, w.value("Service", "it", "spec", "clusterIP"))
		ports, _ = w.value("Service", "it", "spec", "ports").([]any)
		assert.Equal(t, nodePort, ports[0].(map[string]any)["nodePort"])
	})
	t.Run("given up for a headless one is replaced [O44]", func(t *testing.T) {
		w := newWorld(t)
		s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", service(w, "type: ClusterIP"))
		after := service(w, "type: ClusterIP, clusterIP: None")
		s.mustUp("replace", after).mustUp("same", after)
		assert.Equal(t, "None", w.value("Service", "it", "spec", "clusterIP"))
	})
	for _, unread := range []struct {
		what string
		fail func(http.ResponseWriter, *http.Request, func() *httptest.ResponseRecorder)
	}{
		{"may not be read", refuse(403, metav1.StatusReasonForbidden, "no")},
		{"is answered by a failure", refuse(500, metav1.StatusReasonInternalError, "no")},
		{"is answered by half an object", halveReply},
		{"gets no answer", loseReply},
	} {
		t.Run("whose holder "+unread.what+" is no reason to replace [O44]", func(t *testing.T) {
			t.Parallel()
			w, g := newWorld(t), newGateway(t)
			in := service(w, "type: ClusterIP")
			s := start(t, g.connection()).resource(t, "it").mustUp("create", in)
			before := w.get("Service", "it")
			held, _ := w.value("Service", "it", "spec", "clusterIP").(string)
			g.always(func(r *http.Request) bool { return strings.Contains(r.URL.Path, "/ipaddresses/") }, unread.fail)
			after := with(t, with(t, in, "manifest.spec.clusterIP", freeAddress(held)), "onImmutable", "replace")
			did, err := s.up(after)
			require.ErrorContains(t, err, "could not be decided")
			assert.ErrorContains(t, err, "was not touched")
			assert.Equal(t, "update", did)
			assert.Equal(t, before, w.get("Service", "it"))
			g.heal()
			s.mustUp("replace", after)
		})
	}
	t.Run("that is none is a mistake, not a replacement [O46]", func(t *testing.T) {
		w := newWorld(t)
		s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", service(w, "type: ClusterIP"))
		uid := w.get("Service", "it").GetUID()
		did, err := s.up(service(w, "type: ClusterIP, clusterIP: 999.1.1.1"))
		require.Error(t, err)
		assert.Equal(t, "update", did)
		assert.Equal(t, uid, w.get("Service", "it").GetUID())
	})
}

func TestAnInvalidManifestNeverReplaces(t *testing.T) {
	t.Parallel()
	t.Run("a Deployment with activeDeadlineSeconds, which says Forbidden [O46]", func(t *testing.T) {
		w := newWorld(t)
		for _, policy := range []map[string]any{atOnce, onImmutable("replace")} {
			in := program(w.deployment(t, "web"), policy)
			s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", in)
			before := w.get("Deployment", "web").GetResourceVersion()
			bad := with(t, in, "manifest.spec.template.spec.activeDeadlineSeconds", 60)
			_, _, err := s.preview(bad)
			require.ErrorContains(t, err, "activeDeadlineSeconds")
			did, err := s.up(bad)
			require.ErrorContains(t, err, "activeDeadlineSeconds")
			assert.Equal(t, "update", did)
			assert.NotContains(t, err.Error(), "onImmutable")
			assert.Equal(t, before, w.get("Deployment", "web").GetResourceVersion())
			w.delete("Deployment", "web")
		}
	})
	t.Run("wrong and immutable together is wrong [O46]", func(t *testing.T) {
		w := newWorld(t)
		in := program(w.deployment(t, "web"), atOnce)
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", in)
		bad := with(t, with(t, in, "manifest.spec.selector.matchLabels.app", "other"), "manifest.spec.template.metadata.labels.app", "third")
		did, err := s.up(bad)
		require.Error(t, err)
		assert.Equal(t, "update", did)
		assert.True(t, w.exists("Deployment", "web"))
	})
	t.Run("a definition's scope [O46] [O47]", func(t *testing.T) {
		definition := object(t, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: anchors.example.org}
spec:
  group: example.org
  scope: Namespaced
  names: {kind: Anchor, plural: anchors, singular: anchor, listKind: AnchorList}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
`)

		in := program(definition, onImmutable("replace"))
		s := start(t, inline(newUser(t))).resource(t, "anchors").mustUp("create", in)
		awaitEstablished(t, newWorld(t).client, "anchors.example.org")
		uid := at(t, s.outputs, "resourceRef.uid")
		for _, policy := range []string{"replace", "fail"} {
			did, err := s.up(with(t, with(t, in, "manifest.spec.scope", "Cluster"), "onImmutable", policy))
			require.ErrorContains(t, err, "scope")
			assert.Equal(t, "update", did)
		}
		s.mustRead()
		assert.Equal(t, uid, at(t, s.outputs, "resourceRef.uid"))
	})
}
