//go:build linux && node

package node

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// store is a stack with a release of the chart in testdata/store, whose hooks are pods that really run.
type store struct {
	*stack
	gates gates
}

func newStore(t *testing.T) store {
	t.Helper()
	s := store{newStack(t), newGates(t)}
	s.chart(t)
	return s
}

// chart writes the chart into the project, without the templates of these names.
func (s store) chart(t *testing.T, without ...string) {
	t.Helper()
	folder := filepath.Join(s.dir, "store")
	require.NoError(t, os.RemoveAll(folder))
	require.NoError(t, os.CopyFS(folder, os.DirFS("testdata/store")))
	for _, name := range without {
		require.NoError(t, os.Remove(filepath.Join(folder, "templates", name)))
	}
}

// declare writes the program, with these values beside the gates and these inputs.
func (s store) declare(t *testing.T, values string, inputs ...string) {
	t.Helper()
	const program = `
resources:
  store:
    type: k8sconnect:Chart
    properties:
      chart: ./store
      namespace: $NS
      values: {gates: "$GATES", $VALUES}
      $INPUTS
`
	s.program(t, strings.NewReplacer("$GATES", s.gates.dir, "$VALUES", values, "$INPUTS", strings.Join(inputs, "\n      ")).Replace(program))
}

// since returns what work was done since the last time that it was called, or since the beginning.
func (s store) since() func(t *testing.T) []string {
	lines := 0
	return func(t *testing.T) []string {
		t.Helper()
		done := s.gates.done(t, lines)
		lines += len(done)
		return done
	}
}

// is is a field of an object of the namespace; empty if there is no such object.
func (s store) is(t *testing.T, object, field string) string {
	t.Helper()
	return s.kubectl(t, "get", object, "--ignore-not-found", "--output=jsonpath={"+field+"}")
}

// names are the objects of these kinds whose names begin with that of the release.
func (s store) names(t *testing.T, kinds string) (found []string) {
	t.Helper()
	for name := range strings.FieldsSeq(s.kubectl(t, "get", kinds, "--output=jsonpath={.items[*].metadata.name}")) {
		if strings.HasPrefix(name, "store") {
			found = append(found, name)
		}
	}
	return found
}

// What an installation and an upgrade do, in this order.
var (
	installation = oneAfterTheOther("schema", "migrate-1", "server-1", "seed-a", "seed-b", "check-1")
	upgrade      = oneAfterTheOther("migrate-2", "server-2", "check-2")
	ending       = oneAfterTheOther("backup", "farewell")
)

func TestTheHooksOfAChartRun(t *testing.T) {
	s := newStore(t)
	done := s.since()
	step(t, "a preview lists them, and runs nothing [H6]", func(t *testing.T) {
		s.declare(t, "version: 1")
		out := s.run(t, "preview", "--diff")
		for _, hook := range []string{"Job $NS/store-schema", "Job $NS/store-migrate", "Job $NS/store-seed-a", "Job $NS/store-seed-b", "Pod $NS/store-check"} {
			assert.Contains(t, out, strings.ReplaceAll(hook, "$NS", s.space)+" will run: it is new.")
		}
		assert.NotContains(t, out, "store-backup will run")
		assert.Empty(t, s.names(t, "jobs,pods,deployments"))
	})
	step(t, "an install runs those before the objects, then those after them, by weight and by name [H6]", func(t *testing.T) {
		s.up(t)
		assert.Equal(t, installation, done(t))
		available, err := time.Parse(time.RFC3339, s.is(t, "deployment/store", `.status.conditions[?(@.type=="Available")].lastTransitionTime`))
		require.NoError(t, err)
		assert.False(t, s.gates.when(t, "seed-a began").Before(available), "the server is ready before the hooks after it")
		created, err := time.Parse(time.RFC3339, s.is(t, "deployment/store", ".metadata.creationTimestamp"))
		require.NoError(t, err)
		assert.False(t, created.Before(s.gates.when(t, "migrate-1 ended").Truncate(time.Second)), "the server comes after the hooks before it")
	})
	step(t, "they stay with their logs, and what was there for them goes [H6]", func(t *testing.T) {
		assert.Equal(t, []string{"store-migrate", "store-schema", "store-seed-a", "store-seed-b"}, s.names(t, "jobs"))
		assert.Equal(t, "migrate-1 is done", s.kubectl(t, "logs", "job/store-migrate", "--container=work"))
		assert.Equal(t, "check-1 is done", s.kubectl(t, "logs", "pod/store-check"), "a Pod stays until the next run, whatever its policies")
		assert.Empty(t, s.names(t, "serviceaccounts,configmaps"))
	})
	step(t, "without a change, nothing runs [H6]", func(t *testing.T) {
		s.previewEmpty(t)
		s.up(t)
		assert.Empty(t, done(t))
	})
	server := s.is(t, "deployment/store", ".metadata.generation")
	step(t, "one that fails before an upgrade is told with its log, and no object has changed [H6]", func(t *testing.T) {
		s.gates.open(t, "migrate-2-fails")
		s.declare(t, "version: 2")
		out := s.upFails(t)
		assert.Contains(t, out, "container work: exited with code 3")
		assert.Contains(t, out, "migrating 12 tables")
		assert.Contains(t, out, "FATAL: the table orders is locked")
		assert.Equal(t, []string{"migrate-2 began"}, done(t))
		assert.Equal(t, server, s.is(t, "deployment/store", ".metadata.generation"))
		assert.Equal(t, "1", s.is(t, "deployment/store", ".status.availableReplicas"))
		assert.Contains(t, s.kubectl(t, "logs", "job/store-migrate", "--container=work"), "FATAL: the table orders is locked", "its Job stays")
		assert.Empty(t, s.names(t, "serviceaccounts,configmaps"))
	})
	step(t, "the next up runs it again, and those of upgrades alone [H6]", func(t *testing.T) {
		s.gates.close(t, "migrate-2-fails")
		out := s.run(t, "preview", "--diff")
		assert.Contains(t, out, "Job "+s.space+"/store-migrate will run: the last run has failed.")
		assert.NotContains(t, out, "store-seed-a will run")
		s.up(t)
		assert.Equal(t, upgrade, done(t))
		s.previewEmpty(t)
	})
	step(t, "after one that fails after an upgrade, what has succeeded is not repeated [H6]", func(t *testing.T) {
		s.gates.open(t, "check-1-fails")
		s.declare(t, "version: 1")
		out := s.upFails(t)
		assert.Contains(t, out, "FATAL: the table orders is locked")
		assert.Equal(t, append(oneAfterTheOther("migrate-1", "server-1"), "check-1 began"), done(t))
		s.gates.close(t, "check-1-fails")
		s.up(t)
		assert.Equal(t, oneAfterTheOther("check-1"), done(t))
		s.previewEmpty(t)
	})
	step(t, "at the end, the pods of all that ran go with them [H6]", func(t *testing.T) {
		s.destroy(t)
		for _, pod := range s.names(t, "pods") {
			assert.Regexp(t, "^store-(backup|farewell)-", pod)
		}
	})
}

func TestTheHooksOfTheEndOfAChart(t *testing.T) {
	s := newStore(t)
	done := s.since()
	install := func(t *testing.T) {
		t.Helper()
		s.chart(t)
		s.declare(t, "version: 1")
		s.up(t)
		assert.Equal(t, installation, done(t))
	}
	step(t, "a version of the chart without them runs nothing [H7]", func(t *testing.T) {
		install(t)
		s.chart(t, "end.yaml")
		s.up(t)
		s.chart(t)
		s.up(t)
		assert.NotContains(t, done(t), "backup began")
	})
	step(t, "nor does one that skips hooks, at its end either [H7]", func(t *testing.T) {
		s.declare(t, "version: 1", "hooks: skip")
		s.up(t)
		assert.NotContains(t, done(t), "backup began")
		s.destroy(t)
		assert.Empty(t, done(t))
		assert.Empty(t, s.names(t, "jobs,deployments,serviceaccounts"))
	})
	step(t, "one that fails fails the destroy, with its log, and everything stays [H7]", func(t *testing.T) {
		install(t)
		s.gates.open(t, "backup-fails")
		out := s.fails(t, "destroy", "--yes", "--skip-preview")
		assert.Contains(t, out, "FATAL: the table orders is locked")
		assert.Contains(t, out, "forceDestroy")
		assert.Equal(t, []string{"backup began"}, done(t))
		assert.Equal(t, "1", s.is(t, "deployment/store", ".status.availableReplicas"))
		assert.Empty(t, s.names(t, "serviceaccounts"))
		s.gates.close(t, "backup-fails")
	})
	step(t, "the next destroy runs it again while all is there, and the last one when nothing is [H7]", func(t *testing.T) {
		s.declare(t, "version: 1, held: true") // The server waits for its gate, too.
		s.gates.open(t, "migrate-1", "server-1", "check-1")
		s.up(t)
		assert.Equal(t, oneAfterTheOther("migrate-1", "server-1", "check-1"), done(t))
		destroy := s.start(t, "destroy", "--yes", "--skip-preview")
		s.gates.began(t, destroy, "backup", 2)
		assert.Equal(t, "1", s.is(t, "deployment/store", ".status.availableReplicas"))
		assert.Empty(t, s.is(t, "deployment/store", ".metadata.deletionTimestamp"))
		s.gates.open(t, "backup")
		s.gates.began(t, destroy, "farewell", 1)
		assert.Empty(t, s.names(t, "deployments"))
		s.gates.open(t, "farewell")
		destroy.succeeds(t)
		assert.Equal(t, ending, done(t))
		assert.Equal(t, []string{"store-backup", "store-farewell"}, s.names(t, "jobs"), "their Jobs stay, and the others are gone")
		assert.Equal(t, "backup is done", s.kubectl(t, "logs", "job/store-backup"))
		assert.Empty(t, s.names(t, "serviceaccounts"))
	})
	step(t, "they run in an up that removes the chart from the program [H7]", func(t *testing.T) {
		install(t)
		s.program(t, "")
		s.up(t)
		assert.Equal(t, ending, done(t))
		assert.Empty(t, s.names(t, "deployments"))
	})
	step(t, "with forceDestroy everything goes although they fail [H7]", func(t *testing.T) {
		install(t)
		s.declare(t, "version: 1", "forceDestroy: true")
		s.up(t)
		s.gates.open(t, "backup-fails")
		assert.Contains(t, s.destroy(t), "FATAL: the table orders is locked")
		assert.Equal(t, append([]string{"backup began"}, oneAfterTheOther("farewell")...), done(t))
		assert.Empty(t, s.names(t, "deployments"))
	})
}

// TestAChartThatIsInterrupted interrupts each command in each of its pods, again and again.
func TestAChartThatIsInterrupted(t *testing.T) {
	s := newStore(t)
	done := s.since()
	next := 0
	// through runs a command until it is through, and interrupts it in each work.
	through := func(t *testing.T, command string, works ...string) {
		t.Helper()
		for _, work := range works {
			how := interruptions[next%len(interruptions)]
			next++
			t.Log(command+", in "+work+":", how.name)
			during := s.start(t, command, "--yes", "--skip-preview")
			s.gates.began(t, during, work, 1)
			how.now(t, s.stack, during)
			s.gates.open(t, work)
		}
		s.run(t, command, "--yes", "--skip-preview")
	}
	step(t, "an install goes on, and runs no hook twice [H14]", func(t *testing.T) {
		s.declare(t, "version: 1, held: true")
		through(t, "up", "schema", "migrate-1", "server-1", "seed-a", "seed-b", "check-1")
		assert.Equal(t, installation, done(t))
		assert.Empty(t, s.names(t, "serviceaccounts,configmaps"))
		s.previewEmpty(t)
	})
	step(t, "so does an upgrade [H14]", func(t *testing.T) {
		s.declare(t, "version: 2, held: true")
		through(t, "up", "migrate-2", "server-2", "check-2")
		assert.Equal(t, upgrade, done(t))
		assert.Empty(t, s.names(t, "serviceaccounts,configmaps"))
		s.previewEmpty(t)
	})
	step(t, "and so does a destroy [H14]", func(t *testing.T) {
		through(t, "destroy", "backup", "farewell")
		assert.Equal(t, ending, done(t))
		assert.Empty(t, s.names(t, "deployments,serviceaccounts"))
	})
}
