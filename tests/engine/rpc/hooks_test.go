package rpc_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAHookKeepsItsName(t *testing.T) { // [H6]
	t.Parallel()
	w := newHookWorld(t)
	in := func(image string) resource.PropertyMap {
		return program(w.job("migrate", image), hookOf("shop", m{"deleteAfter": []any{"succeeded"}}))
	}
	s := w.start().task(t, "migrate").mustUp("create", in("shop:1"))
	first := w.get("Job", "migrate")
	annotations := first.GetAnnotations()
	assert.Regexp(t, `^migrate-[0-9a-f]{8}$`, annotations["k8sconnect.io/run"])
	assert.Equal(t, "shop", annotations["k8sconnect.io/release"])
	assert.EqualValues(t, 600, w.keptFor("migrate"))
	s.in(s.process.again(t)).mustUp("same", in("shop:1"))

	t.Run("and what an earlier run has left under it goes first", func(t *testing.T) {
		s.in(s.process.again(t)).mustUp("update", in("shop:2"))
		second := w.get("Job", "migrate")
		assert.NotEqual(t, first.GetUID(), second.GetUID())
		assert.NotEqual(t, annotations["k8sconnect.io/run"], second.GetAnnotations()["k8sconnect.io/run"])
		assert.Equal(t, 1, w.countJobs())
	})
	t.Run("in an earlier life of the resource, too", func(t *testing.T) {
		s.stored = stored{}
		s.in(s.process.again(t)).mustUp("create", in("shop:3"))
		assert.Equal(t, 1, w.countJobs())
		assert.Equal(t, 3, w.runs("migrate"))
		s.in(s.process.again(t)).mustUp("same", in("shop:3"))
	})
	t.Run("and goes with the resource", func(t *testing.T) {
		require.NoError(t, s.in(s.process.again(t)).destroy())
		assert.Equal(t, 0, w.countJobs())
	})
}

func TestWhatHasTheNameOfAHook(t *testing.T) {
	t.Parallel()
	ended, running := "shop:1", "held"
	for name, c := range map[string]struct {
		image       string
		annotations m
		takeOver    bool
		refused     string
	}{
		"a Job of others":                         {image: ended, refused: "exists already, and this release did not make it"},
		"a Job of others, at a take-over":         {image: ended, takeOver: true, refused: "exists already, and this release did not make it"},
		"one of helm's":                           {image: ended, annotations: m{"helm.sh/hook": "pre-upgrade"}, refused: "exists already"},
		"one of helm's, at a take-over":           {image: ended, annotations: m{"helm.sh/hook": "pre-upgrade"}, takeOver: true},
		"one of helm's that runs":                 {image: running, annotations: m{"helm.sh/hook": "pre-upgrade"}, takeOver: true, refused: "has not ended"},
		"one that only says that we have made it": {image: ended, annotations: m{"k8sconnect.io/task": "k8sconnect-a", "k8sconnect.io/release": "shop"}, refused: "exists already"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newHookWorld(t)
			theirs := w.job("migrate", "theirs:1")
			theirs["metadata"].(m)["annotations"] = c.annotations
			if c.image == running {
				w.hold("migrate")
			}
			before := w.create(theirs).GetUID()
			if c.image != running {
				w.finish("migrate")
			}
			s := w.start().task(t, "migrate")
			did, err := s.up(program(w.job("migrate", "shop:1"), hookOf("shop", m{"takeOver": c.takeOver}, m{"timeout": "10s", "with": []any{w.account("migrate")}})))
			assert.Equal(t, "create", did)
			if c.refused == "" {
				require.NoError(t, err)
				assert.NotEqual(t, before, w.get("Job", "migrate").GetUID())
				return
			}
			require.ErrorContains(t, err, c.refused)
			require.ErrorContains(t, err, "It was not touched")
			assert.Empty(t, s.id, "nothing has begun")
			assert.Equal(t, before, w.get("Job", "migrate").GetUID())
			assert.False(t, w.exists("ServiceAccount", "migrate"), "nothing is left of what it needs")
		})
	}
}

func TestWhatHasTheNameOfWhatATaskNeeds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		theirs, called string
		with           bool
	}{
		"an object of with":                {"ConfigMap", "script", true},
		"what is run, which needs nothing": {"Job", "migrate", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newHookWorld(t)
			more := hookOf("shop", nil)
			if c.with {
				more["with"] = []any{w.account("runner"), w.configMap("script", nil)}
			}
			w.create(w.configMap("script", nil))
			if c.theirs == "Job" {
				w.create(w.job("migrate", "theirs:1"))
			}
			s := w.start().task(t, "migrate")
			_, err := s.up(program(w.job("migrate", "shop:1"), more))
			require.ErrorContains(t, err, c.theirs+" "+w.namespace)
			require.ErrorContains(t, err, "exists already, and this release did not make it")
			assert.Empty(t, s.id, "nothing has begun")
			assert.False(t, w.exists("ServiceAccount", "runner"))
			assert.True(t, w.exists("ConfigMap", "script"))
			if c.theirs == "Job" {
				// A Job that is deleted before the controller has seen its pod leaves the next one of its name waiting for that pod
				// for five minutes.
				w.begins(c.called)
			}
			w.delete(c.theirs, c.called)
			s.mustUp("create", program(w.job("migrate", "shop:1"), more)).mustUp("same", program(w.job("migrate", "shop:1"), more))
		})
	}
}

func TestHooksOfOneRelease(t *testing.T) { // [H6]
	t.Parallel()
	w := newHookWorld(t)
	p := w.start()
	in := func(release string) resource.PropertyMap {
		return program(w.job("migrate", "shop:1"), hookOf(release, nil))
	}
	before := p.task(t, "pre-install").mustUp("create", in("shop"))
	first := w.get("Job", "migrate").GetUID()
	t.Run("replace what another one has left under the same name", func(t *testing.T) {
		after := p.task(t, "post-upgrade").mustUp("create", in("shop"))
		assert.NotEqual(t, first, w.get("Job", "migrate").GetUID())
		before.in(p.again(t)).mustUp("same", in("shop"))
		after.in(p.again(t)).mustUp("same", in("shop"))
		require.NoError(t, before.in(p.again(t)).destroy())
		assert.Equal(t, 1, w.countJobs(), "the Job of the other one is not its own")
	})
	t.Run("and nothing of another release", func(t *testing.T) {
		_, err := p.task(t, "other").up(in("other"))
		require.ErrorContains(t, err, "exists already, and this release did not make it")
	})
}

func TestHooksShareWhatIsThereForARunAlone(t *testing.T) { // [H6]
	t.Parallel()
	w := newHookWorld(t)
	p := w.start()
	shared := w.account("runner")
	shared["metadata"].(m)["finalizers"] = []any{"example.org/slow"}
	let := func() { w.patch("ServiceAccount", "runner", m{"metadata": m{"finalizers": nil}}) }
	for i, name := range []string{"first", "second", "third"} {
		done := make(chan error, 1)
		go func() {
			_, err := p.task(t, name).up(program(w.job(name, "shop:1"), hookOf("shop", nil, m{"with": []any{shared}})))
			done <- err
		}()
		if i > 0 {
			eventually(t, func() bool { return w.get("ServiceAccount", "runner").GetDeletionTimestamp() != nil }, "that of before is going")
			require.Zero(t, w.runs(name), "it waits for its own")
			let()
		}
		require.NoError(t, ended(t, done))
	}
	eventually(t, func() bool { return w.get("ServiceAccount", "runner").GetDeletionTimestamp() != nil }, "the last one goes, too")
	let()
	assert.Equal(t, []string{"first", "second", "third"}, w.inOrder())
}

func TestWhatStaysOfAHook(t *testing.T) { // [H6]
	t.Parallel()
	for name, c := range map[string]struct {
		deleteAfter []any
		image       string
		keptFor     any
	}{
		"that succeeded":                    {nil, "shop:1", nil},
		"that failed":                       {nil, "fails:1", nil},
		"hook-succeeded, and it did [D109]": {[]any{"succeeded"}, "shop:1", int64(600)},
		"hook-succeeded, and it failed":     {[]any{"succeeded"}, "fails:1", nil},
		"hook-failed, and it did":           {[]any{"failed"}, "fails:1", int64(600)},
		"hook-failed, and it succeeded":     {[]any{"failed"}, "shop:1", nil},
		"neither is kept, and it succeeded": {[]any{"succeeded", "failed"}, "shop:1", int64(600)},
		"neither is kept, and it failed":    {[]any{"succeeded", "failed"}, "fails:1", int64(600)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newHookWorld(t)
			hook := m{}
			if c.deleteAfter != nil {
				hook["deleteAfter"] = c.deleteAfter
			}
			_, err := w.start().task(t, "it").up(program(w.job("migrate", c.image), hookOf("shop", hook)))
			assert.Equal(t, c.image == "fails:1", err != nil)
			assert.Equal(t, c.keptFor, w.keptFor("migrate"))
		})
	}
}

func TestWhenAHookRuns(t *testing.T) { // [H6]
	t.Parallel()
	in := func(w *hookWorld, on string, image any) resource.PropertyMap {
		manifest := w.job("migrate", "shop:1")
		manifest["spec"].(m)["template"].(m)["spec"].(m)["containers"].([]any)[0].(m)["image"] = image
		return program(manifest, hookOf("shop", nil, m{"runOn": []any{on}}))
	}
	preview := func(t *testing.T, s *session, in resource.PropertyMap) string {
		t.Helper()
		p := s.process.again(t)
		s.in(p)
		_, _, err := s.preview(in)
		require.NoError(t, err)
		s.in(p.again(t))
		return p.log.all()
	}
	t.Run("of an installation, only then", func(t *testing.T) {
		t.Parallel()
		w := newHookWorld(t)
		s := w.start().task(t, "it")
		assert.Contains(t, preview(t, s, in(w, "create", "shop:1")), "Job "+w.namespace+"/migrate will run: it is new")
		s.mustUp("create", in(w, "create", "shop:1"))
		assert.NotContains(t, preview(t, s, in(w, "create", "shop:2")), "will run")
		assert.NotContains(t, preview(t, s, in(w, "create", unknown())), "will run")
		s.mustUp("update", in(w, "create", "shop:2"))
		assert.NotContains(t, preview(t, s, in(w, "create", "shop:2")), "will run")
		s.mustUp("same", in(w, "create", "shop:2"))
		assert.Equal(t, 1, w.runs("migrate"))
	})
	t.Run("of an upgrade, when it has changed", func(t *testing.T) {
		t.Parallel()
		w := newHookWorld(t)
		s := w.start().task(t, "it")
		assert.NotContains(t, preview(t, s, in(w, "update", "shop:1")), "will run")
		s.mustUp("create", in(w, "update", "shop:1"))
		s.in(s.process.again(t)).mustUp("same", in(w, "update", "shop:1"))
		assert.Equal(t, 0, w.countJobs())
		assert.Contains(t, preview(t, s, in(w, "update", "shop:2")), "will run: what it runs has changed")
		s.mustUp("update", in(w, "update", "shop:2"))
		assert.Equal(t, 1, w.runs("migrate"))
		s.in(s.process.again(t)).mustUp("same", in(w, "update", "shop:2"))
	})
	t.Run("that is not known in the preview and turns out the same, not", func(t *testing.T) {
		t.Parallel()
		w := newHookWorld(t)
		s := w.start().task(t, "it").mustUp("create", in(w, "update", "shop:1"))
		assert.Contains(t, preview(t, s, in(w, "update", unknown())), "will run: values of it are known only after the apply: manifest.spec.template.spec.containers[0].image")
		s.mustUp("same", in(w, "update", "shop:1"))
		assert.Equal(t, 0, w.countJobs())
	})
	t.Run("whose policies alone have changed, not", func(t *testing.T) {
		t.Parallel()
		w := newHookWorld(t)
		s := w.start().task(t, "it").mustUp("create", program(w.job("migrate", "shop:1"), hookOf("shop", nil)))
		changed := program(w.job("migrate", "shop:1"), hookOf("shop", m{"deleteAfter": []any{"succeeded"}}))
		assert.NotContains(t, preview(t, s, changed), "will run")
		s.mustUp("update", changed)
		s.in(s.process.again(t)).mustUp("same", changed)
		assert.Equal(t, 1, w.runs("migrate"))
	})
}

func TestHooksOfTwoReleasesWithTheSameNames(t *testing.T) {
	t.Parallel()
	one, two := newHookWorld(t), newHookWorld(t)
	p := one.start()
	for _, w := range []*hookWorld{one, two} {
		p.task(t, w.namespace).mustUp("create", program(w.job("migrate", "shop:1"), hookOf(w.namespace, nil, m{"with": []any{w.account("runner")}})))
		assert.Equal(t, 1, w.runs("migrate"))
	}
}

func TestAPodAsAHook(t *testing.T) { // [H6] [T11]
	t.Parallel()
	w := newHookWorld(t)
	pod := func(image string) resource.PropertyMap {
		return program(object(t, `{apiVersion: v1, kind: Pod, metadata: {name: smoke, namespace: %s}, spec: {restartPolicy: Never,
			terminationGracePeriodSeconds: 0, containers: [{name: main, image: "%s"}]}}`, w.namespace, image), hookOf("shop", nil))
	}
	s := w.start().task(t, "it").mustUp("create", pod("shop:1"))
	first := w.get("Pod", "smoke").GetUID()
	s.in(s.process.again(t)).mustUp("same", pod("shop:1"))
	s.mustUp("update", pod("shop:2"))
	assert.NotEqual(t, first, w.get("Pod", "smoke").GetUID())
	require.NoError(t, s.destroy())
	assert.False(t, w.exists("Pod", "smoke"))
}

func TestAHookRunsOnceInEachEventOfItsRelease(t *testing.T) { // [H6] [D90] [D99] [D100]
	t.Parallel()
	w := newHookWorld(t)
	event := func(number int, open, runs bool) m {
		return m{"event": m{"number": number, "open": open, "runs": runs, "unsure": false}}
	}
	in := func(image string, event m, more ...m) resource.PropertyMap {
		return program(w.job("migrate", image), hookOf("shop", event, more...))
	}
	s := w.start().task(t, "migrate").mustUp("create", in("shop:1", event(1, true, true)))
	first := w.get("Job", "migrate").GetUID()
	t.Run("what has succeeded does not run again", func(t *testing.T) {
		s.in(s.process.again(t)).mustUp("update", in("shop:2", event(1, true, true)))
		assert.Equal(t, 1, w.runs("migrate"))
		assert.Equal(t, first, w.get("Job", "migrate").GetUID())
	})
	t.Run("that it is over is no change", func(t *testing.T) {
		s.in(s.process.again(t)).mustUp("same", in("shop:2", event(1, false, false)))
		assert.Equal(t, 1, w.runs("migrate"))
	})
	t.Run("the next one is a change, also of nothing else", func(t *testing.T) {
		s.in(s.process.again(t)).mustUp("update", in("shop:2", event(2, true, true)))
		assert.Equal(t, 2, w.runs("migrate"))
		s.in(s.process.again(t)).mustUp("same", in("shop:2", event(2, true, true)))
	})
	t.Run("but not one of others", func(t *testing.T) {
		s.in(s.process.again(t)).mustUp("same", in("shop:2", event(3, true, false)))
		assert.Equal(t, 2, w.runs("migrate"))
	})
	t.Run("what has failed runs again, as long as it is one of the event", func(t *testing.T) {
		broken := s.process.again(t).task(t, "broken")
		_, err := broken.up(program(w.job("broken", "fails:1"), hookOf("shop", event(1, true, true))))
		require.Error(t, err)
		_, err = broken.in(broken.process.again(t)).up(program(w.job("broken", "fails:1"), hookOf("shop", event(1, true, true))))
		require.Error(t, err)
		assert.Equal(t, 2, w.runs("broken"))
		broken.in(broken.process.again(t)).mustUp("update", program(w.job("broken", "shop:1"), hookOf("shop", event(1, true, false))))
		assert.Equal(t, 2, w.runs("broken"))
	})
	t.Run("a new Task of a release that is there does not run", func(t *testing.T) {
		late := s.process.again(t).task(t, "late")
		late.mustUp("create", program(w.job("late", "shop:1"), hookOf("shop", event(1, false, false))))
		assert.Equal(t, 0, w.runs("late"))
	})
}
