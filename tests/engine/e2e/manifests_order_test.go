package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// setOf is a stack with one set, "shop", of these documents, whose requests are those of a user of its own.
func setOf(t *testing.T, c *cluster.Cluster, documents string) (*stack, cluster.User) {
	t.Helper()
	s := newStackIn(t, kubeOf(t, c), c.KubeconfigFile())
	user, err := c.AddUser(s.project, "system:masters")
	require.NoError(t, err)
	s.connectAs(t, user)
	s.file(t, "set.yaml", documents)
	s.program(t, "resources: {shop: {type: k8sconnect:Manifests, properties: {files: [set.yaml]}}}\n")
	return s, user
}

// after are the names of the resources that an object comes after, as the state has it. A Wait has the name of its object.
func (s state) after(t *testing.T, name string) (names []string) {
	t.Helper()
	i := slices.IndexFunc(s.all, func(r resource) bool { return r.Type == "k8sconnect:index:KubeObject" && r.name() == name })
	require.GreaterOrEqual(t, i, 0, "%s is not in the state:\n%s", name, s.text)
	for _, urn := range s.all[i].Dependencies {
		name := resource{URN: urn}.name()
		if strings.Contains(urn, "$k8sconnect:index:Wait::") {
			name = "wait for " + name
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// record has what a user has asked for since it was made.
type record struct {
	c    *cluster.Cluster
	user cluster.User
	mark cluster.AuditMark
}

func recordOf(t *testing.T, c *cluster.Cluster, user cluster.User) record {
	t.Helper()
	mark, err := c.AuditMark()
	require.NoError(t, err)
	return record{c, user, mark}
}

func (r record) requests(t *testing.T, keep func(cluster.Request) bool) cluster.Requests {
	t.Helper()
	requests, err := r.c.RequestsSince(r.mark)
	require.NoError(t, err)
	return requests.Where(by(r.user)).Where(keep)
}

// refused are the requests that were not granted.
func (r record) refused(t *testing.T) (lines []string) {
	t.Helper()
	for _, request := range r.requests(t, func(request cluster.Request) bool { return request.Code >= http.StatusBadRequest }) {
		lines = append(lines, fmt.Sprintf("%s: %d", request, request.Code))
	}
	return lines
}

// order wants that the first requests of a kind for objects came one after the other. An object is named by the end of its path.
func (r record) order(t *testing.T, verb string, objects ...string) {
	t.Helper()
	requests := r.requests(t, func(request cluster.Request) bool {
		return request.Verb == verb && !strings.Contains(request.URI, "dryRun=")
	})
	last := -1
	for i, object := range objects {
		at := slices.IndexFunc(requests, func(request cluster.Request) bool { return strings.HasSuffix(request.Path(), "/"+object) })
		require.GreaterOrEqual(t, at, 0, "no %s of %s in %v", verb, object, requests)
		if i > 0 {
			assert.Greater(t, at, last, "%s of %s before %s", verb, object, objects[i-1])
		}
		last = at
	}
}

const setConfigMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: NAME, namespace: SPACE, annotations: {config.kubernetes.io/depends-on: AFTER}}\n"

func TestAnAnnotationOrdersTheObjectsOfASet(t *testing.T) { // [M10]
	t.Parallel()
	c := shared.Get(t)
	k, space := kubeOf(t, c), c.Namespace(t)
	documents := func(after string) string {
		return setIn(space, replaceAll(setConfigMap, "NAME", "first", "AFTER", after), replaceAll(setSettings, "name: settings", "name: last"))
	}
	s, user := setOf(t, c, documents("/namespaces/SPACE/ConfigMap/last"))
	applied := recordOf(t, c, user)
	s.up(t)
	applied.order(t, "patch", "configmaps/last", "configmaps/first")
	assert.Equal(t, []string{"shop:ConfigMap." + space + ".last"}, s.export(t).after(t, "shop:ConfigMap."+space+".first"))
	s.previewEmpty(t)
	assert.Contains(t, s.succeed(t, "preview", "--debug").out, replaceAll(
		"ConfigMap.SPACE.first after ConfigMap.SPACE.last: its annotation config.kubernetes.io/depends-on names it", "SPACE", space))

	step(t, "one that cannot be read is refused, with its path", func(t *testing.T) {
		s.file(t, "set.yaml", documents("ConfigMap/last"))
		assert.Contains(t, s.previewFails(t), "ConfigMap."+space+".first, metadata.annotations[config.kubernetes.io/depends-on]: "+
			`"ConfigMap/last" is not group/kind/name or group/namespaces/namespace/kind/name.`)
	})
	step(t, "one that names nothing in the set is not followed in silence", func(t *testing.T) {
		s.file(t, "set.yaml", documents("/namespaces/SPACE/ConfigMap/lats"))
		assert.Contains(t, strings.Join(strings.Fields(s.preview(t)), " "), replaceAll(
			"ConfigMap.SPACE.first should be applied after /namespaces/SPACE/ConfigMap/lats (its annotation config.kubernetes.io/depends-on "+
				"names it), but the set has no such object.", "SPACE", space))
		s.file(t, "set.yaml", documents("/namespaces/SPACE/ConfigMap/last"))
		assert.NotContains(t, s.preview(t), "no such object")
	})
	deleted := recordOf(t, c, user)
	s.destroy(t)
	deleted.order(t, "delete", "configmaps/first", "configmaps/last")
	k.gone(t, "v1/ConfigMap/"+space+"/last")
}

func TestACircleInASetIsOpened(t *testing.T) { // [M11]
	t.Parallel()
	c := shared.Get(t)
	k, space := kubeOf(t, c), c.Namespace(t)
	s, _ := setOf(t, c, setIn(space,
		replaceAll(setConfigMap, "NAME", "one", "AFTER", "/namespaces/SPACE/ConfigMap/two"),
		replaceAll(setConfigMap, "NAME", "two", "AFTER", "/namespaces/SPACE/ConfigMap/one")))
	warning := replaceAll("ConfigMap.SPACE.two should be applied after ConfigMap.SPACE.one (its annotation config.kubernetes.io/depends-on "+
		"names it), but that one comes after it, directly or not. It is applied without waiting for it.", "SPACE", space)
	assert.Contains(t, strings.Join(strings.Fields(s.preview(t)), " "), warning)
	assert.Contains(t, strings.Join(strings.Fields(s.up(t)), " "), warning)
	assert.Equal(t, []string{"shop:ConfigMap." + space + ".two"}, s.export(t).after(t, "shop:ConfigMap."+space+".one"))
	k.get(t, "v1/ConfigMap/"+space+"/one")
	k.get(t, "v1/ConfigMap/"+space+"/two")
	s.previewEmpty(t)
	s.destroy(t)
	k.gone(t, "v1/ConfigMap/"+space+"/two")
}

// together keeps the replies until so many are there. Its result says whether all were.
func together(replies int32) (mishap, *atomic.Bool) {
	var arrived atomic.Int32
	were, all := &atomic.Bool{}, make(chan struct{})
	return func(_ *faulty, reply *http.Response) error {
		if arrived.Add(1) == replies {
			were.Store(true)
			close(all)
		}
		select {
		case <-all:
		case <-time.After(patience):
		case <-reply.Request.Context().Done():
		}
		return nil
	}, were
}

const (
	setWeb = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: SPACE}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      serviceAccountName: runner
      containers:
      - {name: web, image: "web:1", envFrom: [{configMapRef: {name: settings}}], volumeMounts: [{name: data, mountPath: /data}]}
      volumes:
      - {name: data, persistentVolumeClaim: {claimName: data}}
      - {name: token, secret: {secretName: token}}
`
	setWebNeeds = `apiVersion: v1
kind: ServiceAccount
metadata: {name: runner, namespace: SPACE}
---
apiVersion: v1
kind: Secret
metadata: {name: token, namespace: SPACE}
stringData: {token: abc}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: SPACE}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`
	setWebIgnores = `apiVersion: v1
kind: ServiceAccount
metadata: {name: another, namespace: SPACE}
---
apiVersion: v1
kind: Secret
metadata: {name: another, namespace: SPACE}
stringData: {token: abc}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: SPACE}
spec: {selector: {app: web}, ports: [{port: 80}]}
`
)

func TestTheWorkloadsOfASetWaitForWhatTheyName(t *testing.T) { // [M12]
	t.Parallel()
	c := shared.Get(t)
	k, space, proxy := kubeOf(t, c), c.Namespace(t), newFaulty(t, c)
	s, _ := setOf(t, c, setIn(space, setWeb, setWebIgnores, setSettings, setWebNeeds))
	s.connectAs(t, proxy.User)

	// Whatever has nothing to wait for is applied at once: none of the seven replies comes before all are there.
	barrier, met := together(7)
	proxy.strike(func(r *http.Request) bool {
		return r.Method == http.MethodPatch && !strings.HasSuffix(r.URL.Path, "/deployments/web")
	}, barrier)
	assert.NotContains(t, s.up(t), "warning:")
	assert.True(t, met.Load(), "all that is independent is applied in parallel")
	proxy.heal()

	saved := s.export(t)
	assert.Equal(t, []string{
		"shop:ConfigMap." + space + ".settings", "shop:PersistentVolumeClaim." + space + ".data",
		"shop:Secret." + space + ".token", "shop:ServiceAccount." + space + ".runner",
	}, saved.after(t, "shop:apps/Deployment."+space+".web"))
	for _, independent := range []string{"Service.SPACE.web", "Secret.SPACE.another", "ServiceAccount.SPACE.runner", "PersistentVolumeClaim.SPACE.data"} {
		assert.Empty(t, saved.after(t, "shop:"+replaceAll(independent, "SPACE", space)), independent)
	}
	assert.Empty(t, saved.named("k8sconnect:index:Wait"), "nothing has to be ready")
	s.previewEmpty(t)
	s.destroy(t)
	k.gone(t, "apps/v1/Deployment/"+space+"/web")
}

const setReserved = `apiVersion: v1
kind: PersistentVolume
metadata: {name: SPACE}
spec:
  storageClassName: none
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  hostPath: {path: /nothing}
  claimRef: {apiVersion: v1, kind: PersistentVolumeClaim, namespace: SPACE, name: data}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: SPACE}
spec: {storageClassName: none, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`

func TestAReservedVolumeOfASetIsDeletedAfterItsClaim(t *testing.T) { // [M6]
	t.Parallel()
	c := shared.Get(t)
	k, space := kubeOf(t, c), c.Namespace(t)
	s, user := setOf(t, c, setIn(space, setReserved))
	s.up(t)
	eventually(t, "the claim has its volume", func() bool { return k.value(t, "v1/PersistentVolume/"+space, "status", "phase") == "Bound" })
	s.previewEmpty(t)
	deleted := recordOf(t, c, user)
	r := s.succeed(t, "destroy", "--yes", "--skip-preview")
	assert.Less(t, r.took, 100*time.Second, "the volume does not go as long as the claim is there")
	deleted.order(t, "delete", "persistentvolumeclaims/data", "persistentvolumes/"+space)
	k.gone(t, "v1/PersistentVolume/"+space)
}
