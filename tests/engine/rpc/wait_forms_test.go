package rpc_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// budget is an object whose conditions carry their own observedGeneration.
func (w world) budget(t testing.TB, name string) map[string]any {
	t.Helper()
	return object(t, `{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: %s, namespace: %s},
		spec: {maxUnavailable: 1, selector: {matchLabels: {app: web}}}}`, name, w.namespace)
}

func TestEveryFormOfWaiting(t *testing.T) {
	t.Parallel()
	type form struct {
		object  func(w world) map[string]any
		waitFor map[string]any
		// nearly is what does not suffice yet, and missing what is said then; come true makes it hold.
		nearly, come func(w world)
		missing      string
		status       any
	}
	configMap := func(w world) map[string]any { return w.configMap("it", map[string]any{"a": ""}) }
	data := func(data map[string]any) func(world) {
		return func(w world) { w.patch("ConfigMap", "it", map[string]any{"data": data}) }
	}
	deployment := func(w world) map[string]any { return w.deployment(t, "it") }
	ready := func(status string) func(world) {
		return func(w world) {
			w.report("Deployment", "it", condition(t, "type: Available, status: "+status+", reason: Because, message: it is so"))
		}
	}
	for what, c := range map[string]form{
		"a field [W1]": {
			configMap, map[string]any{"field": "data.a"}, data(map[string]any{"a": ""}), data(map[string]any{"a": "x"}),
			"data.a is not set", map[string]any{"data": map[string]any{"a": "x"}},
		},
		"one value [W2]": {
			configMap, map[string]any{"fieldValue": map[string]any{"data.a": "x"}}, data(map[string]any{"a": "y"}), data(map[string]any{"a": "x"}),
			`data.a is "y", it should be "x"`, map[string]any{"data": map[string]any{"a": "x"}},
		},
		"several values, which must all be there [W2]": {
			configMap, map[string]any{"fieldValue": map[string]any{"data.a": "x", "data['b.c']": "y"}},
			data(map[string]any{"a": "x"}), data(map[string]any{"b.c": "y"}),
			`data['b.c'] is not set, it should be "y"`, map[string]any{"data": map[string]any{"a": "x", "b.c": "y"}},
		},
		"a number and a boolean, as they are written [W2]": {
			deployment, map[string]any{"fieldValue": map[string]any{"spec.replicas": 3.0, "spec.paused": true}},
			func(w world) { w.patch("Deployment", "it", map[string]any{"spec": map[string]any{"replicas": 3}}) },
			func(w world) { w.patch("Deployment", "it", map[string]any{"spec": map[string]any{"paused": true}}) },
			"spec.paused is not set", map[string]any{"spec": map[string]any{"replicas": 3.0, "paused": true}},
		},
		"a condition that is True [W3]": {
			deployment, map[string]any{"condition": "Available"}, ready(`"False"`), ready(`"True"`),
			"condition Available=False (Because): it is so", nil,
		},
		"a condition that is False [W3]": {
			deployment, map[string]any{"condition": "Available=False"}, ready(`"True"`), ready(`"False"`), "condition Available=True", nil,
		},
		"a condition that is Unknown [W3]": {
			deployment, map[string]any{"condition": "Available=Unknown"}, ready(`"True"`), ready(`"Unknown"`), "condition Available=True", nil,
		},
		"a condition, not by the state of an older generation of the object [W4]": {
			deployment, map[string]any{"condition": "Available"},
			func(w world) {
				w.patch("Deployment", "it", map[string]any{"spec": map[string]any{"replicas": 5}})
				status := condition(t, `type: Available, status: "True"`)
				status["observedGeneration"] = 1
				w.report("Deployment", "it", status)
			},
			func(w world) { w.report("Deployment", "it", map[string]any{"observedGeneration": 2}) },
			"condition Available=True is out of date: it is about generation 1, the object is at 2", nil,
		},
		"a condition, not by what it says itself of an older generation [W4]": {
			func(w world) map[string]any { return w.budget(t, "it") }, map[string]any{"condition": "DisruptionAllowed"},
			func(w world) {
				w.patch("PodDisruptionBudget", "it", map[string]any{"spec": map[string]any{"maxUnavailable": 2}})
				status := condition(t, `type: DisruptionAllowed, status: "True", reason: R, message: "", observedGeneration: 1`)
				status["observedGeneration"] = 2
				w.report("PodDisruptionBudget", "it", status)
			},
			func(w world) {
				w.report("PodDisruptionBudget", "it",
					condition(t, `type: DisruptionAllowed, status: "True", reason: R, message: "", observedGeneration: 2`))
			},
			"out of date", nil,
		},
		"an expression [W8]": {
			deployment, map[string]any{"expression": "object.status.readyReplicas >= 2"},
			func(w world) { w.report("Deployment", "it", map[string]any{"replicas": 2, "readyReplicas": 1}) },
			func(w world) { w.report("Deployment", "it", map[string]any{"readyReplicas": 2}) },
			"object.status.readyReplicas >= 2 is false", nil,
		},
		"deletion [W9]": {
			func(w world) map[string]any {
				held := configMap(w)
				held["metadata"].(map[string]any)["finalizers"] = []any{"example.com/hold"}
				return held
			},
			map[string]any{"deleted": true},
			func(w world) { w.delete("ConfigMap", "it") },
			func(w world) {
				w.patch("ConfigMap", "it", map[string]any{"metadata": map[string]any{"finalizers": nil}})
			},
			"held by the finalizers example.com/hold", nil,
		},
		"several forms at once": {
			deployment, map[string]any{"condition": "Available", "field": "status.readyReplicas"}, ready(`"True"`),
			func(w world) { w.report("Deployment", "it", map[string]any{"replicas": 1, "readyReplicas": 1}) },
			"status.readyReplicas is not set", map[string]any{"status": map[string]any{"readyReplicas": 1.0}},
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			p := start(t, inline(newUser(t)))
			manifest := c.object(w)
			w.create(manifest)
			looked, _ := failedWait(t, p.wait(t, "looked"), refTo(manifest), c.waitFor)
			inputs := clone(c.waitFor)
			inputs["timeout"] = longTime
			s, in := p.wait(t, "followed"), waiting(refTo(manifest), inputs)
			kind, _ := manifest["kind"].(string)
			uid := string(w.get(kind, "it").GetUID())

			done := w.begin("it", func() error { return s.create(in) })
			c.nearly(w)
			if why := looks(t, looked); assert.NotEmpty(t, why, "it does not hold yet") {
				assert.Contains(t, why, c.missing)
				assert.Contains(t, why, "the next `pulumi up` waits again, in place")
			}
			require.Empty(t, done, "it is still being waited for")
			c.come(w)
			require.NoError(t, ended(t, done))
			for _, s := range []*session{s, looked} {
				if s == looked {
					require.Empty(t, looks(t, s))
				}
				requireWaited(t, s)
				assert.Equal(t, c.status, at(t, s.outputs, "status"))
				if c.waitFor["deleted"] == nil {
					assert.Equal(t, uid, at(t, s.outputs, "__uid"))
				}
			}
			s.mustUp("same", in)
			assert.Empty(t, s.warned())
		})
	}
	t.Run("what holds already takes one look [W1] [W24]", func(t *testing.T) {
		t.Parallel()
		w, user := newWorld(t), newUser(t)
		w.create(w.configMap("it", nil))
		take := requests(t, user)
		start(t, inline(user)).wait(t, "it").mustUp("create", waiting(refTo(w.configMap("it", nil)), until("field", "data.a", longTime)))
		assert.Equal(t, []string{"discovery v1", "GET", clusterID}, take())
	})
	t.Run("the deletion of what is not there takes one look [W9]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		in := waiting(refTo(w.configMap("it", nil)), until("deleted", true, longTime))
		s := start(t, inline(newUser(t))).wait(t, "it").mustUp("create", in)
		requireWaited(t, s)
		s.mustRead().mustUp("same", in)
		kindless := map[string]any{"apiVersion": w.group() + "/v1", "kind": "Gadget", "namespace": w.namespace, "name": "it"}
		s.process.wait(t, "kindless").mustUp("create", waiting(kindless, until("deleted", true, longTime)))
	})
	t.Run("an object in the default namespace of the connection", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.configMap("it", nil))
		p := start(t, map[string]any{"kubeconfig": kubeconfig(newUser(t), w.namespace)})
		ref := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "name": "it"}
		s := p.wait(t, "it").mustUp("create", waiting(ref, until("field", "data.a", longTime)))
		assert.Equal(t, "1", at(t, s.outputs, "status.data.a"))
	})
}

// clone copies one level of a map.
func clone(m map[string]any) map[string]any {
	copied := map[string]any{}
	maps.Copy(copied, m)
	return copied
}

func TestRollouts(t *testing.T) {
	t.Parallel()
	workload := func(kind, spec string) func(w world) map[string]any {
		return func(w world) map[string]any {
			return object(t, `{apiVersion: apps/v1, kind: %s, metadata: {name: it, namespace: %s}, spec: {%s
				selector: {matchLabels: {app: web}},
				template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: nginx}]}}}}`, kind, w.namespace, spec)
		}
	}
	type step struct{ status, missing string }
	for what, c := range map[string]struct {
		object func(w world) map[string]any
		steps  []step // the last is complete
	}{
		"of a Deployment [W5]": {workload("Deployment", "replicas: 2,"), []step{
			{"{}", "spec update to be observed"},
			{"{observedGeneration: 1, replicas: 1, updatedReplicas: 1}", "1 out of 2 new replicas have been updated"},
			{"{replicas: 3, updatedReplicas: 2}", "1 old replicas are pending termination"},
			{"{replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 1}", "1 of 2 updated replicas are available"},
			{"{availableReplicas: 2}", ""},
		}},
		"of a Deployment with 0 replicas [W6]": {workload("Deployment", "replicas: 0,"), []step{
			{"{}", "spec update to be observed"}, {"{observedGeneration: 1}", ""},
		}},
		"of a StatefulSet [W5]": {workload("StatefulSet", "replicas: 2, serviceName: web,"), []step{
			{"{replicas: 0}", "spec update to be observed"},
			{"{observedGeneration: 1, replicas: 2, readyReplicas: 1}", "1 pods to be ready"},
			{"{readyReplicas: 2, updatedReplicas: 1}", "1 out of 2 new pods have been updated"},
			{"{updatedReplicas: 2}", ""},
		}},
		"of a StatefulSet with 0 replicas [W6]": {workload("StatefulSet", "replicas: 0, serviceName: web,"), []step{
			{"{replicas: 0}", "spec update to be observed"}, {"{observedGeneration: 1, replicas: 0}", ""},
		}},
		"of a StatefulSet with a partition, above which pods stay old [W5]": {
			workload("StatefulSet", "replicas: 3, serviceName: web, updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 2}},"), []step{
				{"{observedGeneration: 1, replicas: 3, readyReplicas: 3}", "0 out of 1 new pods have been updated"},
				{"{updatedReplicas: 1}", ""},
			},
		},
		"of a StatefulSet with OnDelete, for which all pods are ready [W5]": {
			workload("StatefulSet", "replicas: 2, serviceName: web, updateStrategy: {type: OnDelete},"), []step{
				{"{replicas: 0}", "spec update to be observed"},
				{"{observedGeneration: 1, replicas: 2, readyReplicas: 1}", "1 of 2 pods are ready"},
				{"{readyReplicas: 2}", ""},
			},
		},
		"of a DaemonSet [W5]": {workload("DaemonSet", ""), []step{
			{"{currentNumberScheduled: 0}", "spec update to be observed"},
			{"{observedGeneration: 1, desiredNumberScheduled: 3, updatedNumberScheduled: 2}", "2 out of 3 new pods have been updated"},
			{"{updatedNumberScheduled: 3, numberAvailable: 2}", "2 of 3 updated pods are available"},
			{"{numberAvailable: 3}", ""},
		}},
		"of a DaemonSet with OnDelete [W5]": {workload("DaemonSet", "updateStrategy: {type: OnDelete},"), []step{
			{"{observedGeneration: 1, desiredNumberScheduled: 2, numberAvailable: 1}", "1 of 2 pods are ready"},
			{"{numberAvailable: 2}", ""},
		}},
		"of a DaemonSet without a node for it [W6]": {workload("DaemonSet", ""), []step{
			{"{currentNumberScheduled: 0}", "spec update to be observed"}, {"{observedGeneration: 1}", ""},
		}},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			p := start(t, inline(newUser(t)))
			manifest := c.object(w)
			w.create(manifest)
			kind, _ := manifest["kind"].(string)
			looked, _ := failedWait(t, p.wait(t, "looked"), refTo(manifest), map[string]any{"rollout": true})
			s, in := p.wait(t, "followed"), waiting(refTo(manifest), until("rollout", true, longTime))
			done := w.begin("it", func() error { return s.create(in) })
			for _, step := range c.steps {
				require.Empty(t, done, "it is still being waited for")
				w.report(kind, "it", object(t, "%s", step.status))
				why := looks(t, looked)
				assert.Contains(t, why, step.missing)
				assert.Equal(t, step.missing == "", why == "", why)
			}
			require.NoError(t, ended(t, done))
			requireWaited(t, s)
			assert.Nil(t, at(t, s.outputs, "status"), "[W20]")
		})
	}
}

func TestABadWaitIsRefusedByCheck(t *testing.T) {
	t.Parallel()
	host, called := silence(t)
	p := start(t, map[string]any{"host": host, "token": "t"})
	ref := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "name": "it"}
	deployment := map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "name": "it"}
	for what, c := range map[string]struct {
		ref, waitFor any
		want         []problem
	}{
		"rollout of a kind that has none [W7]":       {ref, map[string]any{"rollout": true}, []problem{{"waitFor.rollout", "Deployment, StatefulSet and DaemonSet"}}},
		"rollout of a Job [W7]":                      {map[string]any{"apiVersion": "batch/v1", "kind": "Job", "name": "it"}, map[string]any{"rollout": true}, []problem{{"waitFor.rollout", "Job has no rollout"}}},
		"rollout of someone's own Deployment [W7]":   {map[string]any{"apiVersion": "x.io/v1", "kind": "Deployment", "name": "it"}, map[string]any{"rollout": true}, []problem{{"waitFor.rollout", "of apps"}}},
		"nothing to wait for [W10]":                  {ref, map[string]any{}, []problem{{"waitFor", "at least one of"}}},
		"no waitFor [W10]":                           {ref, nil, []problem{{"waitFor", "Say what to wait for"}}},
		"only a timeout [W10]":                       {ref, map[string]any{"timeout": "5m"}, []problem{{"waitFor", "at least one of"}}},
		"only failWhen [W10]":                        {ref, map[string]any{"failWhen": "false"}, []problem{{"waitFor", "at least one of"}}},
		"all that is given is switched off [W10]":    {deployment, map[string]any{"ready": false, "rollout": false, "deleted": false}, []problem{{"waitFor", "at least one of"}}},
		"readiness that is no yes or no [W31]":       {ref, map[string]any{"ready": "yes"}, []problem{{"waitFor.ready", "true or false"}}},
		"deletion and readiness [W31]":               {ref, map[string]any{"deleted": true, "ready": true}, []problem{{"waitFor.deleted", "gone"}}},
		"an empty field [W10]":                       {ref, map[string]any{"field": ""}, []problem{{"waitFor.field", "not empty"}}},
		"an empty fieldValue [W10]":                  {ref, map[string]any{"fieldValue": map[string]any{}}, []problem{{"waitFor.fieldValue", "map from paths"}}},
		"a text in place of waitFor":                 {ref, "Ready", []problem{{"waitFor", "must be an object"}}},
		"a timeout of zero [W11]":                    {ref, until("field", "data.a", "0s"), []problem{{"waitFor.timeout", "greater than zero"}}},
		"a negative timeout [W11]":                   {ref, until("field", "data.a", "-5m"), []problem{{"waitFor.timeout", "greater than zero"}}},
		"a timeout that is no duration [W11]":        {ref, until("field", "data.a", "soon"), []problem{{"waitFor.timeout", "no duration"}}},
		"a timeout without a unit [W11]":             {ref, until("field", "data.a", "30"), []problem{{"waitFor.timeout", "number with a unit"}}},
		"a number as timeout [W11]":                  {ref, map[string]any{"field": "data.a", "timeout": 30.0}, []problem{{"waitFor.timeout", "text with a unit"}}},
		"an empty timeout [W11]":                     {ref, until("field", "data.a", ""), []problem{{"waitFor.timeout", "no duration"}}},
		"a path that cannot be read":                 {ref, until("field", "data[", "5m"), []problem{{"waitFor.field", "data["}}},
		"a path among several that cannot be read":   {ref, map[string]any{"fieldValue": map[string]any{"data[": "x", "data.a": "y"}}, []problem{{`waitFor.fieldValue["data["]`, "data["}}},
		"an expression that cannot be read":          {ref, until("expression", "object.", "5m"), []problem{{"waitFor.expression", "Syntax error"}}},
		"an expression of a number":                  {ref, until("expression", "1 + 1", "5m"), []problem{{"waitFor.expression", "true or false"}}},
		"failWhen that cannot be read":               {ref, map[string]any{"field": "data.a", "failWhen": "nobody"}, []problem{{"waitFor.failWhen", "nobody"}}},
		"a condition of an unknown status":           {ref, until("condition", "Ready=Maybe", "5m"), []problem{{"waitFor.condition", "True, False or Unknown"}}},
		"deletion and a field":                       {ref, map[string]any{"deleted": true, "field": "data.a"}, []problem{{"waitFor.deleted", "gone"}}},
		"a key that does not exist":                  {ref, map[string]any{"conditions": "Ready"}, []problem{{"waitFor.conditions", "There is no"}}},
		"no reference":                               {nil, until("field", "data.a", "5m"), []problem{{"resourceRef", "Name the object"}}},
		"a reference without a name":                 {map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}, until("field", "data.a", "5m"), []problem{{"resourceRef.name", "must be set"}}},
		"an apiVersion without its version":          {map[string]any{"apiVersion": "apps/", "kind": "Deployment", "name": "it"}, until("field", "spec.a", "5m"), []problem{{"resourceRef.apiVersion", "must be a version"}}},
		"an apiVersion of three parts":               {map[string]any{"apiVersion": "apps/v1/x", "kind": "Deployment", "name": "it"}, until("field", "spec.a", "5m"), []problem{{"resourceRef.apiVersion", "must be a version"}}},
		"a reference with a key that does not exist": {map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "name": "it", "namespce": "x"}, until("field", "data.a", "5m"), []problem{{"resourceRef.namespce", "There is no"}}},
	} {
		t.Run(what, func(t *testing.T) {
			in := waiting(c.ref, c.waitFor)
			if c.waitFor == nil {
				delete(in, "waitFor")
			}
			if c.ref == nil {
				delete(in, "resourceRef")
			}
			_, err := p.wait(t, "it").check(in, true)
			requireProblems(t, err, c.want...)
		})
	}
	t.Run("an input that does not exist, and triggers that are no list", func(t *testing.T) {
		in := waiting(ref, until("field", "data.a", "5m"), map[string]any{"trigger": "x", "triggers": "x"})
		_, err := p.wait(t, "it").check(in, true)
		requireProblems(t, err, problem{"trigger", "There is no input"}, problem{"triggers", "must be a list"})
	})
	t.Run("and the network was not needed", func(t *testing.T) { assert.Zero(t, called()) })
}
