package e2e

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// claimProgram is a claim, a wait for its volume, and a pod that mounts it. The storage class
// has the namespace's name, so that no other test's claim takes the volume.
const claimProgram = `
resources:
  claim:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: PersistentVolumeClaim
        metadata: {name: data, namespace: %[1]s}
        spec:
          accessModes: [ReadWriteOnce]
          storageClassName: %[1]s
          resources: {requests: {storage: 1Gi}}
  bound:
    type: k8sconnect:Wait
    properties:
      resourceRef: ${claim.resourceRef}
      waitFor: {fieldValue: {status.phase: Bound}, timeout: %[2]s}
  pod:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: Pod
        metadata:
          name: app
          namespace: %[1]s
          annotations: {claim: "${bound.status.status.phase}"}
        spec:
          containers: [{name: app, image: "app:1", volumeMounts: [{name: data, mountPath: /data}]}]
          volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
`

const volumeManifest = `
apiVersion: v1
kind: PersistentVolume
metadata: {name: %[1]s}
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: %[1]s
  capacity: {storage: 1Gi}
  hostPath: {path: /nowhere}
`

// TestClaimIsNeverDestroyedToRetry is the story for which Wait is a resource of its own: a claim
// that is bound too late is waited for again, and is never deleted and re-created.
func TestClaimIsNeverDestroyedToRetry(t *testing.T) {
	t.Parallel()
	c := workloads.Get(t)
	const refreshed, during, refreshedAfter = "refreshed before", "during", "refreshed after"
	for _, variant := range []struct{ name, volume string }{
		{"the next up goes on in place", ""},
		{"the next up waits again, in place, until there is a volume", during},
		{"the same after a refresh while there is none [W29]", refreshed},
		{"a refresh finds that it holds meanwhile [W29]", refreshedAfter},
	} {
		t.Run("a claim is bound too late: "+variant.name+" [W12, W13]", func(t *testing.T) {
			t.Parallel()
			k, space := kubeOf(t, c), c.Namespace(t)
			s := newStackIn(t, k, c.KubeconfigFile())
			claim, pod, volume := "v1/PersistentVolumeClaim/"+space+"/data", "v1/Pod/"+space+"/app", "v1/PersistentVolume/"+space
			user, err := c.AddUser("claims-"+space, "system:masters")
			require.NoError(t, err)
			s.connectAs(t, user)

			s.program(t, claimProgram, space, "1s")
			out := s.upFails(t)
			assert.Contains(t, out, "PersistentVolumeClaim "+space+`/data: timed out after 1s waiting for status.phase = "Bound"`)
			live := k.get(t, claim)
			k.gone(t, pod)
			saved := s.export(t)
			assert.Equal(t, string(live.GetUID()), saved.get(t, "claim").uid())
			assert.Equal(t, claim, saved.get(t, "bound").ID)
			assert.True(t, saved.get(t, "bound").waits())
			assert.NotContains(t, saved.resources, "pod")

			if variant.volume == refreshed {
				assert.Contains(t, s.refresh(t), `status.phase is "Pending"`, "a refresh says that it does not hold yet")
				assert.True(t, s.export(t).get(t, "bound").waits())
			}
			out = s.preview(t)
			assert.Contains(t, out, "an earlier wait timed out or failed")
			assert.Contains(t, out, "~ 1 to update")
			assert.Contains(t, out, "claim: [unknown]", "what is not there yet is not known yet")
			k.gone(t, pod)

			mark, err := c.AuditMark()
			require.NoError(t, err)
			bringVolume := func() {
				k.create(t, volume, fmt.Sprintf(volumeManifest, space))
				t.Cleanup(func() { k.remove(t, volume) })
				eventually(t, "the claim is bound", func() bool { return k.value(t, claim, "status", "phase") == "Bound" })
			}
			switch variant.volume {
			case during, refreshed:
				s.program(t, claimProgram, space, "1m")
				up := s.start(t, "up", "--yes", "--skip-preview")
				waitsFor(t, c, user, mark, 1)
				k.gone(t, pod)
				bringVolume()
				assert.Contains(t, up.wait(t).succeeded(t).out, "+ 1 created\n    ~ 1 updated")
			default:
				bringVolume()
				if variant.volume == refreshedAfter {
					s.refresh(t)
					assert.False(t, s.export(t).get(t, "bound").waits())
				}
				assert.Contains(t, s.up(t), "+ 1 created\n    3 unchanged")
			}
			requests, err := c.RequestsSince(mark)
			require.NoError(t, err)
			for _, request := range requests.Where(by(user)) {
				if request.Verb != "get" && request.Verb != "watch" {
					assert.Contains(t, request.Path(), "/pods/app", "nothing but the pod is written: %s", request)
				}
			}

			assert.Equal(t, live.GetUID(), k.get(t, claim).GetUID(), "the claim was never re-created")
			assert.Equal(t, "Bound", k.value(t, pod, "metadata", "annotations", "claim"))
			bound := s.export(t).get(t, "bound")
			assert.False(t, bound.waits())
			assert.Empty(t, bound.InitErrors)
			assert.Equal(t, "Bound", at(bound.Outputs, "status", "status", "phase"))
			s.previewEmpty(t)
		})
	}
}
