package e2e

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestConflictsForced(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
	id := "apps/v1/Deployment/" + space + "/web"
	declare := func(t *testing.T, replicas int, image string) {
		s.declare(t, fmt.Sprintf(smallDeployment, space, "web", replicas, "web", image, "", ""), "", "")
	}
	declare(t, 2, "nginx:1")
	s.up(t)

	step(t, "co-ownership with an equal value is silent [O32]", func(t *testing.T) {
		k.apply(t, id, "other-team", `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 2}}`)
		assert.NotContains(t, s.previewEmpty(t), "other-team")
		declare(t, 2, "nginx:2")
		assert.NotContains(t, s.preview(t), "other-team")
		assert.NotContains(t, s.up(t), "other-team")
		s.previewEmpty(t)
	})
	step(t, "an autoscaler's field that we change is named with its owner and both values [O31]", func(t *testing.T) {
		scale(t, c, space, "web", 5)
		declare(t, 3, "nginx:2")
		out := s.preview(t)
		assert.Contains(t, out, "spec.replicas: 5 -> 3 (owned by kube-controller-manager)")
		assert.Equal(t, 1, strings.Count(out, "spec.replicas: 5 -> 3"), "said once: %s", out)
		assert.Equal(t, int64(5), k.value(t, id, "spec", "replicas"))
	})
	step(t, "the warning is not repeated once the field is ours [O35]", func(t *testing.T) {
		s.up(t)
		assert.Equal(t, int64(3), k.value(t, id, "spec", "replicas"))
		for _, out := range []string{s.previewEmpty(t), s.up(t)} {
			assert.NotContains(t, out, "owned by")
			assert.NotContains(t, out, "from other managers")
		}
	})
	step(t, "all fields that are in dispute are named [O34]", func(t *testing.T) {
		k.apply(t, id, "other-team", `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 8, template: {metadata: {labels: {app: web}},
spec: {containers: [{name: main, image: "nginx:theirs"}]}}}}`)
		out := s.preview(t)
		assert.Contains(t, out, "spec.replicas: 8 -> 3 (owned by other-team)")
		assert.Contains(t, out, `spec.template.spec.containers[name=main].image: "nginx:theirs" -> "nginx:2" (owned by other-team)`)
		assert.NotContains(t, out, "labels.app:", "its value is equal")
		s.up(t)
		live := k.get(t, id)
		assert.Equal(t, int64(3), at(live.Object, "spec", "replicas"))
		assert.Equal(t, "nginx:2", at(live.Object, "spec", "template", "spec", "containers", 0, "image"))
		assert.NotContains(t, s.previewEmpty(t), "owned by")
	})
}

func TestConflictsFail(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
	id := "apps/v1/Deployment/" + space + "/web"
	program := func(properties string) string {
		return replaceAll(workload, "      manifest:\n", "      conflictPolicy: fail\n"+properties+"      manifest:\n")
	}
	s.program(t, program(""), space)
	s.up(t)
	s.previewEmpty(t)
	k.apply(t, id, "other-team", `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, annotations: {example.com/note: theirs}},
spec: {replicas: 8, template: {spec: {containers: [{name: main, image: "nginx:theirs"}]}}}}`)
	k.apply(t, id, "third-team", `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, labels: {tier: back}}}`)
	before := k.get(t, id)
	untouched := func(t *testing.T) {
		t.Helper()
		live := k.get(t, id)
		assert.Equal(t, before.GetUID(), live.GetUID())
		assert.Equal(t, before.GetGeneration(), live.GetGeneration())
		assert.Equal(t, before.GetLabels(), live.GetLabels())
		assert.Equal(t, "theirs", live.GetAnnotations()["example.com/note"])
		assert.Equal(t, string(before.GetUID()), s.export(t).get(t, "web").uid())
	}

	step(t, "conflictPolicy fail lists every field with owner and both values and touches nothing [O33]", func(t *testing.T) {
		for _, out := range []string{s.previewFails(t), s.upFails(t)} {
			for _, line := range []string{
				`metadata.annotations["example.com/note"]: "theirs" -> "keep" (owned by other-team)`,
				`metadata.labels.tier: "back" -> "front" (owned by third-team)`,
				`spec.replicas: 8 -> 2 (owned by other-team)`,
				`spec.template.spec.containers[name=main].image: "nginx:theirs" -> "nginx:1.29" (owned by other-team)`,
			} {
				assert.Contains(t, out, line)
			}
			assert.NotContains(t, out, `metadata.labels.team: "`, "it is not in dispute")
			untouched(t)
		}
	})
	step(t, "the line that it offers works as it is [O33]", func(t *testing.T) {
		line := regexp.MustCompile(`ignoreFields: \[.*\]`).FindString(s.previewFails(t))
		require.NotEmpty(t, line)
		s.program(t, program("      "+line+"\n"), space)
		s.up(t)
		untouched(t)
		s.previewEmpty(t)
	})
	step(t, "the other way that it offers works too [O33]", func(t *testing.T) {
		s.program(t, workload, space)
		s.up(t)
		live := k.get(t, id)
		assert.Equal(t, int64(2), at(live.Object, "spec", "replicas"))
		assert.Equal(t, map[string]string{"tier": "front", "team": "blue"}, live.GetLabels())
		s.previewEmpty(t)
	})
}

func TestConflictsFailForTheWholeProvider(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
	id := "v1/ConfigMap/" + space + "/settings"
	program := configMap("settings", "settings", space)
	s.program(t, program)
	s.up(t)
	k.apply(t, id, "other-team", `{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {a: theirs}}`)
	s.config(t, "k8sconnect:conflictPolicy", "fail")

	step(t, "a resource that says nothing is refused, by the provider's configuration [O33]", func(t *testing.T) {
		for _, out := range []string{s.previewFails(t), s.upFails(t)} {
			assert.Contains(t, out, `conflictPolicy is "fail" in the provider's configuration. Nothing was changed. [FieldConflict]`)
			assert.Contains(t, out, `data.a: "theirs" -> "1" (owned by other-team)`)
		}
		assert.Equal(t, "theirs", at(k.get(t, id).Object, "data", "a"))
	})
	step(t, "a resource that says force takes the field [O33]", func(t *testing.T) {
		s.program(t, replaceAll(program, "    properties:\n", "    properties:\n      conflictPolicy: force\n"))
		s.up(t)
		assert.Equal(t, "1", at(k.get(t, id).Object, "data", "a"))
	})
	step(t, "a wrong value is refused with the name of the key [O33]", func(t *testing.T) {
		s.config(t, "k8sconnect:conflictPolicy", "never")
		assert.Contains(t, s.previewFails(t), "conflictPolicy must be one of force, fail. [InvalidConfiguration]")
	})
}

func TestConflictsSecret(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, space := kubeOf(t, c), c.Namespace(t)
	id := "v1/Secret/" + space + "/shared"
	s := newStack(t)
	const secret = `{apiVersion: v1, kind: Secret, metadata: {name: shared, namespace: %s}, stringData: {password: swordfish-ours}}`
	s.declare(t, fmt.Sprintf(secret, space), "", "")
	s.up(t)
	k.apply(t, id, "other-team", `{apiVersion: v1, kind: Secret, metadata: {name: shared}, data: {password: `+
		base64.StdEncoding.EncodeToString([]byte("swordfish-theirs"))+`}}`)

	step(t, "the values of a Secret are not in the warning [O31, O79]", func(t *testing.T) {
		out := s.preview(t)
		assert.Contains(t, out, "data.password")
		assert.Contains(t, out, "owned by other-team")
		unreadable(t, "warning", out)
	})
	step(t, "nor in the refusal [O33, O79]", func(t *testing.T) {
		s.declare(t, fmt.Sprintf(secret, space), "conflictPolicy: fail", "")
		for _, out := range []string{s.previewFails(t), s.upFails(t)} {
			assert.Contains(t, out, "owned by other-team")
			unreadable(t, "refusal", out)
		}
		assert.Equal(t, base64.StdEncoding.EncodeToString([]byte("swordfish-theirs")), k.value(t, id, "data", "password"))
	})
}
