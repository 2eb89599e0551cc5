package rpc_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// invalidity has one mistake in a manifest refused in the preview of a create, in a create, in the preview of an update,
// and in an update, and wants all of what is said each time.
type invalidity struct {
	good, bad resource.PropertyMap
	// says are what the user is told, and never what he is not.
	says, never []string
}

func (i invalidity) run(t *testing.T) {
	t.Helper()
	told := func(t *testing.T, err error) {
		t.Helper()
		require.Error(t, err)
		for _, text := range i.says {
			assert.ErrorContains(t, err, text)
		}
		for _, text := range append(i.never, "initialization", "continues in place", "rpc error", "report this") {
			assert.NotContains(t, strings.ToLower(err.Error()), strings.ToLower(text))
		}
	}
	p := start(t, inline(newUser(t)))
	fresh := p.resource(t, "fresh")
	_, _, err := fresh.preview(i.bad)
	told(t, err)
	told(t, fresh.create(i.bad))
	assert.Empty(t, fresh.id, "nothing is saved")

	s := p.resource(t, "existing").mustUp("create", i.good)
	s.mustRead()
	before := s.stored
	did, _, err := s.preview(i.bad)
	told(t, err)
	assert.Equal(t, "update", did, "the preview says so")
	inputs, err := s.check(i.bad, false)
	require.NoError(t, err)
	told(t, s.update(inputs))
	assert.Equal(t, before, s.stored, "nothing is saved")
	s.mustUp("same", i.good)
}

func TestTypos(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	t.Run("one is named with its place", func(t *testing.T) {
		good := program(w.deployment(t, "one"))
		invalidity{
			good: good, bad: with(t, good, "manifest.spec.replcas", 3),
			says: []string{"Deployment", "spec.replcas"}, never: []string{"CEL"},
		}.run(t)
	})
	t.Run("several are all listed, also in one place and beside wrong values [O49]", func(t *testing.T) {
		good := program(w.deployment(t, "several"))
		bad := with(t, good, "manifest.spec.strategy", map[string]any{"tpye": "Recreate"})
		bad = with(t, bad, "manifest.spec.replcas", 3)
		bad = with(t, bad, "manifest.spec.mnReadySeconds", 3)
		bad = with(t, bad, "manifest.spec.template.spec.containers[0].imagePullPolcy", "Always")
		bad = with(t, bad, "manifest.spec.template.spec.containers[0].ports[0].prot", "TCP")
		bad = with(t, bad, "manifest.metadata.lables", map[string]any{"a": "b"})
		bad = with(t, bad, "manifest.spec.replicas", "three")
		bad = with(t, bad, "manifest.spec.template.spec.volumes", map[string]any{"name": "v"})
		invalidity{
			good: good, bad: bad,
			says: []string{
				"in 8 places", "metadata.lables: unknown field", "spec.replcas: unknown field", "spec.mnReadySeconds: unknown field",
				"spec.strategy.tpye: unknown field", "spec.template.spec.containers[0].imagePullPolcy: unknown field",
				"spec.template.spec.containers[0].ports[0].prot: unknown field",
				`spec.replicas: "three" is not accepted: must be an integer, not a string`,
				"spec.template.spec.volumes: must be a list, not an object",
			},
			never: []string{"CEL", "Go struct"},
		}.run(t)
	})
	t.Run("several in a custom kind are all listed, also beside wrong values [O49]", func(t *testing.T) {
		group := w.group()
		w.define(definitionOf(t, group, "Widget", `{type: object, properties: {size: {type: integer}, tier: {type: string, enum: [a, b]},
			parts: {type: array, items: {type: object, properties: {name: {type: string}}}}}}`))
		w.served(group, "Widget")
		good := program(custom(t, group, "Widget", w.namespace, "{size: 3}"))
		invalidity{
			good: good,
			bad:  program(custom(t, group, "Widget", w.namespace, "{sise: 3, szie: 4, size: big, tier: c, parts: [{name: x}, {naam: y}]}")),
			says: []string{
				"in 5 places", "spec.sise: unknown field", "spec.szie: unknown field", "spec.parts[1].naam: unknown field",
				"spec.size: Invalid value", `spec.tier: Unsupported value: "c": supported values: "a", "b"`,
			},
			never: []string{"CEL"},
		}.run(t)
	})
	t.Run("an item that is there twice is named beside a typo [O49]", func(t *testing.T) {
		good := program(w.deployment(t, "twice"))
		bad := with(t, good, "manifest.spec.template.spec.containers[0].env[1].name", "A")
		invalidity{
			good: good, bad: with(t, bad, "manifest.spec.replcas", 3),
			says: []string{"in 2 places", "spec.replcas: unknown field", `env: duplicate entries for key [name="A"]`},
		}.run(t)
	})
	t.Run("who may not create is told what the apply itself says", func(t *testing.T) {
		good := program(w.configMap("granted", nil))
		p := start(t, inline(w.limited("patcher", []string{"get", "patch"}, "", "configmaps")))
		s := start(t, inline(newUser(t))).resource(t, "granted").mustUp("create", good).in(p)
		_, _, err := s.preview(with(t, good, "manifest.dtaa", map[string]any{"a": "b"}))
		assert.ErrorContains(t, err, "dtaa: field not declared in schema")
	})
	t.Run("one in a custom kind is named with its place", func(t *testing.T) {
		group := w.group()
		w.define(definitionOf(t, group, "Gadget", sized))
		w.served(group, "Gadget")
		good := program(custom(t, group, "Gadget", w.namespace, "{size: 3}"))
		invalidity{
			good: good, bad: program(custom(t, group, "Gadget", w.namespace, "{sise: 3}")),
			says: []string{"Gadget", "spec.sise"},
		}.run(t)
	})
}

func TestQuantities(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	t.Run("a bad one in a workload is the user's mistake, and named [O50]", func(t *testing.T) {
		good := with(t, program(w.deployment(t, "workload")), "manifest.spec.template.spec.containers[0].resources",
			map[string]any{"limits": map[string]any{"memory": "64Mi"}})
		invalidity{
			good: good, bad: with(t, good, "manifest.spec.template.spec.containers[0].resources.limits.memory", "64 megs"),
			says: []string{
				"Deployment", "does not fit the kind's schema at spec.template.spec.containers[0].resources.limits.memory",
				`"64 megs" is not accepted: quantities must match`,
			},
		}.run(t)
	})
	t.Run("a bad one in a quota is the user's mistake, and named [O50]", func(t *testing.T) {
		good := program(object(t, `{apiVersion: v1, kind: ResourceQuota, metadata: {name: quota, namespace: %s}, spec: {hard: {memory: 1Gi}}}`, w.namespace))
		invalidity{
			good: good, bad: with(t, good, "manifest.spec.hard.memory", "1 gig"),
			says: []string{"ResourceQuota", `spec.hard.memory: "1 gig" is not accepted: quantities must match`},
		}.run(t)
	})
	t.Run("several are all named, beside typos [O50]", func(t *testing.T) {
		good := program(object(t, `{apiVersion: v1, kind: ResourceQuota, metadata: {name: two, namespace: %s}, spec: {hard: {memory: 1Gi}}}`, w.namespace))
		bad := with(t, with(t, good, "manifest.spec.hard.memory", "1 gig"), `manifest.spec.hard["requests.cpu"]`, "some")
		invalidity{
			good: good, bad: with(t, bad, "manifest.spec.scope", "x"),
			says: []string{"in 3 places", `spec.hard.memory: "1 gig"`, `spec.hard["requests.cpu"]: "some"`, "spec.scope: unknown field"},
		}.run(t)
	})
	t.Run("all bad ones take two dry-runs of a create: one that is refused for them, and one without them [O50]", func(t *testing.T) {
		user := newUser(t)
		p, take := start(t, inline(user)), requests(t, user)
		_, _, err := p.resource(t, "counted").preview(program(object(t, `{apiVersion: v1, kind: ResourceQuota,
			metadata: {name: counted, namespace: %s}, spec: {hard: {memory: 1 gig, cpu: two, pods: few, services: "1"}}}`, w.namespace)))
		assert.ErrorContains(t, err, "in 3 places")
		creates := slices.DeleteFunc(take(), func(request string) bool { return !strings.HasPrefix(request, "CREATE") })
		assert.Len(t, creates, 2)
	})
	t.Run("a Secret's value that cannot be decoded is named and not shown [C16]", func(t *testing.T) {
		good := program(object(t, `{apiVersion: v1, kind: Secret, metadata: {name: broken, namespace: %s}, data: {fine: YQ==}}`, w.namespace))
		invalidity{
			good: good, bad: with(t, good, "manifest.data.broken", "hunter2!!"),
			says: []string{"data.broken: ", "[secret]", "illegal base64 data"}, never: []string{"hunter2"},
		}.run(t)
	})
}

func TestEnums(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	t.Run("of a built-in kind, with the allowed values [O51]", func(t *testing.T) {
		good := with(t, program(w.deployment(t, "builtin")), "manifest.spec.template.spec.containers[0].imagePullPolicy", "Always")
		invalidity{
			good: good, bad: with(t, good, "manifest.spec.template.spec.containers[0].imagePullPolicy", "Sometimes"),
			says:  []string{"spec.template.spec.containers[0].imagePullPolicy", `"Sometimes"`, `"Always"`, `"IfNotPresent"`, `"Never"`},
			never: []string{"CEL"},
		}.run(t)
	})
	t.Run("of a custom kind, with the allowed values [O51]", func(t *testing.T) {
		group := w.group()
		w.define(definitionOf(t, group, "Gadget", `{type: object, properties: {tier: {type: string, enum: [small, large]}}}`))
		w.served(group, "Gadget")
		invalidity{
			good: program(custom(t, group, "Gadget", w.namespace, "{tier: small}")),
			bad:  program(custom(t, group, "Gadget", w.namespace, "{tier: medium}")),
			says: []string{"Gadget", "spec.tier", `"medium"`, `"small"`, `"large"`}, never: []string{"CEL"},
		}.run(t)
	})
}

func TestRulesOfADefinition(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	group := w.group()
	w.define(definitionOf(t, group, "Gadget", `{type: object, properties: {min: {type: integer}, max: {type: integer}, names: {type: integer}},
		x-kubernetes-validations: [{rule: "self.min <= self.max", message: "min must not exceed max"},
			{rule: "self.names < 10", message: "fewer than ten names, please", fieldPath: .names}]}`))
	w.served(group, "Gadget")
	good := func(t *testing.T, name string) resource.PropertyMap {
		return with(t, program(custom(t, group, "Gadget", w.namespace, "{min: 1, max: 2, names: 3}")), "manifest.metadata.name", name)
	}
	t.Run("one that is broken is told in its own words [O52]", func(t *testing.T) {
		in := good(t, "one")
		invalidity{
			good: in, bad: with(t, in, "manifest.spec.min", 5),
			says: []string{"Gadget", "spec", "min must not exceed max"}, never: []string{"fewer than ten names"},
		}.run(t)
	})
	t.Run("several that are broken are all told [O52]", func(t *testing.T) {
		in := good(t, "several")
		invalidity{
			good: in, bad: with(t, with(t, in, "manifest.spec.min", 5), "manifest.spec.names", 50),
			says: []string{"min must not exceed max", "spec.names", "fewer than ten names"},
		}.run(t)
	})
}

func TestBuiltInValidationIsNotCalledARule(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	never := []string{"CEL", "expression", "CustomResourceDefinition", "policy"}
	t.Run("a port out of range [O53]", func(t *testing.T) {
		good := program(object(t, `{apiVersion: v1, kind: Service, metadata: {name: web, namespace: %s}, spec: {ports: [{port: 80}]}}`, w.namespace))
		bad := program(object(t, `{apiVersion: v1, kind: Service, metadata: {name: web, namespace: %s}, spec: {ports: [{port: 70000}]}}`, w.namespace))
		invalidity{good: good, bad: bad, says: []string{"Service", "spec.ports[0].port", "70000", "between 1 and 65535"}, never: never}.run(t)
	})
	t.Run("several mistakes are all listed [O53]", func(t *testing.T) {
		good := program(w.configMap("keys", nil))
		bad := with(t, with(t, good, `manifest.data["no/key"]`, "x"), `manifest.metadata.labels`, map[string]any{"a": "no value!"})
		invalidity{good: good, bad: bad, says: []string{"data[no/key]", "metadata.labels", "no value!"}, never: never}.run(t)
	})
}
