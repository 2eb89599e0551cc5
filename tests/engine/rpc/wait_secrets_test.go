package rpc_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSecretsOfAWait(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	encoded := base64.StdEncoding.EncodeToString([]byte(hush))
	secretObject := func(w world) m {
		return object(t, `{apiVersion: v1, kind: Secret, metadata: {name: it, namespace: %s, annotations: {kubectl.kubernetes.io/last-applied-configuration: %s}}, data: {password: %s}}`,
			w.namespace, hush, encoded)
	}
	for field, want := range map[string]any{"data": m{"password": encoded}, "data.password": encoded, "metadata.annotations": m{lastApplied: hush}} {
		t.Run("the status of a Secret is secret, after every verb: "+field, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.create(secretObject(w))
			in := waiting(refTo(secretObject(w)), m{"field": field})
			s := start(t, inline(newUser(t))).wait(t, "it").mustUp("create", in)
			for range 2 {
				assert.Equal(t, want, at(t, s.outputs, "status."+field))
				requireHidden(t, s)
				s.mustRead()
			}
			s.mustUp("same", in)
		})
	}
	t.Run("only what is secret of a Secret is, where nothing else is", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(secretObject(w))
		in := waiting(refTo(secretObject(w)), m{"field": "$..password", "fieldValue": m{"metadata.name": "it"}})
		s := start(t, inline(newUser(t))).wait(t, "it").mustUp("create", in)
		assert.Equal(t, encoded, at(t, s.outputs, "status.data.password"))
		assert.Equal(t, []string{"status.data.password"}, secretLeaves(resource.NewProperty(s.outputs)))
		s.mustRead()
		assert.Equal(t, []string{"status.data.password"}, secretLeaves(resource.NewProperty(s.outputs)))
	})
	for what, waitFor := range map[string]m{
		"a value that differs": {"fieldValue": m{"data.password": "other"}},
		"an expression":        {"expression": "int(object.data.password) > 0"},
		"failWhen":             {"field": "data.never", "failWhen": "object.data.password != ''"},
		"a field":              {"field": "data.never"},
	} {
		t.Run("a failed wait on a Secret shows no value of it: "+what, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.create(secretObject(w))
			w.create(object(t, `{apiVersion: v1, kind: Event, metadata: {name: e, namespace: %s}, type: Warning, reason: R, message: m,
				involvedObject: {kind: Secret, name: it, namespace: %[1]s}}`, w.namespace))
			waitFor["timeout"] = shortTime
			s := start(t, inline(newUser(t))).wait(t, "it")
			err := s.create(waiting(refTo(secretObject(w)), waitFor))
			requireWaitPending(t, s, err)
			requireHidden(t, s)
			s.mustRead()
			requireStillPending(t, s)
			requireHidden(t, s)
		})
	}
	for what, waitFor := range map[string]m{
		"a value":       {"fieldValue": m{"data.a": secret(hush)}},
		"a field":       {"field": secret("data['" + hush + "']")},
		"an expression": {"expression": secret("object.data.a == '" + hush + "'")},
		"failWhen":      {"field": "data.never", "failWhen": secret("object.data.a != '" + hush + "'")},
		"a condition":   {"condition": secret(hush)},
	} {
		t.Run("a secret in waitFor is nowhere: "+what, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.create(w.configMap("it", nil))
			waitFor["timeout"] = shortTime
			s := start(t, inline(newUser(t))).wait(t, "it")
			err := s.create(waiting(refTo(w.configMap("it", nil)), waitFor))
			requireWaitPending(t, s, err)
			requireHidden(t, s)
			s.mustRead()
			requireStillPending(t, s)
			requireHidden(t, s)
			w.patch("ConfigMap", "it", m{"data": m{"a": hush, hush: hush, "never": hush}})
			s.mustRead()
			requireHidden(t, s)
		})
	}
	t.Run("a waitFor that is secret as a whole has a secret status", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.configMap("it", m{"a": hush}))
		in := waiting(refTo(w.configMap("it", nil)), resource.MakeSecret(resource.NewPropertyValue(m{"field": "data.a"})))
		s := start(t, inline(newUser(t))).wait(t, "it").mustUp("create", in)
		assert.Equal(t, hush, at(t, s.outputs, "status.data.a"))
		requireHidden(t, s)
		s.mustRead()
		assert.Equal(t, hush, at(t, s.outputs, "status.data.a"))
		requireHidden(t, s)
		s.mustUp("same", in)
	})
	t.Run("what Check refuses is not quoted where it is secret", func(t *testing.T) {
		t.Parallel()
		p := start(t, nil)
		for what, c := range map[string]struct {
			waitFor any
			path    string
		}{
			"timeout":    {m{"field": "data.a", "timeout": secret(hush)}, "waitFor.timeout"},
			"field":      {m{"field": secret("data[" + hush)}, "waitFor.field"},
			"expression": {m{"expression": secret("'" + hush + "' = ")}, "waitFor.expression"},
			"failWhen":   {m{"field": "data.a", "failWhen": secret("'" + hush + "'")}, "waitFor.failWhen"},
			"condition":  {m{"condition": secret("Ready=" + hush)}, "waitFor.condition"},
			"all of it":  {resource.MakeSecret(resource.NewPropertyValue(m{"field": "data[" + hush})), "waitFor.field"},
		} {
			_, err := p.wait(t, "it").check(waiting(m{"apiVersion": "v1", "kind": "ConfigMap", "name": "it"}, c.waitFor), true)
			requireProblems(t, err, problem{c.path, ""})
			assert.NotContains(t, err.Error(), hush, what)
		}
	})
	t.Run("a connection of its own is secret, and never an output", func(t *testing.T) {
		t.Parallel()
		w, user := newWorld(t), newUser(t)
		w.create(w.configMap("it", nil))
		in := waiting(refTo(w.configMap("it", nil)), m{"field": "data.a"}, m{"clusterConnection": inline(user)})
		s := start(t, nil).wait(t, "it").mustUp("create", in).mustUp("same", in)
		assert.Empty(t, s.where(strings.Split(string(user.ClientKey), "\n")[1]))
		require.NotContains(t, s.outputs, resource.PropertyKey("clusterConnection"))
	})
}
