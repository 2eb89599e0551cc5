package rpc_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestTheStatusHasWhatIsWaitedForAndNothingElse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := start(t, inline(newUser(t)))
	claim := object(t, `{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: %s},
		spec: {accessModes: [ReadWriteOnce], volumeName: pv-7, resources: {requests: {storage: 1Gi}}}}`, w.namespace)
	service := object(t, `{apiVersion: v1, kind: Service, metadata: {name: web, namespace: %s},
		spec: {type: LoadBalancer, selector: {app: web}, ports: [{name: http, port: 80}, {name: https, port: 443}]}}`, w.namespace)
	w.create(claim)
	w.create(service)
	w.create(w.deployment(t, "web"))
	w.create(w.configMap("web", map[string]any{"app.properties": "x"}))
	w.report("Service", "web", object(t, "{loadBalancer: {ingress: [{ip: 192.0.2.7}, {hostname: lb.example.com}]}}"))
	w.report("Deployment", "web", object(t, `{replicas: 2, readyReplicas: 2, conditions: [
		{type: Progressing, status: "True", reason: A, lastTransitionTime: "2024-01-01T00:00:00Z"},
		{type: Available, status: "True", reason: B, lastTransitionTime: "2024-01-01T00:00:00Z"}]}`))
	clusterIP := w.value("Service", "web", "spec", "clusterIP")
	uid := string(w.get("ConfigMap", "web").GetUID())
	type m = map[string]any
	for what, c := range map[string]struct {
		object  map[string]any
		waitFor map[string]any
		want    any
	}{
		"spec.volumeName":                     {claim, m{"field": "spec.volumeName"}, m{"spec": m{"volumeName": "pv-7"}}},
		"spec.clusterIP":                      {service, m{"field": "spec.clusterIP"}, m{"spec": m{"clusterIP": clusterIP}}},
		"metadata.uid":                        {w.configMap("web", nil), m{"field": "metadata.uid"}, m{"metadata": m{"uid": uid}}},
		"status.loadBalancer with an index":   {service, m{"field": "status.loadBalancer.ingress[0].ip"}, m{"status": m{"loadBalancer": m{"ingress": []any{m{"ip": "192.0.2.7"}}}}}},
		"a later index, which it keeps":       {service, m{"field": "status.loadBalancer.ingress[1].hostname"}, m{"status": m{"loadBalancer": m{"ingress": []any{nil, m{"hostname": "lb.example.com"}}}}}},
		"kubectl's spelling":                  {service, m{"field": "{.status.loadBalancer}"}, m{"status": m{"loadBalancer": m{"ingress": []any{m{"ip": "192.0.2.7", "ipMode": "VIP"}, m{"hostname": "lb.example.com"}}}}}},
		"a predicate":                         {w.deployment(t, "web"), m{"field": "status.conditions[?@.type=='Available'].status"}, m{"status": m{"conditions": []any{m{"status": "True"}}}}},
		"kubectl's predicate":                 {w.deployment(t, "web"), m{"field": `{.status.conditions[?(@.type=="Available")].reason}`}, m{"status": m{"conditions": []any{m{"reason": "B"}}}}},
		"a wildcard":                          {service, m{"field": "spec.ports[*].name"}, m{"spec": m{"ports": []any{m{"name": "http"}, m{"name": "https"}}}}},
		"a key with dots":                     {w.configMap("web", nil), m{"field": "data['app.properties']"}, m{"data": m{"app.properties": "x"}}},
		"values in place of fields":           {w.deployment(t, "web"), m{"fieldValue": m{"status.readyReplicas": "2", "spec.replicas": "2"}}, m{"status": m{"readyReplicas": 2.0}, "spec": m{"replicas": 2.0}}},
		"a field and values, two of one list": {service, m{"field": "spec.ports[0].port", "fieldValue": m{"spec.ports[0].name": "http"}}, m{"spec": m{"ports": []any{m{"port": 80.0, "name": "http"}}}}},
		"a field beside a condition":          {w.deployment(t, "web"), m{"field": "status.readyReplicas", "condition": "Available"}, m{"status": m{"readyReplicas": 2.0}}},
		"null for a condition [W20]":          {w.deployment(t, "web"), m{"condition": "Available"}, nil},
		"null for an expression [W20]":        {w.deployment(t, "web"), m{"expression": "object.status.readyReplicas == 2"}, nil},
	} {
		t.Run(what+" [W18]", func(t *testing.T) {
			s := p.wait(t, "it").mustUp("create", waiting(refTo(c.object), c.waitFor))
			assert.Equal(t, c.want, at(t, s.outputs, "status"))
			assert.Contains(t, s.outputs, resource.PropertyKey("status"), "it is there, also as null")
			assert.Empty(t, secretLeaves(resource.NewProperty(s.outputs)))
			s.mustRead()
			assert.Equal(t, c.want, at(t, s.outputs, "status"), "a read gives the same")
			s.mustUp("same", waiting(refTo(c.object), c.waitFor))
		})
	}
}

func TestARefreshOfAWait(t *testing.T) {
	t.Parallel()
	t.Run("renews the status, with one request [W19]", func(t *testing.T) {
		t.Parallel()
		w, user := newWorld(t), newUser(t)
		w.create(w.configMap("it", map[string]any{"address": "192.0.2.1"}))
		in := waiting(refTo(w.configMap("it", nil)), until("field", "data.address", longTime))
		s := start(t, inline(user)).wait(t, "it").mustUp("create", in)
		assert.True(t, s.refresh, "an up looks too")
		w.patch("ConfigMap", "it", map[string]any{"data": map[string]any{"address": "192.0.2.2"}})
		take := requests(t, user)
		s.mustRead()
		assert.Equal(t, "192.0.2.2", at(t, s.outputs, "status.data.address"))
		assert.Equal(t, []string{"GET"}, take())
		w.patch("ConfigMap", "it", map[string]any{"data": map[string]any{"address": "192.0.2.3"}})
		did, outputs, err := s.preview(in)
		require.NoError(t, err)
		assert.Equal(t, "same", did)
		assert.Equal(t, "192.0.2.3", at(t, outputs, "status.data.address"))
		s.mustUp("same", in)
		assert.Equal(t, "192.0.2.3", at(t, s.outputs, "status.data.address"), "dependents follow")
	})
	t.Run("never fails because something is unready again [W19]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.configMap("it", map[string]any{"address": "192.0.2.1"}))
		in := waiting(refTo(w.configMap("it", nil)), map[string]any{"field": "data.address", "fieldValue": map[string]any{"data.address": "192.0.2.1"}})
		s := start(t, inline(newUser(t))).wait(t, "it").mustUp("create", in)
		w.patch("ConfigMap", "it", map[string]any{"data": map[string]any{"address": nil}})
		s.mustRead()
		requireWaited(t, s)
		assert.Equal(t, map[string]any{}, at(t, s.outputs, "status"), "what is not there is not there")
		s.mustUp("same", in)
	})
	t.Run("does not evaluate a condition again [W20]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.deployment(t, "it"))
		w.report("Deployment", "it", condition(t, `type: Available, status: "True"`))
		in := waiting(refTo(w.deployment(t, "it")), until("condition", "Available", longTime))
		s := start(t, inline(newUser(t))).wait(t, "it").mustUp("create", in)
		before := s.outputs
		w.report("Deployment", "it", condition(t, `type: Available, status: "False"`))
		s.mustRead()
		requireWaited(t, s)
		assert.Equal(t, before, s.outputs)
		s.mustUp("same", in)
	})
	for what, waitFor := range map[string]map[string]any{"a field": {"field": "data.a"}, "an expression": {"expression": "has(object.data.a)"}} {
		t.Run("forgets what was waited for when it is gone, or re-created: "+what, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			in := waiting(refTo(w.configMap("it", nil)), waitFor)
			p := start(t, inline(newUser(t)))
			for _, again := range []bool{false, true} {
				w.create(w.configMap("it", nil))
				s := p.wait(t, "it").mustUp("create", in)
				w.delete("ConfigMap", "it")
				if again {
					w.create(w.configMap("it", nil))
				}
				require.NoError(t, s.read())
				assert.Empty(t, s.id, "the next up waits again")
			}
		})
	}
	t.Run("forgets what was waited for when its kind is gone", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		group := w.group()
		w.define(definitionOf(t, group, "Gadget", sized))
		w.served(group, "Gadget")
		gadget := custom(t, group, "Gadget", w.namespace, "{size: 3}")
		_, err := w.client.Resource(customKind(group, "Gadget")).Namespace(w.namespace).Create(t.Context(), unstructuredOf(gadget), createOptions)
		require.NoError(t, err)
		s := start(t, inline(newUser(t))).wait(t, "it").mustUp("create", waiting(refTo(gadget), until("field", "spec.size", longTime)))
		require.NoError(t, w.client.Resource(definitions).Delete(t.Context(), customKind(group, "Gadget").Resource+"."+group, metav1.DeleteOptions{}))
		eventually(t, func() bool {
			require.NoError(t, s.in(start(t, inline(newUser(t)))).read())
			return s.id == ""
		}, "the kind is gone")
	})
	t.Run("keeps a satisfied wait for a deletion [W9]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		in := waiting(refTo(w.configMap("it", nil)), until("deleted", true, longTime))
		s := start(t, inline(newUser(t))).wait(t, "it").mustUp("create", in)
		s.mustRead().mustUp("same", in)
		w.create(w.configMap("it", nil))
		s.mustRead().mustUp("same", in)
		requireWaited(t, s)
	})
	t.Run("keeps what it knows when it may not read, with one warning for all [W27]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.configMap("it", nil))
		ref := refTo(w.configMap("it", nil))
		held, in := start(t, inline(newUser(t))).wait(t, "it"), waiting(ref, until("field", "data.a", longTime))
		held.mustUp("create", in)
		pending, _ := failedWait(t, held.process.wait(t, "pending"), ref, map[string]any{"field": "data.never"})
		w.delete("ConfigMap", "it")

		expired := inline(newUser(t))
		delete(expired, "clientCertificate")
		delete(expired, "clientKey")
		expired["token"] = "expired"
		p := start(t, expired)
		before, beforePending := held.stored, pending.stored
		kept := func(outputs resource.PropertyMap) resource.PropertyMap {
			outputs = outputs.Copy()
			outputs["__staleRead"] = resource.NewProperty(true)
			return outputs
		}
		held.in(p).mustRead()
		assert.Equal(t, kept(before.outputs), held.outputs)
		assert.Equal(t, "1", at(t, held.outputs, "status.data.a"))
		pending.in(p).mustRead()
		assert.Equal(t, kept(beforePending.outputs), pending.outputs)
		_, err := held.diff(in)
		require.ErrorContains(t, err, "cannot read", "it is not unchanged [D30]")
		requireStillPending(t, pending)
		require.Len(t, p.log.warnings(), 1)
		assert.Contains(t, p.log.warnings()[0], "NOT CHECKED")
		assert.NotContains(t, p.log.all(), "expired\"")

		fresh := start(t, inline(newUser(t)))
		assert.Contains(t, looks(t, pending.in(fresh)), "it does not exist yet")
		require.NoError(t, held.in(fresh).read())
		assert.Empty(t, held.id)
	})
}
