//go:build linux && node

package node

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// migration is a Task and what depends on it.
const migration = `
resources:
  migrate:
    type: k8sconnect:Task
    properties:
      $OPTIONS
      manifest:
        apiVersion: batch/v1
        kind: Job
        metadata: {name: migrate, namespace: $NS}
        spec:
          backoffLimit: 0
          template: {spec: {restartPolicy: Never, containers: [{name: migrate, image: "workload:1", $CONTAINER}]}}
  after:
    type: k8sconnect:KubeObject
    properties: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: after, namespace: $NS}}}
    options: {dependsOn: ["${migrate}"]}
outputs: {log: "${migrate.log}", codes: "${migrate.exitCodes}"}
`

func TestATaskWithItsLog(t *testing.T) {
	s := newStack(t)
	declare := func(t *testing.T, container, options string) {
		t.Helper()
		s.program(t, strings.NewReplacer("$CONTAINER", container, "$OPTIONS", options).Replace(migration))
	}
	step(t, "one that fails is told with the end of its log, and what depends on it is not made [T3]", func(t *testing.T) {
		declare(t, "args: [fail]", "")
		out := s.upFails(t)
		assert.Contains(t, out, "exited with code 3")
		assert.Contains(t, out, "migrating 12 tables")
		assert.Contains(t, out, "FATAL: the table orders is locked")
		assert.Empty(t, s.kubectl(t, "get", "configmaps", "--field-selector=metadata.name=after", "--output=name"))
	})
	step(t, "also if its Job deletes the pod as it fails [T3]", func(t *testing.T) {
		s.program(t, strings.NewReplacer("restartPolicy: Never", "restartPolicy: OnFailure", "$CONTAINER", "args: [fail]", "$OPTIONS", "").Replace(migration))
		out := s.upFails(t)
		assert.Contains(t, out, "exited with code 3")
		assert.Contains(t, out, "migrating 12 tables")
		assert.Contains(t, out, "FATAL: the table orders is locked")
		assert.NotContains(t, out, "kubectl logs")
		s.eventually(t, "", "get", "pods", "--output=name")
		assert.Contains(t, s.run(t, "stack", "export"), `"exitCodes": {`+"\n"+`                        "migrate": 3`)
	})
	step(t, "and if it stops one that takes too long [T3]", func(t *testing.T) {
		s.program(t, strings.NewReplacer("backoffLimit: 0", "backoffLimit: 0\n          activeDeadlineSeconds: 4",
			"$CONTAINER", `command: ["/workload", "dawdle"]`, "$OPTIONS", "").Replace(migration))
		out := s.upFails(t)
		assert.Contains(t, out, "DeadlineExceeded")
		assert.Contains(t, out, "was still running when its pod was deleted")
		assert.Contains(t, out, "copying 3 of 1000 tables")
	})
	step(t, "with an input that is secret, the log is not shown [T10]", func(t *testing.T) {
		declare(t, "args: [fail], env: [{name: TOKEN, value: {fn::secret: 12 tables}}]", "")
		out := s.upFails(t)
		assert.Contains(t, out, "exited with code 3")
		assert.NotContains(t, out, "FATAL")
	})
	step(t, "as many lines are shown as are asked for [T3]", func(t *testing.T) {
		declare(t, "args: [fail]", "logLines: 1")
		out := s.upFails(t)
		assert.Contains(t, out, "FATAL: the table orders is locked")
		assert.NotContains(t, out, "migrating 12 tables")
	})
	step(t, "one that succeeds has run once [T1]", func(t *testing.T) {
		declare(t, `command: ["/workload", "version"]`, "")
		s.up(t)
		assert.Equal(t, "version 1", s.run(t, "stack", "output", "log")[:len("version 1")])
		s.previewEmpty(t)
	})
	step(t, "at the end one that fails stays, and goes once it is forced [T6]", func(t *testing.T) {
		declare(t, "args: [fail]", "runOn: [delete]")
		s.up(t)
		assert.Contains(t, s.fails(t, "destroy", "--yes", "--skip-preview"), "FATAL: the table orders is locked")
		declare(t, "args: [fail]", "runOn: [delete]\n      forceDestroy: true")
		s.up(t)
		assert.Contains(t, s.destroy(t), "because of forceDestroy")
	})
}

// heldMigration is the program of a migration that is done when its gate is open.
func heldMigration(g gates) string {
	return strings.NewReplacer("$OPTIONS", "", "containers:", "terminationGracePeriodSeconds: 1, volumes: [{name: gates, hostPath: {path: "+g.dir+", type: Directory}}], containers:",
		"$CONTAINER", `args: [work], env: [{name: NAME, value: migrate}, {name: HELD, value: "true"}], volumeMounts: [{name: gates, mountPath: /gates}]`).Replace(migration)
}

func TestATaskIsNeverRunTwice(t *testing.T) {
	jobs := func(t *testing.T, s *stack) string {
		t.Helper()
		return s.kubectl(t, "get", "jobs", "--output=jsonpath={.items[*].metadata.uid}")
	}
	begin := func(t *testing.T) (*stack, gates) {
		t.Helper()
		s, g := newStack(t), newGates(t)
		s.program(t, heldMigration(g))
		return s, g
	}
	// ran says what is true after a run that was interrupted, and whose Job is known.
	ran := func(t *testing.T, s *stack, g gates, job string) {
		t.Helper()
		assert.Equal(t, job, jobs(t, s), "it is the same Job, and the only one")
		assert.Equal(t, oneAfterTheOther("migrate"), g.done(t, 0), "its container ran once")
		assert.NotEmpty(t, s.kubectl(t, "get", "configmap", "after", "--output=name"))
		assert.Contains(t, s.run(t, "stack", "output", "log"), "migrate is done")
		s.previewEmpty(t)
	}
	for _, i := range interruptions {
		t.Run("when "+i.name+" [T4]", func(t *testing.T) {
			s, g := begin(t)
			up := s.start(t, "up", "--yes", "--skip-preview")
			g.began(t, up, "migrate", 1)
			job := jobs(t, s)
			i.now(t, s, up)
			again := s.start(t, "up", "--yes", "--skip-preview")
			g.open(t, "migrate")
			again.succeeds(t)
			ran(t, s, g, job)
		})
	}
	t.Run("when it ends while nobody waits [T4]", func(t *testing.T) {
		s, g := begin(t)
		up := s.start(t, "up", "--yes", "--skip-preview")
		g.began(t, up, "migrate", 1)
		job := jobs(t, s)
		interruptions[0].now(t, s, up)
		g.open(t, "migrate")
		s.eventually(t, "1", "get", "jobs", "--output=jsonpath={.items[*].status.succeeded}")
		s.up(t)
		ran(t, s, g, job)
	})
	t.Run("when the API server is away for a while [T4]", func(t *testing.T) {
		s, g := begin(t)
		up := s.start(t, "up", "--yes", "--skip-preview")
		g.began(t, up, "migrate", 1)
		job := jobs(t, s)
		require.NoError(t, s.cluster.APIServer.Restart(context.WithoutCancel(t.Context())))
		up.goesOn(t)
		g.open(t, "migrate")
		up.succeeds(t)
		ran(t, s, g, job)
	})
	t.Run("when the reply to its creation is lost [T4]", func(t *testing.T) {
		s, g := begin(t)
		kubeconfig, lost, heal := losing(t, s.cluster)
		s.env["KUBECONFIG"] = kubeconfig
		s.upFails(t)
		assert.Positive(t, lost.Load())
		job := jobs(t, s)
		require.NotEmpty(t, job)
		heal()
		up := s.start(t, "up", "--yes", "--skip-preview")
		g.began(t, up, "migrate", 1)
		g.open(t, "migrate")
		up.succeeds(t)
		ran(t, s, g, job)
	})
}
