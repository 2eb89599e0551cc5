package releases_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
)

// sharing is a life whose release has a claim for the hooks of an event, which are those of this template, and upgrades of it.
type sharing struct {
	*life

	version string
}

func newSharing(t testing.TB) *sharing { return &sharing{life: newLife(t), version: "1"} }

const both = "pre-install,pre-upgrade"

// data is the claim that hooks share.
func data(events, policies string) string {
	return "---\n" + strings.NewReplacer("{{ .Release.Name }}-data", "data",
		" }\nspec", ", annotations: { "+strings.Join([]string{on(events), weighing(-5), deletedWhen(policies)}, ", ")+" } }\nspec").Replace(claim)
}

// declare declares a version of the chart. Each of its templates is a file of its own.
func (s *sharing) declare(templates ...string) {
	all := files{"templates/web.yaml": plain("ConfigMap", "web", "a: v"+s.version)}
	for i, text := range templates {
		all["templates/"+string(rune('a'+i))+".yaml"] = text
	}
	s.life.declare(program{"shop": s.release(s.chart("web", s.version+".0.0", all), nil)})
}

// found is the claim that a Job has found when it ran last.
func (s *sharing) found(job string) types.UID {
	s.Helper()
	object := existedAt(s.TB, s.runs(0), job).existed["PersistentVolumeClaim/data"]
	require.NotNil(s, object, "%s runs without the claim", job)
	return object.GetUID()
}

// changed are the names of the resources that an operation changes.
func changed(result engine.Result) (names []string) {
	for _, step := range result.Steps {
		if step.Op != "same" && step.Op != "refresh" && step.Op != "read" {
			names = append(names, step.URN.Name())
		}
	}
	return names
}

// isLeft reports whether the claim is there.
func (s *sharing) isLeft() bool {
	_, left := s.live(s.space)["PersistentVolumeClaim/data"]
	return left
}

func TestHooksOfOneEventShareAnObject(t *testing.T) { // [D93]
	for name, policies := range map[string]string{"hook-succeeded": "hook-succeeded", "and before-hook-creation": "before-hook-creation,hook-succeeded"} {
		t.Run(name, func(t *testing.T) {
			s := newSharing(t)
			first, second, third := hookOf("first", "hook:1", "", on(both), weighing(1)), hookOf("second", "hook:1", "", on(both), weighing(2)), hookOf("third", "hook:1", "", on(both), weighing(3))
			var installed types.UID
			for _, version := range []string{"1", "2"} {
				s.version = version
				s.declare(data(both, policies), first, second, third)
				s.up(engine.Options{})
				assert.Equal(t, s.found("first"), s.found("second"), "the second hook finds another claim than the first one has filled")
				assert.Equal(t, s.found("first"), s.found("third"), "the third one does")
				assert.NotEqual(t, installed, s.found("first"), "each event has its own")
				assert.False(t, s.isLeft(), "the last hook removes it")
				installed = s.found("first")
				s.up(engine.Options{ExpectNoChanges: true})
			}
			assert.Equal(t, []string{"first", "second", "third", "first", "second", "third"}, jobs(s.runs(0)))
		})
	}
}

func TestHooksBeforeAndAfterTheObjectsShareNothing(t *testing.T) { // [D93]
	s := newSharing(t)
	s.declare(data("pre-install,post-install", "hook-succeeded"), hookOf("first", "hook:1", "", on("pre-install")), hookOf("second", "hook:1", "", on("post-install")))
	s.up(engine.Options{})
	assert.NotEqual(t, s.found("first"), s.found("second"), "with Helm, each of the two events has its own")
	assert.False(t, s.isLeft())
}

func TestAnUpgradeRunsSomeOfTheHooksThatShareAnObject(t *testing.T) { // [D93]
	s := newSharing(t)
	for _, version := range []string{"1", "2"} {
		s.version = version
		s.declare(data(both, "hook-succeeded"), hookOf("first", "hook:1", "", on("pre-install"), weighing(1)),
			hookOf("second", "hook:1", "", on(both), weighing(2)), hookOf("third", "hook:1", "", on("pre-install"), weighing(3)))
		if version == "2" {
			changes := changed(s.succeeds(engine.Preview, engine.Options{}))
			assert.NotContains(t, changes, "shop:batch/Job.first", "one of installs has nothing to do")
			assert.NotContains(t, changes, "shop:batch/Job.third", "nor has the other one")
		}
		s.up(engine.Options{})
		assert.False(t, s.isLeft())
	}
	assert.Equal(t, []string{"first", "second", "third", "second"}, jobs(s.runs(0)))
}

func TestAnEventGoesOnWithWhatItsHooksShare(t *testing.T) { // [D93]
	first := hookOf("first", "hook:1", "", on(both), weighing(1))
	second := func(image string) string { return hookOf("second", image, "", on(both), weighing(2)) }
	begun := func(t testing.TB) *sharing {
		s := newSharing(t)
		s.declare(data(both, "hook-succeeded"), first, second("fails:1"))
		s.fails(engine.Up, engine.Options{})
		require.True(t, s.isLeft(), "the hook that has failed leaves what the first one has filled")
		return s
	}
	t.Run("when the hook that has failed is repaired", func(t *testing.T) {
		s := begun(t)
		s.fails(engine.Up, engine.Options{})
		s.declare(data(both, "hook-succeeded"), first, second("hook:1"))
		s.up(engine.Options{})
		assert.Equal(t, []string{"first", "second (failed)", "second (failed)", "second"}, jobs(s.runs(0)))
		assert.Equal(t, s.found("first"), s.found("second"), "the second hook finds another claim than the first one has filled")
		assert.False(t, s.isLeft())
		s.up(engine.Options{ExpectNoChanges: true})
	})
	t.Run("when a new hook comes in front of the one that has failed", func(t *testing.T) {
		s := newSharing(t)
		s.declare(data(both, "hook-succeeded"), second("fails:1"))
		s.fails(engine.Up, engine.Options{})
		s.declare(data(both, "hook-succeeded"), first, second("hook:1"))
		s.up(engine.Options{})
		assert.Equal(t, []string{"second (failed)", "first", "second"}, jobs(s.runs(0)))
		assert.Equal(t, s.found("first"), s.found("second"), "the second hook finds another claim than the first one has filled")
		assert.False(t, s.isLeft())
		s.up(engine.Options{ExpectNoChanges: true})
	})
	t.Run("when it leaves the chart, without it", func(t *testing.T) {
		s := begun(t)
		s.declare(data(both, "hook-succeeded"), first)
		s.up(engine.Options{})
		assert.False(t, s.isLeft())
		s.up(engine.Options{ExpectNoChanges: true})
	})
	t.Run("when the claim leaves the chart, without it", func(t *testing.T) {
		s := begun(t)
		s.declare(first, second("hook:1"))
		s.up(engine.Options{})
		assert.False(t, s.isLeft())
	})
	t.Run("when the claim is another one, with that one", func(t *testing.T) {
		s := begun(t)
		s.declare(strings.Replace(data(both, "hook-succeeded"), "1Gi", "2Gi", 1), first, second("hook:1"))
		s.up(engine.Options{})
		assert.NotEqual(t, s.found("first"), s.found("second"))
		assert.False(t, s.isLeft())
	})
	t.Run("when the hooks have another order", func(t *testing.T) {
		s := begun(t)
		s.declare(data(both, "hook-succeeded"), first, hookOf("second", "hook:1", "", on(both), weighing(0)))
		s.up(engine.Options{})
		assert.Equal(t, s.found("first"), s.found("second"))
		assert.False(t, s.isLeft())
		s.up(engine.Options{ExpectNoChanges: true})
	})
	t.Run("when one of them has run before the others", func(t *testing.T) {
		s := newSharing(t)
		s.declare(data(both, "hook-succeeded"), first, second("hook:1"))
		s.up(engine.Options{})
		s.version = "2"
		s.declare(data(both, "hook-succeeded"), first, second("hook:1"))
		s.up(engine.Options{Targets: []string{s.urn("ChartRecord::shop"), s.urn("Job.second")}})
		s.up(engine.Options{})
		assert.Equal(t, []string{"first", "second", "second", "first"}, jobs(s.runs(0)))
		assert.False(t, s.isLeft())
		s.up(engine.Options{ExpectNoChanges: true})
	})
	t.Run("until the release is destroyed", func(t *testing.T) {
		s := begun(t)
		s.succeeds(engine.Destroy, engine.Options{})
		assert.False(t, s.isLeft())
	})
	t.Run("when it was killed between them", func(t *testing.T) {
		s := newSharing(t)
		s.declare(data(both, "hook-succeeded"), first, second("hook:1"))
		s.killedBefore("/Create", "Job.second")
		require.True(t, s.isLeft())
		s.up(engine.Options{})
		assert.Equal(t, []string{"first", "second"}, jobs(s.runs(0)))
		assert.Equal(t, s.found("first"), s.found("second"))
		assert.False(t, s.isLeft())
	})
	t.Run("when it was killed between them, until the release is destroyed", func(t *testing.T) {
		s := newSharing(t)
		s.declare(data(both, "hook-succeeded"), first, second("hook:1"))
		s.killedBefore("/Create", "Job.second")
		s.succeeds(engine.Destroy, engine.Options{})
		assert.False(t, s.isLeft())
	})
}

func TestAHookInFrontOfThoseThatAreDone(t *testing.T) { // [D93]
	s := newSharing(t)
	first, second := hookOf("first", "hook:1", "", on(both), weighing(1)), hookOf("second", "hook:1", "", on(both), weighing(2))
	s.declare(data(both, "hook-succeeded"), first, second, hookOf("third", "fails:1", "", on("post-install")))
	s.fails(engine.Up, engine.Options{})
	require.False(t, s.isLeft(), "the hooks that need it are done")
	assert.NotContains(t, changed(s.succeeds(engine.Preview, engine.Options{})), "shop:batch/Job.second", "there is nothing to do for them")
	s.declare(data(both, "hook-succeeded"), hookOf("new", "hook:1", "", on(both), weighing(0)), first, second, hookOf("third", "hook:1", "", on("post-install")))
	s.up(engine.Options{})
	assert.Equal(t, []string{"first", "second", "third (failed)", "new", "third"}, jobs(s.runs(0)))
	s.found("new")
	assert.False(t, s.isLeft(), "nobody removes what the new one has made")
	s.up(engine.Options{ExpectNoChanges: true})
}

func TestAnotherEventTakesThePlaceOfOneThatHasFailed(t *testing.T) { // [D93]
	s := newSharing(t)
	hooks := func(second string) []string {
		return []string{data(both, "hook-succeeded"), hookOf("first", "hook:1", "", on(both), weighing(1)), hookOf("second", second, "", on(both), weighing(2))}
	}
	s.declare(hooks("hook:1")...)
	s.up(engine.Options{})
	s.version = "2"
	s.declare(hooks("fails:1")...)
	s.fails(engine.Up, engine.Options{})
	failed := s.found("second")
	t.Run("with hooks that need the object", func(t *testing.T) {
		s.version = "3"
		s.declare(hooks("fails:1")...)
		s.fails(engine.Up, engine.Options{})
		assert.Equal(t, s.found("first"), s.found("second"))
		assert.NotEqual(t, failed, s.found("first"), "an upgrade that begins has a claim of its own")
	})
	t.Run("with none", func(t *testing.T) {
		s.version = "4"
		s.declare(data("pre-install", "hook-succeeded"), hookOf("first", "hook:1", "", on("pre-install"), weighing(1)))
		s.up(engine.Options{})
		assert.False(t, s.isLeft())
		s.up(engine.Options{ExpectNoChanges: true})
	})
}
