package rpc_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhenAWaitWaitsAgain(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	t.Run("when waitFor, its timeout or its form changes [W21]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.deployment(t, "it"))
		w.report("Deployment", "it", condition(t, `type: Available, status: "True"`))
		ref := refTo(w.deployment(t, "it"))
		s := start(t, inline(newUser(t))).wait(t, "it").mustUp("create", waiting(ref, m{"field": "spec.replicas"}))
		id := s.id
		for _, change := range []struct {
			waitFor m
			diff    map[string]string
			status  any
		}{
			{m{"field": "spec.paused"}, map[string]string{"waitFor.field": "update"}, nil},
			{m{"field": "spec.selector.matchLabels"}, map[string]string{"waitFor.field": "update"}, m{"spec": m{"selector": m{"matchLabels": m{"app": "web"}}}}},
			{m{"field": "spec.selector.matchLabels", "timeout": "5m"}, map[string]string{"waitFor.timeout": "add"}, m{"spec": m{"selector": m{"matchLabels": m{"app": "web"}}}}},
			{m{"fieldValue": m{"spec.replicas": "2"}, "timeout": "4m"},
				map[string]string{"waitFor.field": "delete", "waitFor.fieldValue": "add", "waitFor.timeout": "update"}, m{"spec": m{"replicas": 2.0}}},
			{m{"condition": "Available"}, map[string]string{"waitFor.fieldValue": "delete", "waitFor.timeout": "delete", "waitFor.condition": "add"}, nil},
			{m{"expression": "true"}, map[string]string{"waitFor.condition": "delete", "waitFor.expression": "add"}, nil},
			{m{"field": "metadata.name"}, map[string]string{"waitFor.expression": "delete", "waitFor.field": "add"}, m{"metadata": m{"name": "it"}}},
		} {
			in := waiting(ref, change.waitFor)
			assert.Equal(t, change.diff, s.mustDiff(in))
			_, outputs, err := s.preview(in)
			require.NoError(t, err)
			if change.waitFor["field"] == nil && change.waitFor["fieldValue"] == nil {
				assert.Nil(t, at(t, outputs, "status"))
			} else {
				assert.Equal(t, unknownText, at(t, outputs, "status"))
			}
			if change.waitFor["field"] == "spec.paused" {
				w.patch("Deployment", "it", m{"spec": m{"paused": true}})
				change.status = m{"spec": m{"paused": true}}
			}
			s.mustUp("update", in)
			assert.Equal(t, change.status, at(t, s.outputs, "status"))
			assert.Equal(t, id, s.id)
			s.mustUp("same", in)
		}
	})
	t.Run("when triggers change [W23]", func(t *testing.T) {
		t.Parallel()
		w, user := newWorld(t), newUser(t)
		w.create(w.configMap("it", nil))
		with := func(triggers ...any) resource.PropertyMap {
			in := waiting(refTo(w.configMap("it", nil)), m{"expression": "has(object.data.a)"})
			if triggers != nil {
				in["triggers"] = resource.NewPropertyValue(triggers)
			}
			return in
		}
		s := start(t, inline(user)).wait(t, "it").mustUp("create", with())
		take := requests(t, user)
		s.refresh = false
		for _, change := range []struct {
			triggers []any
			diff     map[string]string
		}{
			{[]any{"1"}, map[string]string{"triggers": "add"}},
			{[]any{"1", m{"a": 2.0}}, map[string]string{"triggers[1]": "add"}},
			{[]any{"1", m{"a": 3.0}}, map[string]string{"triggers[1].a": "update"}},
			{[]any{secret(hush), m{"a": 3.0}}, map[string]string{"triggers[0]": "update"}},
			{nil, map[string]string{"triggers": "delete"}},
		} {
			in := with(change.triggers...)
			assert.Equal(t, change.diff, s.mustDiff(in))
			s.mustUp("update", in)
			assert.Equal(t, []string{"GET"}, take(), "it looked again")
			s.refresh = false
			s.mustUp("same", in)
			assert.Empty(t, take())
			requireHidden(t, s)
			s.refresh = false
		}
		diff := s.mustDiff(with(unknown()))
		assert.Equal(t, map[string]string{"triggers": "add"}, diff)
		assert.Empty(t, take())
	})
	t.Run("when we changed the object, and not when a controller did [W22]", func(t *testing.T) {
		t.Parallel()
		w, user := newWorld(t), newUser(t)
		p := start(t, inline(user))
		take := requests(t, user)
		object, s := p.resource(t, "web"), p.wait(t, "web")
		object.mustUp("create", program(w.deployment(t, "web")))
		complete := func(generation float64, replicas float64) {
			w.report("Deployment", "web", m{
				"observedGeneration": generation, "replicas": replicas, "updatedReplicas": replicas, "availableReplicas": replicas, "readyReplicas": replicas,
			})
		}
		complete(1, 2)
		in := func() resource.PropertyMap {
			return waiting(object.outputs["resourceRef"], m{"rollout": true, "timeout": longTime})
		}
		s.mustUp("create", in())
		assert.EqualValues(t, w.get("Deployment", "web").GetUID(), at(t, s.outputs, "__uid"))
		before := in()

		// A controller: the status, an annotation, a field that we do not manage.
		w.report("Deployment", "web", m{"readyReplicas": 0, "availableReplicas": 0, "unavailableReplicas": 2})
		w.patch("Deployment", "web", m{"metadata": m{"annotations": m{"deployment.kubernetes.io/revision": "2"}}, "spec": m{"minReadySeconds": 3}})
		object.mustUp("same", program(w.deployment(t, "web")))
		assert.Equal(t, before, in())
		take()
		s.mustUp("same", in())
		assert.Equal(t, []string{"GET"}, take())

		changed := with(t, program(w.deployment(t, "web")), "manifest.spec.replicas", 3)
		_, planned, err := object.preview(changed)
		require.NoError(t, err)
		assert.Equal(t, "update", first(s.preview(waiting(planned["resourceRef"], m{"rollout": true, "timeout": longTime}))), "the preview says so")
		object.mustUp("update", changed)
		assert.Equal(t, map[string]string{"resourceRef.revision": "update"}, s.mustDiff(in()))
		done := w.begin("web", func() error { _, err := s.up(in()); return err })
		complete(float64(w.get("Deployment", "web").GetGeneration()), 3)
		require.NoError(t, ended(t, done))
		s.mustUp("same", in())
	})
	t.Run("when the object was put right, and not when a controller wrote [D10] [W22]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		p := start(t, inline(newUser(t)))
		object, s := p.resource(t, "settings"), p.wait(t, "settings")
		in := program(w.configMap("settings", nil))
		object.mustUp("create", in)
		waits := func() resource.PropertyMap {
			return waiting(object.outputs["resourceRef"], m{"field": "data.a", "timeout": longTime})
		}
		s.mustUp("create", waits())
		revision := at(t, object.outputs, "resourceRef.revision")

		w.patch("ConfigMap", "settings", m{"data": m{"a": "drift"}})
		did, planned, err := object.preview(in)
		require.NoError(t, err)
		require.Equal(t, "update", did)
		assert.NotEqual(t, revision, at(t, planned, "resourceRef.revision"))
		object.mustUp("update", in)
		assert.Equal(t, at(t, planned, "resourceRef.revision"), at(t, object.outputs, "resourceRef.revision"),
			"the preview knows it: an unknown member makes all of the reference unknown in most languages")
		s.mustUp("update", waits())

		w.patch("ConfigMap", "settings", m{"metadata": m{"annotations": m{"note": "by a controller"}}})
		object.mustUp("same", in)
		s.mustUp("same", waits())
	})
	t.Run("when the object was re-created", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		p := start(t, inline(newUser(t)))
		object, s := p.resource(t, "it"), p.wait(t, "it")
		manifest := program(w.configMap("it", nil))
		object.mustUp("create", manifest)
		in := func() resource.PropertyMap { return waiting(object.outputs["resourceRef"], m{"field": "metadata.uid"}) }
		s.mustUp("create", in())
		require.NoError(t, object.destroy())
		object.mustUp("create", manifest)
		did, err := s.up(in())
		require.NoError(t, err)
		assert.Equal(t, "create", did, "the read before it found the old one gone")
		assert.Equal(t, at(t, object.outputs, "resourceRef.uid"), at(t, s.outputs, "status.metadata.uid"))
	})
}

func TestWhatChangesAWaitAndWhatReplacesIt(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	host, called := silence(t)
	p := start(t, m{"host": host, "token": "t"})
	ref := m{"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "prod", "name": "web", "uid": "u1", "revision": "r1"}
	waitFor := m{"condition": "Available"}
	s := p.wait(t, "it")
	checked, err := s.check(waiting(ref, waitFor), false)
	require.NoError(t, err)
	s.stored = stored{"apps/v1/Deployment/prod/web", checked, resource.NewPropertyMapFromMap(m{"status": nil, "__uid": "u1"}), nil, false}
	but := func(changes ...any) m {
		changed := clone(ref)
		for i := 0; i < len(changes); i += 2 {
			key, _ := changes[i].(string)
			if changed[key] = changes[i+1]; changes[i+1] == nil {
				delete(changed, key)
			}
		}
		return changed
	}
	for what, c := range map[string]struct {
		in   resource.PropertyMap
		want map[string]string
	}{
		"nothing":                             {waiting(ref, waitFor), map[string]string{}},
		"another name":                        {waiting(but("name", "api"), waitFor), map[string]string{"resourceRef.name": "update-replace"}},
		"another namespace":                   {waiting(but("namespace", "test"), waitFor), map[string]string{"resourceRef.namespace": "update-replace"}},
		"another kind":                        {waiting(but("kind", "StatefulSet"), waitFor), map[string]string{"resourceRef.kind": "update-replace"}},
		"another group":                       {waiting(but("apiVersion", "x.io/v1"), waitFor), map[string]string{"resourceRef.apiVersion": "update-replace"}},
		"another version of the group":        {waiting(but("apiVersion", "apps/v2"), waitFor), map[string]string{"resourceRef.apiVersion": "update"}},
		"another uid":                         {waiting(but("uid", "u2"), waitFor), map[string]string{"resourceRef.uid": "update"}},
		"another revision":                    {waiting(but("revision", "r2"), waitFor), map[string]string{"resourceRef.revision": "update"}},
		"another name and a revision":         {waiting(but("name", "api", "revision", "r2"), waitFor), map[string]string{"resourceRef.name": "update-replace"}},
		"a reference that is unknown":         {waiting(unknown(), waitFor), map[string]string{"resourceRef": "update"}},
		"a secret reference that is unknown":  {waiting(resource.MakeSecret(unknown()), waitFor), map[string]string{"resourceRef": "update"}},
		"a name that is unknown":              {waiting(but("name", unknown()), waitFor), map[string]string{"resourceRef.name": "update"}},
		"a uid and a revision that are":       {waiting(but("uid", unknown(), "revision", unknown()), waitFor), map[string]string{"resourceRef.uid": "update", "resourceRef.revision": "update"}},
		"a waitFor that is unknown":           {waiting(ref, unknown()), map[string]string{"waitFor": "update"}},
		"a condition that is unknown":         {waiting(ref, m{"condition": unknown()}), map[string]string{"waitFor.condition": "update"}},
		"only the credentials":                {waiting(ref, waitFor, m{"clusterConnection": m{"host": host, "token": "fresh"}}), map[string]string{}},
		"only the credentials, unknown":       {waiting(ref, waitFor, m{"clusterConnection": m{"host": host, "token": unknown()}}), map[string]string{}},
		"only the connection, unknown":        {waiting(ref, waitFor, m{"clusterConnection": unknown()}), map[string]string{}},
		"credentials and the condition":       {waiting(ref, m{"condition": "Ready"}, m{"clusterConnection": m{"host": host, "token": "fresh"}}), map[string]string{"waitFor.condition": "update"}},
		"a namespace in place of the default": {waiting(but("namespace", nil), waitFor), map[string]string{"resourceRef.namespace": "update-replace"}},
		"a reference that becomes secret":     {waiting(resource.MakeSecret(resource.NewPropertyValue(ref)), waitFor), map[string]string{"resourceRef": "update"}},
	} {
		t.Run(what, func(t *testing.T) {
			diff, err := s.diff(c.in)
			require.NoError(t, err)
			assert.Equal(t, c.want, kinds(t, diff))
			assert.False(t, diff.DeleteBeforeReplace, "there is nothing that could be in the way")
		})
	}
	t.Run("an identity that becomes known only with the connection of another cluster is a warning", func(t *testing.T) {
		other := *s
		other.in(start(t, m{"host": host, "token": "t"}))
		assert.Empty(t, other.mustDiff(waiting(ref, waitFor, m{"clusterConnection": m{"host": closedHost(t), "token": "t"}})))
		assert.Contains(t, other.warned(), "another cluster")
	})
	t.Run("a pending wait has changes and says where", func(t *testing.T) {
		other := *s
		other.outputs = resource.NewPropertyMapFromMap(m{"status": nil, "__pendingWait": true})
		assert.Equal(t, map[string]string{"__pendingWait": "update"}, other.mustDiff(waiting(ref, waitFor)))
		assert.Equal(t, map[string]string{"resourceRef.uid": "update"}, other.mustDiff(waiting(but("uid", "u2"), waitFor)))
		assert.Equal(t, map[string]string{"resourceRef.name": "update-replace"}, other.mustDiff(waiting(but("name", "api"), waitFor)))
	})
	t.Run("the state of another version always decodes", func(t *testing.T) {
		for _, outputs := range []m{
			{}, {"status": nil}, {"unknown": m{"a": []any{1.0}}, "status": "text"}, {"__uid": 5.0, "__pendingWait": "yes"},
		} {
			other := *s
			other.outputs = resource.NewPropertyMapFromMap(outputs)
			assert.Empty(t, other.mustDiff(waiting(ref, waitFor)), outputs)
			require.NoError(t, other.destroy(), outputs)
		}
	})
	t.Run("import and .get are refused with the reason", func(t *testing.T) {
		fresh := p.wait(t, "imported")
		err := fresh.importID("apps/v1/Deployment/prod/web")
		require.ErrorContains(t, err, "a Wait cannot be imported: nothing in the cluster records that a wait has completed")
		assert.ErrorContains(t, err, "Write it into the program")
		assert.Empty(t, fresh.id)
	})
	t.Run("a destroy makes no request", func(t *testing.T) {
		other := *s
		require.NoError(t, other.destroy())
	})
	t.Run("and none of it needed the network", func(t *testing.T) { assert.Zero(t, called()) })
}

func TestAPreviewOfAWaitMakesNoRequest(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	host, called := silence(t)
	p := start(t, m{"host": host, "token": "t"})
	ref := m{"apiVersion": "v1", "kind": "ConfigMap", "namespace": "prod", "name": "web"}
	partly := clone(ref)
	partly["uid"], partly["revision"] = unknown(), unknown()
	for what, c := range map[string]struct {
		in     resource.PropertyMap
		status any
	}{
		"of a known field":                {waiting(ref, m{"field": "data.a"}), unknownText},
		"of known values":                 {waiting(ref, m{"fieldValue": m{"data.a": "x"}}), unknownText},
		"of a condition":                  {waiting(ref, m{"condition": "Ready"}), nil},
		"of an unknown reference":         {waiting(unknown(), m{"field": "data.a"}), unknownText},
		"of a secret, unknown reference":  {waiting(resource.MakeSecret(unknown()), m{"field": "data.a"}), unknownText},
		"of a partly unknown reference":   {waiting(partly, m{"field": "data.a"}), unknownText},
		"of an unknown waitFor":           {waiting(ref, unknown()), unknownText},
		"of an unknown field":             {waiting(ref, m{"field": unknown()}), unknownText},
		"of an unknown value":             {waiting(ref, m{"fieldValue": m{"data.a": unknown()}}), unknownText},
		"of an unknown map of values":     {waiting(ref, m{"fieldValue": unknown()}), unknownText},
		"of an unknown condition":         {waiting(ref, m{"condition": unknown()}), nil},
		"of an unknown timeout":           {waiting(ref, m{"field": "data.a", "timeout": unknown()}), unknownText},
		"of a rollout of an unknown kind": {waiting(m{"apiVersion": unknown(), "kind": "Gadget", "name": "x"}, m{"rollout": true}), nil},
		"with unknown triggers":           {waiting(ref, m{"field": "data.a"}, m{"triggers": []any{unknown()}}), unknownText},
		"with an unknown connection":      {waiting(ref, m{"field": "data.a"}, m{"clusterConnection": unknown()}), unknownText},
	} {
		t.Run(what, func(t *testing.T) {
			s := p.wait(t, "it")
			did, outputs, err := s.preview(c.in)
			require.NoError(t, err)
			assert.Equal(t, "create", did)
			assert.Equal(t, c.status, at(t, outputs, "status"))

			checked, err := s.check(waiting(ref, m{"field": "metadata.name"}), false)
			require.NoError(t, err)
			s.stored = stored{"v1/ConfigMap/prod/web", checked, resource.NewPropertyMapFromMap(m{"status": m{"metadata": m{"name": "web"}}}), nil, false}
			did, outputs, err = s.preview(c.in)
			require.NoError(t, err)
			assert.Contains(t, []string{"update", "replace"}, did)
			assert.Equal(t, c.status, at(t, outputs, "status"))
		})
	}
	t.Run("and none of it needed the network", func(t *testing.T) { assert.Zero(t, called()) })
}
