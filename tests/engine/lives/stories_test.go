package lives_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// story tells the story of a defect that was found once, at a place of its own in a world.
func story(t *testing.T, number, world string, told func(p *place)) {
	t.Helper()
	t.Run(number, func(t *testing.T) {
		t.Parallel()
		prepare(t)
		told(newPlace(t, world))
	})
}

// queued is a Job that waits for a queue, as with Kueue.
func queued(name string) m {
	return parsef(`
apiVersion: batch/v1
kind: Job
metadata: {name: %s, labels: {rev: "1"}}
spec:
  suspend: true
  template:
    spec:
      restartPolicy: Never
      nodeSelector: {pool: batch}
      containers: [{name: main, image: example.com/app:1}]
`, name)
}

// admit is what Kueue does to a Job: it says where it may run, and lets it.
func (p *place) admit(name string) {
	p.Helper()
	p.edit("Job", name, `{spec: {template: {spec: {nodeSelector: {pool: batch, zone: a}}}}}`)
	p.edit("Job", name, `{spec: {suspend: false}}`)
}

// bind gives a claim a volume, made by hand.
func (p *place) bind(name string) {
	p.Helper()
	size, _ := get(p.live("PersistentVolumeClaim", name).Object, at("spec.resources.requests.storage"))
	require.NoError(p, put(p.Context(), "", parsef(`
apiVersion: v1
kind: PersistentVolume
metadata: {name: %[1]s-%[2]s}
spec:
  capacity: {storage: %[3]s}
  accessModes: [ReadWriteOnce]
  storageClassName: growing
  persistentVolumeReclaimPolicy: Retain
  hostPath: {path: /nowhere}
  claimRef: {apiVersion: v1, kind: PersistentVolumeClaim, namespace: %[1]s, name: %[2]s}
`, p.namespace, name, size)))
	p.Cleanup(func() {
		_ = client("PersistentVolume", "").Delete(context.Background(), p.namespace+"-"+name, metav1.DeleteOptions{})
	})
	p.eventually("the claim is bound", func() bool {
		phase, _, _ := unstructured.NestedString(p.live("PersistentVolumeClaim", name).Object, "status", "phase")
		return phase == "Bound"
	})
}

// savedState is all that the backend has of the stack, as text.
func (p *place) savedState() string {
	p.Helper()
	var text strings.Builder
	require.NoError(p, filepath.WalkDir(p.stack.Backend, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		text.Write(content)
		return err
	}))
	return text.String()
}

func configMap(name string) m {
	return parsef(`{apiVersion: v1, kind: ConfigMap, metadata: {name: %s, labels: {rev: "1"}}, data: {a: "1"}}`, name)
}

func claimOf(name string) m {
	return parsef(`
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: %s, labels: {rev: "1"}}
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: growing
  resources: {requests: {storage: 1Gi}}
`, name)
}

func custom(kind, name string) m {
	return parsef(`{apiVersion: lives.example.com/v1, kind: %s, metadata: {name: %s, labels: {rev: "1"}}, spec: {size: 1, color: red}}`, kind, name)
}

func deployment(name string) m {
	return parsef(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: %s, labels: {rev: "1"}}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: main, image: example.com/app:1}]
`, name)
}

func statefulSet(name string) m {
	return parsef(`
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: %s, labels: {rev: "1"}}
spec:
  replicas: 1
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      containers: [{name: main, image: example.com/db:1}]
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`, name)
}

func pod(name string) m {
	return parsef(`
apiVersion: v1
kind: Pod
metadata: {name: %s, labels: {rev: "1"}}
spec:
  activeDeadlineSeconds: 3600
  containers: [{name: main, image: example.com/app:1}]
`, name)
}
