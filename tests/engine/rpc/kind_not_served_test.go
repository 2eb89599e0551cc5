package rpc_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAWrongGroupOfABuiltInKind(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	user := newUser(t)
	for _, c := range []struct{ apiVersion, kind, says string }{
		{"extensions/v1beta1", "Deployment", `has no kind "Deployment" in "extensions/v1beta1", it has it in apps/v1`},
		{"v1", "Deployment", `has no kind "Deployment" in "v1", it has it in apps/v1`},
		{"apps/v1", "Ingress", `it has it in networking.k8s.io/v1`},
		{"apps/v1", "ConfigMap", `it has it in v1`},
		{"batch/v1beta1", "CronJob", `it has it in batch/v1`},
		{"networking/v1", "Ingress", `it has it in networking.k8s.io/v1`},
		{"networking.k8s.io/v1beta1", "Ingress", `it has it in networking.k8s.io/v1`},
		{"networking.k8s.io/v1", "Deployment", `it has it in apps/v1`},
		{"policy/v1beta1", "PodSecurityPolicy", `removed in Kubernetes 1.25`},
		{"apps/v1alpha1", "PetSet", `StatefulSet of apps/v1`},
		{"apps/v1", "Deploymnt", `check apiVersion and kind`},
		{"rbac.authorization.k8s.io/v1", "Roles", `check apiVersion and kind`},
	} {
		t.Run(c.kind+" of "+c.apiVersion+" is an error at once, in the preview already [O56]", func(t *testing.T) {
			manifest := object(t, "{apiVersion: %s, kind: %s, metadata: {name: web, namespace: %s}}", c.apiVersion, c.kind, w.namespace)
			p := start(t, inline(user))
			s := p.resource(t, "web")
			_, _, err := s.preview(program(manifest))
			require.ErrorContains(t, err, "cannot create "+c.kind+" "+w.namespace+"/web: ")
			require.ErrorContains(t, err, c.says)
			assert.Empty(t, s.warned())
			take, began := requests(t, user), time.Now()
			err = s.in(start(t, inline(user))).create(program(manifest))
			require.ErrorContains(t, err, c.says)
			assert.NotContains(t, err.Error(), "OpenAPI")
			assert.Less(t, time.Since(began), 10*time.Second, "it is not waited for")
			assert.Empty(t, s.id)
			for _, request := range take() {
				assert.Contains(t, request, "discovery")
			}
		})
	}
	t.Run("an existing object is not replaced by one in a wrong group or version [O56]", func(t *testing.T) {
		s := start(t, inline(user)).resource(t, "kept").mustUp("create", program(w.deployment(t, "kept")))
		before := w.get("Deployment", "kept").GetUID()
		for _, apiVersion := range []string{"extensions/v1beta1", "apps/v1beta1"} {
			wrong := with(t, program(w.deployment(t, "kept")), "manifest.apiVersion", apiVersion)
			_, _, err := s.preview(wrong)
			require.ErrorContains(t, err, "Deployment "+w.namespace+`/kept: the cluster has no kind "Deployment" in "`+apiVersion+`", it has it in apps/v1`)
		}
		assert.Equal(t, before, w.get("Deployment", "kept").GetUID())
	})
	t.Run("four requests at most find it out, and none of them is for OpenAPI [O81]", func(t *testing.T) {
		take := requests(t, user)
		manifest := object(t, "{apiVersion: extensions/v1beta1, kind: Deployment, metadata: {name: web, namespace: %s}}", w.namespace)
		require.Error(t, start(t, inline(user)).resource(t, "web").create(program(manifest)))
		assert.Equal(t, []string{"discovery extensions/v1beta1", "discovery /apis", "discovery /api", "discovery /apis"}, take())
	})
}

func TestAKindOfAnotherGroup(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	group := w.group()
	kind := "Lonesome"
	w.define(definitionOf(t, group, kind, sized))
	w.served(group, kind)
	t.Run("may still come to a group of its own, so the preview warns and says where it is [O56]", func(t *testing.T) {
		s := start(t, inline(newUser(t))).resource(t, "it")
		in := program(custom(t, "other."+group, kind, w.namespace, "{size: 3}"))
		eventually(t, func() bool {
			_, outputs, err := s.preview(in)
			require.NoError(t, err)
			assert.Equal(t, unknownText, at(t, outputs, "manifest"))
			return strings.Contains(s.warned(), "has a kind of this name in "+group+"/v1")
		}, "aggregated discovery has heard of the kind")
		assert.Contains(t, s.warned(), "waits up to 30s for its CustomResourceDefinition")
	})
	t.Run("in a group that nobody can define is an error at once [O56]", func(t *testing.T) {
		s := start(t, inline(newUser(t))).resource(t, "it")
		in := program(object(t, "{apiVersion: lonesome/v1, kind: %s, metadata: {name: it, namespace: %s}}", kind, w.namespace))
		_, _, err := s.preview(in)
		require.ErrorContains(t, err, "it has it in "+group+"/v1")
	})
}
