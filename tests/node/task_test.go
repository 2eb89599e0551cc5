//go:build linux && node

package node

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
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
