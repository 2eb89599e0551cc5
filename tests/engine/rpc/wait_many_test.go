package rpc_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// waitingForMany is what a program gives to a Wait for all ConfigMaps of team red.
func waitingForMany(w world, count any, waitFor any, more ...map[string]any) resource.PropertyMap {
	inputs := map[string]any{"selector": selecting(w, "ConfigMap"), "waitFor": waitFor}
	if count != nil {
		inputs["count"] = count
	}
	for _, m := range more {
		maps.Copy(inputs, m)
	}
	return resource.NewPropertyMapFromMap(inputs)
}

func selecting(w world, kind string) map[string]any {
	version := resources[kind].GroupVersion().String()
	return map[string]any{"apiVersion": version, "kind": kind, "namespace": w.namespace, "labelSelector": "team=red"}
}

// member makes one of the ConfigMaps.
func (w world) member(name string, data map[string]any) {
	w.t.Helper()
	object := w.configMap(name, data)
	object["metadata"].(map[string]any)["labels"] = map[string]any{"team": "red"}
	w.create(object)
}

// watchedAll says whether the objects were watched since now.
func (w world) watchedAll() func() bool {
	w.t.Helper()
	c := shared.Get(w.t)
	mark, err := c.AuditMark()
	require.NoError(w.t, err)
	return func() bool {
		all, err := c.RequestsSince(mark)
		require.NoError(w.t, err)
		return len(all.Where(func(r cluster.Request) bool {
			return r.Verb == "watch" && strings.Contains(r.URI, "labelSelector=") && strings.Contains(r.URI, w.namespace)
		})) > 0
	}
}

// beginMany starts something that waits for many objects, and returns when it watches them.
func (w world) beginMany(wait func() error) <-chan error {
	w.t.Helper()
	watched, done := w.watchedAll(), make(chan error, 1)
	go func() { done <- wait() }()
	eventually(w.t, watched, "they are watched")
	require.Empty(w.t, done, "they are still being waited for")
	return done
}

var (
	yes     = map[string]any{"ready": "yes"}
	isReady = map[string]any{"fieldValue": map[string]any{"data.ready": "yes"}}
)

func inTime(waitFor map[string]any, timeout string) map[string]any {
	waitFor = clone(waitFor)
	waitFor["timeout"] = timeout
	return waitFor
}

func TestAWaitForMany(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	becomesReady := func(w world, name string) { w.patch("ConfigMap", name, m{"data": yes}) }
	t.Run("ends when the last one is ready, with one list and one watch however many there are [R20]", func(t *testing.T) {
		t.Parallel()
		w, user := newWorld(t), newUser(t)
		for i := range 30 {
			w.member(fmt.Sprintf("m%d", i), yes)
		}
		w.member("late", nil)
		w.create(w.configMap("other", nil))
		take := requests(t, user)
		s := start(t, inline(user)).wait(t, "many")
		in := waitingForMany(w, m{"atLeast": 31}, inTime(isReady, longTime))
		done := w.beginMany(func() error { return s.create(in) })
		becomesReady(w, "late")
		require.NoError(t, ended(t, done))
		requireWaited(t, s)
		asked := tally(take())
		assert.Equal(t, []int{1, 1, 0}, []int{asked["LIST"], asked["WATCH"], asked["GET"]}, "%v", asked)
		assert.Equal(t, "v1/ConfigMap/"+w.namespace+"/team=red", string(s.id))
		assert.Nil(t, at(t, s.outputs, "status"))
		assert.Equal(t, "1", w.value("ConfigMap", "other", "data", "a"))
	})
	t.Run("counts as it is told to [R21]", func(t *testing.T) {
		t.Parallel()
		for what, c := range map[string]struct {
			count        m
			ready, still int
			says         string
		}{
			"all, and there are none":            {nil, 0, 0, "there are none"},
			"all, and one is not":                {m{"all": true}, 2, 1, "2 of 3 are as awaited"},
			"all, and all are":                   {m{"all": true}, 2, 0, ""},
			"all is the default":                 {nil, 2, 0, ""},
			"at least, and too few are":          {m{"atLeast": 3}, 2, 2, "2 of at least 3 are as awaited; 4 exist"},
			"at least, and others are not":       {m{"atLeast": 2}, 2, 2, ""},
			"at least, and more are":             {m{"atLeast": 2}, 3, 0, ""},
			"exactly, and as many are":           {m{"exactly": 2}, 2, 0, ""},
			"exactly, and there is another":      {m{"exactly": 2}, 2, 1, "2 of exactly 2 are as awaited; 3 exist, which is 1 too many"},
			"exactly, and there are too many":    {m{"exactly": 2}, 3, 0, "3 of exactly 2 are as awaited; 3 exist, which is 1 too many"},
			"exactly, and there are not so many": {m{"exactly": 3}, 2, 0, "2 of exactly 3 are as awaited; 2 exist"},
		} {
			t.Run(what, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				for i := range c.ready {
					w.member(fmt.Sprintf("ready%d", i), yes)
				}
				for i := range c.still {
					w.member(fmt.Sprintf("still%d", i), nil)
				}
				s := start(t, inline(newUser(t))).wait(t, "many")
				var count any
				if c.count != nil {
					count = c.count
				}
				err := s.create(waitingForMany(w, count, inTime(isReady, shortTime)))
				if c.says == "" {
					require.NoError(t, err)
					requireWaited(t, s)
					return
				}
				text := requireWaitPending(t, s, err)
				assert.Contains(t, text, "ConfigMap objects with team=red in namespace "+w.namespace+": timed out after 1s")
				assert.Contains(t, text, "[WaitTimedOut]")
				assert.Contains(t, text, "Seen last: "+c.says+".\n")
				if c.still > 0 {
					assert.Contains(t, text, "still0: data.ready is not set")
				}
				assert.Contains(t, text, "waits again, in place")
			})
		}
	})
	t.Run("continues in place, and is not run again when it has held [R22]", func(t *testing.T) {
		t.Parallel()
		w, user := newWorld(t), newUser(t)
		w.member("one", yes)
		w.member("two", nil)
		s := start(t, inline(user)).wait(t, "many")
		requireWaitPending(t, s, s.create(waitingForMany(w, nil, inTime(isReady, shortTime))))
		id, in := s.id, waitingForMany(w, nil, inTime(isReady, longTime))
		assert.Contains(t, looks(t, s), "1 of 2 are as awaited; two: data.ready is not set")
		s.initErrors = nil // a refresh by an engine that forgets them
		assert.Contains(t, s.mustDiff(in), "waitFor.timeout")
		done := w.beginMany(func() error { _, err := s.up(in); return err })
		becomesReady(w, "two")
		require.NoError(t, ended(t, done))
		requireWaited(t, s)
		assert.Equal(t, id, s.id)

		w.delete("ConfigMap", "one")
		w.member("three", nil)
		take := requests(t, user)
		outputs := s.outputs
		s.in(start(t, inline(user))).mustUp("same", in)
		s.mustRead().mustUp("same", in)
		assert.Equal(t, outputs, s.outputs)
		assert.Empty(t, take(), "nothing is asked about what is over")

		assert.Equal(t, m{"triggers": "add"}, anyOf(s.mustDiff(waitingForMany(w, nil, inTime(isReady, longTime), m{"triggers": []any{"2"}}))))
		assert.Equal(t, m{"count": "add"}, anyOf(s.mustDiff(waitingForMany(w, m{"atLeast": 1}, inTime(isReady, longTime)))))
	})
	t.Run("that is pending is settled by a look, with one list [R22]", func(t *testing.T) {
		t.Parallel()
		w, user := newWorld(t), newUser(t)
		w.member("one", nil)
		s := start(t, inline(user)).wait(t, "many")
		requireWaitPending(t, s, s.create(waitingForMany(w, m{"exactly": 1}, inTime(isReady, noTime))))
		becomesReady(w, "one")
		s.in(start(t, inline(user)))
		take := requests(t, user)
		assert.Empty(t, looks(t, s))
		assert.Equal(t, []string{"discovery v1", "LIST", clusterID}, take())
	})
	t.Run("for deletion waits until none is left [R23]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.member("one", nil)
		w.member("two", nil)
		s := start(t, inline(newUser(t))).wait(t, "many")
		in := waitingForMany(w, nil, m{"deleted": true, "timeout": shortTime})
		text := requireWaitPending(t, s, s.create(in))
		assert.Contains(t, text, "waiting for deletion of all")
		assert.Contains(t, text, "Seen last: 2 of them still exist.")
		assert.Contains(t, text, "one: it is still there, and nobody has deleted it")
		w.delete("ConfigMap", "one")
		assert.Contains(t, looks(t, s), "1 of them still exist")
		done := w.beginMany(func() error {
			_, err := s.up(waitingForMany(w, nil, m{"deleted": true, "timeout": longTime}))
			return err
		})
		w.delete("ConfigMap", "two")
		require.NoError(t, ended(t, done))
	})
	t.Run("takes objects as they come and go [R20]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.member("one", yes)
		w.member("two", yes)
		w.member("stray", nil)
		s := start(t, inline(newUser(t))).wait(t, "many")
		done := w.beginMany(func() error { return s.create(waitingForMany(w, m{"exactly": 3}, inTime(isReady, longTime))) })
		w.patch("ConfigMap", "stray", m{"metadata": m{"labels": m{"team": "blue"}}})
		w.delete("ConfigMap", "one")
		w.member("one", yes)
		w.member("three", yes)
		require.NoError(t, ended(t, done))
	})
	t.Run("is replaced when it selects others, and not when the inputs only say it otherwise [R24]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.member("one", yes)
		in := waitingForMany(w, nil, inTime(isReady, longTime))
		s := start(t, inline(newUser(t))).wait(t, "many").mustUp("create", in)
		with := func(key, value string) resource.PropertyMap {
			other := selecting(w, "ConfigMap")
			other[key] = value
			return waitingForMany(w, nil, inTime(isReady, longTime), m{"selector": other})
		}
		assert.Equal(t, map[string]string{"selector.labelSelector": "update-replace"}, s.mustDiff(with("labelSelector", "team=blue")))
		assert.Equal(t, map[string]string{"selector.namespace": "update-replace"}, s.mustDiff(with("namespace", "default")))
		assert.Equal(t, map[string]string{"selector": "delete-replace"}, s.mustDiff(waiting(refTo(w.configMap("one", nil)), isReady)))
		one := start(t, inline(newUser(t))).wait(t, "one").mustUp("create", waiting(refTo(w.configMap("one", nil)), isReady))
		assert.Equal(t, map[string]string{"selector": "add-replace"}, one.mustDiff(in))
	})
	t.Run("whose inputs are not known yet is planned without a request [R25]", func(t *testing.T) {
		t.Parallel()
		w, user := newWorld(t), newUser(t)
		take := requests(t, user)
		s := start(t, inline(user)).wait(t, "many")
		for _, in := range []resource.PropertyMap{
			waitingForMany(w, nil, isReady, m{"selector": resource.MakeComputed(resource.NewProperty(""))}),
			waitingForMany(w, m{"atLeast": resource.MakeComputed(resource.NewProperty(""))}, isReady),
			waitingForMany(w, resource.MakeComputed(resource.NewProperty("")), isReady),
			waitingForMany(w, m{"all": true}, resource.MakeComputed(resource.NewProperty(""))),
		} {
			did, outputs, err := s.preview(in)
			require.NoError(t, err)
			assert.Equal(t, "create", did)
			assert.Nil(t, at(t, outputs, "status"))
		}
		assert.Empty(t, take())
	})
}

// anyOf has the values of a diff in the form of a program's.
func anyOf(diff map[string]string) map[string]any {
	all := map[string]any{}
	for key, value := range diff {
		all[key] = value
	}
	return all
}

func TestAWaitForManyOfWhichOneFails(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	job := func(w world, name string) m {
		return object(t, `{apiVersion: batch/v1, kind: Job, metadata: {name: %s, namespace: %s, labels: {team: red}},
			spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: nginx}]}}}}`, name, w.namespace)
	}
	done := func(w world, name string) {
		w.report("Job", name, object(t, `{startTime: "2024-01-01T00:00:00Z", completionTime: "2024-01-01T00:00:01Z", succeeded: 1, conditions: [
			{type: SuccessCriteriaMet, status: "True", lastTransitionTime: "2024-01-01T00:00:01Z"},
			{type: Complete, status: "True", lastTransitionTime: "2024-01-01T00:00:01Z"}]}`))
	}
	failed := func(w world, name string) {
		w.report("Job", name, object(t, `{startTime: "2024-01-01T00:00:00Z", failed: 1, conditions: [
			{type: FailureTarget, status: "True", reason: BackoffLimitExceeded, message: it has reached the limit, lastTransitionTime: "2024-01-01T00:00:00Z"},
			{type: Failed, status: "True", reason: BackoffLimitExceeded, message: it has reached the limit, lastTransitionTime: "2024-01-01T00:00:00Z"}]}`))
	}
	jobs := func(w world, count m, waitFor m) resource.PropertyMap {
		return waitingForMany(w, count, waitFor, m{"selector": selecting(w, "Job")})
	}
	for what, count := range map[string]m{"all": {"all": true}, "exactly": {"exactly": 3}} {
		t.Run("fails at once: "+what+" [R26]", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for _, name := range []string{"a", "b", "c"} {
				w.create(job(w, name))
			}
			done(w, "a")
			s := start(t, inline(newUser(t))).wait(t, "many")
			running := w.beginMany(func() error { return s.create(jobs(w, count, m{"condition": "Complete", "timeout": longTime})) })
			failed(w, "b")
			text := requireWaitPending(t, s, ended(t, running))
			assert.Contains(t, text, "[WaitFailed]")
			assert.Contains(t, text, "waiting for condition Complete=True of "+map[string]string{"all": "all", "exactly": "exactly 3"}[what]+": b: condition Failed=True (BackoffLimitExceeded)")
			assert.Contains(t, text, "Seen last: 1 of ")
			assert.Contains(t, text, "    b: failed: condition Failed=True")
			assert.Contains(t, text, "    c: there is no condition Complete yet")
			assert.Contains(t, text, "kubectl delete job --namespace "+w.namespace+" b`")
			assert.Contains(t, looks(t, s), "waiting again fails at once")
		})
	}
	t.Run("goes on if others may take its place [R26]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		for _, name := range []string{"a", "b"} {
			w.create(job(w, name))
		}
		done(w, "a")
		failed(w, "b")
		s := start(t, inline(newUser(t))).wait(t, "many")
		running := w.beginMany(func() error {
			return s.create(jobs(w, m{"atLeast": 2}, m{"condition": "Complete", "timeout": longTime}))
		})
		w.create(job(w, "c"))
		done(w, "c")
		require.NoError(t, ended(t, running))
	})
	t.Run("warns, and goes on, if it may fail [R26]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(job(w, "a"))
		failed(w, "a")
		s := start(t, inline(newUser(t))).wait(t, "many")
		in := jobs(w, m{"all": true}, m{"ready": true})
		in["onFailure"] = resource.NewProperty("warn")
		require.NoError(t, s.create(in))
		assert.Contains(t, s.warned(), "a: condition Failed=True")
		assert.Contains(t, s.warned(), "onFailure")
		s.mustRead().mustUp("same", in)
	})
}

func TestAWaitForManyWithFewPermissions(t *testing.T) {
	t.Parallel()
	t.Run("without list it says which permission is missing, at once [R27]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.member("it", nil)
		s := start(t, inline(w.mayOnly("get"))).wait(t, "many")
		began := time.Now()
		text := requireWaitPending(t, s, s.create(waitingForMany(w, nil, inTime(isReady, longTime))))
		assert.Less(t, time.Since(began), 10*time.Second)
		assert.Contains(t, text, "cannot list ConfigMap objects with team=red in namespace "+w.namespace)
		assert.Contains(t, text, "may not list configmaps")
		assert.Contains(t, text, "kubectl auth can-i list configmaps --namespace "+w.namespace)
		assert.Contains(t, text, "[Forbidden]")
		assert.Contains(t, text, "waits again, in place")
		assert.Contains(t, looks(t, s), "could not be listed")
	})
	t.Run("without watch it lists once a second, and says so once [R27]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.member("it", nil)
		user := w.mayOnly("get", "list")
		counts := counted(t, user)
		s := start(t, inline(user)).wait(t, "many")
		done := make(chan error, 1)
		go func() { done <- s.create(waitingForMany(w, nil, inTime(isReady, longTime))) }()
		eventually(t, func() bool { return counts()["LIST"] >= 3 }, "they are listed again and again")
		require.Empty(t, done)
		assert.LessOrEqual(t, counts()["WATCH"], 1)
		w.patch("ConfigMap", "it", map[string]any{"data": yes})
		require.NoError(t, ended(t, done))
		assert.Equal(t, 1, strings.Count(s.process.log.all(), "may be listed but not watched"))
		assert.Contains(t, s.process.log.all(), `permission "watch"`)
	})
}

func TestSecretsOfAWaitForMany(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	t.Run("of Secrets nothing is shown but names [R28]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(object(t, `{apiVersion: v1, kind: Secret, metadata: {name: it, namespace: %s, labels: {team: red}}, stringData: {password: %s}}`, w.namespace, hush))
		for _, waitFor := range []m{
			{"fieldValue": m{"data.password": "other"}}, {"field": "data.a", "failWhen": "object.data.password != ''"},
		} {
			s := start(t, inline(newUser(t))).wait(t, "many")
			text := requireWaitPending(t, s, s.create(waitingForMany(w, nil, inTime(waitFor, shortTime), m{"selector": selecting(w, "Secret")})))
			for _, said := range []string{text, looks(t, s), s.process.log.all()} {
				assert.NotContains(t, said, "password")
				assert.NotContains(t, said, hush)
				assert.NotContains(t, said, "data.a")
			}
			assert.Contains(t, text, "it")
		}
	})
	t.Run("a secret selector is in no message and no ID [R28]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.member("it", nil)
		selector := selecting(w, "ConfigMap")
		selector["labelSelector"] = resource.MakeSecret(resource.NewProperty("team!=" + hush))
		s := start(t, inline(newUser(t))).wait(t, "many")
		text := requireWaitPending(t, s, s.create(waitingForMany(w, m{"exactly": 7}, inTime(isReady, shortTime), m{"selector": selector})))
		for _, said := range []string{text, looks(t, s), string(s.id), s.process.log.all()} {
			assert.NotContains(t, said, hush)
		}
		assert.Equal(t, "v1/ConfigMap/"+w.namespace+"/*", string(s.id))
	})
}
