//go:build linux && node

package node

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// database is a StatefulSet that counts its boots in a volume, which is a folder here.
const database = `
resources:
  volume:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: PersistentVolume
        metadata: {name: $NS}
        spec:
          storageClassName: $NS
          capacity: {storage: 1Gi}
          accessModes: [ReadWriteOnce]
          persistentVolumeReclaimPolicy: Retain
          hostPath: {path: $DIR, type: Directory}
    options: {customTimeouts: {delete: 5s}}
  database:
    type: k8sconnect:KubeObject
    properties:
      onImmutable: $ONIMMUTABLE
      manifest:
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: db, namespace: $NS}
        spec:
          serviceName: $SERVICE
          selector: {matchLabels: {app: db}}
          template:
            metadata: {labels: {app: db}}
            spec:
              terminationGracePeriodSeconds: 1
              containers:
              - name: db
                image: workload:$VERSION
                args: [count]
                volumeMounts: [{name: data, mountPath: /data}]
                readinessProbe: {httpGet: {path: /ready, port: 8080}, periodSeconds: 1}
          volumeClaimTemplates:
          - metadata: {name: data}
            spec: {storageClassName: $NS, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
  ready:
    type: k8sconnect:Wait
    properties: {resourceRef: "${database.resourceRef}", waitFor: {rollout: true, timeout: 2m}}
`

func TestAStatefulSetKeepsItsData(t *testing.T) {
	s := newStack(t)
	dir := t.TempDir()
	program := func(t *testing.T, version, service, onImmutable string) {
		t.Helper()
		s.program(t, strings.NewReplacer("$DIR", dir, "$VERSION", version, "$SERVICE", service, "$ONIMMUTABLE", onImmutable).Replace(database))
	}
	boots := func(t *testing.T) string {
		t.Helper()
		content, err := os.ReadFile(filepath.Join(dir, "boots"))
		require.NoError(t, err)
		return string(content)
	}
	uid := func(t *testing.T) string {
		t.Helper()
		return s.kubectl(t, "get", "statefulset", "db", "--output=jsonpath={.metadata.uid}")
	}
	var first string

	step(t, "made, it has booted once [N9]", func(t *testing.T) {
		program(t, "1", "db", "fail")
		s.up(t)
		first = uid(t)
		assert.Equal(t, "1", boots(t))
	})
	step(t, "an update restarts it in place, with its data [N9]", func(t *testing.T) {
		program(t, "2", "db", "fail")
		s.up(t)
		assert.Equal(t, "2", boots(t))
		assert.Equal(t, first, uid(t))
		s.previewEmpty(t)
	})
	step(t, "a change that cannot be made in place is refused, and nothing is stopped [N9]", func(t *testing.T) {
		program(t, "2", "db2", "fail")
		out := s.upFails(t)
		assert.Contains(t, out, "onImmutable")
		assert.Equal(t, "2", boots(t))
		assert.Equal(t, first, uid(t))
	})
	step(t, "on request it is replaced, and the new one has the data [N9]", func(t *testing.T) {
		program(t, "2", "db2", "replace")
		s.up(t)
		assert.NotEqual(t, first, uid(t))
		assert.Equal(t, "3", boots(t))
		s.previewEmpty(t)
	})
	step(t, "destroy names the claim that holds the volume, and how to be rid of it [N10]", func(t *testing.T) {
		out := s.fails(t, "destroy", "--yes", "--skip-preview")
		assert.Contains(t, out, "kubectl delete pvc --namespace "+s.space+" data-db-0")
	})
	step(t, "without the claim the next destroy ends, and the data is still on the disk [N10]", func(t *testing.T) {
		s.kubectl(t, "delete", "pvc", "data-db-0")
		s.destroy(t)
		assert.Equal(t, "3", boots(t))
	})
}
