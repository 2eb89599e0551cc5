package rpc_test

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/checkout"
)

// comparedInput is one input of a resource, or one property of an input, and a change of it alone. nil stands for an input that the
// program leaves out.
type comparedInput struct {
	// of is the rest of the program.
	of      m
	was, is any
	// did is what the change does, an update unless it says something else, and back what the change back does, the same unless it does.
	did, back string
	// shows is where the preview shows the change, unless it is the input itself, and showsBack where it shows the change back, unless
	// that is there.
	shows, showsBack string
	// same is the reason why a change of the input alone is none of the resource.
	same string
}

const (
	onlyReaches = "it says how to reach the cluster, and a new credential changes nothing; that it leads to another cluster is found there"
	onlyWrites  = "it decides what a write does, there is none, and a later one has it from the program"
	onlyTakes   = "what it took over stays ours"
	ofReference = "it comes with the reference of a resource, and which object is meant is in the rest of the target"
)

// comparedWorld is what the resources are about.
type comparedWorld struct {
	world

	// beside is another namespace, and uid that of the ConfigMap target.
	beside, uid string
}

func newComparedWorld(t *testing.T) comparedWorld {
	t.Helper()
	w, beside := newWorld(t), newWorld(t)
	uid := w.create(w.configMap("target", m{"a": "1", "b": "2"})).GetUID()
	w.create(w.configMap("other", m{"a": "1", "b": "2"}))
	w.create(object(t, "{apiVersion: v1, kind: Secret, metadata: {name: target, namespace: %s}, stringData: {a: '1'}}", w.namespace))
	beside.create(beside.configMap("target", nil))
	w.create(w.scaler("target"))
	workload := w.deployment(t, "target")
	workload["spec"].(m)["replicas"] = 0
	w.create(workload)
	w.report("Deployment", "target", m{"observedGeneration": 1, "conditions": condition(t, `type: Available, status: "True"`)["conditions"]})
	shop := w.newShop(true) // who asks it without TLS gets 400
	w.open(shop)
	shop.answers(http.StatusOK)
	return comparedWorld{w, beside.namespace, string(uid)}
}

func (w world) scaler(name string) m {
	return object(w.t, `{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: %s, namespace: %s},
		spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: target}}}`, name, w.namespace)
}

// comparedInputs has each input of each resource.
func comparedInputs(w comparedWorld) map[tokens.Type]map[string]comparedInput {
	of := func(more ...m) m { return merged(more...) }
	ref := func(apiVersion, kind string) m {
		return m{"apiVersion": apiVersion, "kind": kind, "namespace": w.namespace, "name": "target"}
	}
	settings, workload := ref("v1", "ConfigMap"), ref("apps/v1", "Deployment")
	rows := map[tokens.Type]map[string]comparedInput{}

	made := w.configMap("object", m{"a": "1"})
	object := m{"manifest": made}
	rows[objectType] = map[string]comparedInput{
		"manifest":            {was: made, is: w.configMap("object", m{"a": "2"})},
		"yaml":                {was: textOf(made), is: textOf(w.configMap("object", m{"a": "2"})), shows: "manifest"},
		"ignoreFields":        {of: object, is: []any{"data.a"}, showsBack: "manifest.data"},
		"ignoreManagers":      {of: object, is: []any{"autoscaler"}, same: "it decides what happens to fields that such a manager owns, and it owns none"},
		"takeOverFrom":        {of: object, is: []any{"helm"}, back: "same", same: onlyTakes},
		"deletionPropagation": {of: object, is: "Background"},
		"forceDestroy":        {of: object, is: true},
		"deleteInstances": {
			of: m{"manifest": definitionOf(w.t, w.group(), "Widget", "{type: object, properties: {size: {type: integer}}}")}, is: true,
		},
		"adopt":             {of: object, is: true, same: "it decides what a creation does about an object that is there"},
		"conflictPolicy":    {of: object, is: "fail", same: onlyWrites},
		"onImmutable":       {of: object, is: "fail", same: onlyWrites},
		"clusterConnection": {of: object, same: onlyReaches},
	}

	waits := m{"resourceRef": settings, "waitFor": m{"field": "data.a"}}
	many := m{"selector": m{"apiVersion": "v1", "kind": "ConfigMap", "namespace": w.namespace}, "waitFor": m{"field": "metadata.name"}}
	rows[waitType] = map[string]comparedInput{
		"resourceRef.apiVersion": {of: m{"resourceRef": ref("", "HorizontalPodAutoscaler"), "waitFor": m{"field": "spec.maxReplicas"}}, was: "autoscaling/v2", is: "autoscaling/v1"},
		"resourceRef.kind":       {of: waits, was: "ConfigMap", is: "Secret", did: "replace"},
		"resourceRef.name":       {of: waits, was: "target", is: "other", did: "replace"},
		"resourceRef.namespace":  {of: waits, was: w.namespace, is: w.beside, did: "replace"},
		"resourceRef.uid":        {of: waits, is: w.uid},
		"resourceRef.revision":   {of: waits, was: "1", is: "2"},
		"selector.apiVersion":    {of: m{"selector": m{"kind": "HorizontalPodAutoscaler", "namespace": w.namespace}, "waitFor": m{"field": "spec.maxReplicas"}}, was: "autoscaling/v2", is: "autoscaling/v1"},
		"selector.kind":          {of: many, was: "ConfigMap", is: "Secret", did: "replace"},
		"selector.namespace":     {of: many, was: w.namespace, is: w.beside, did: "replace"},
		"selector.labelSelector": {of: many, was: "!a", is: "!b", did: "replace"},
		"count":                  {of: many, was: m{"atLeast": 1}, is: m{"all": true}},
		"triggers":               {of: waits, is: []any{"again"}},
		"onFailure":              {of: waits, is: "warn", same: "it decides what a wait does that fails, and this one has not"},
		"clusterConnection":      {of: waits, same: onlyReaches},
	}

	data := func(a string) m { return m{"data": m{"a": a}} }
	onto := m{"target": settings, "takeOwnership": true}
	patched := of(onto, m{"patch": data("3")})
	labelled := m{"patch": m{"metadata": m{"labels": m{"it": "is"}}}, "takeOwnership": true}
	rows[patchType] = map[string]comparedInput{
		"target.apiVersion": {of: of(labelled, m{"target": ref("", "HorizontalPodAutoscaler")}), was: "autoscaling/v2", is: "autoscaling/v1"},
		"target.kind":       {of: of(labelled, m{"target": ref("v1", "")}), was: "ConfigMap", is: "Secret", did: "replace"},
		"target.name":       {of: patched, was: "target", is: "other", did: "replace"},
		"target.namespace":  {of: patched, was: w.namespace, is: w.beside, did: "replace"},
		"target.uid":        {of: patched, is: "another", same: ofReference},
		"target.revision":   {of: patched, is: "another", same: ofReference},
		"patch":             {of: onto, was: data("3"), is: data("4")},
		"mergePatch":        {of: onto, was: data("3"), is: data("4")},
		"jsonPatch":         {of: onto, was: operations(nil, data("3")), is: operations(nil, data("4"))},
		"onDestroy":         {of: patched, is: "remove"},
		"takeOverFrom":      {of: patched, is: []any{"k8sconnect-shop.dev.gone"}, back: "same", same: onlyTakes},
		"takeOwnership":     {of: patched, same: "it has one value"},
		"clusterConnection": {of: patched, same: onlyReaches},
	}

	for _, kind := range []struct {
		of                     tokens.Type
		settings, app, service m
	}{
		{waitType, m{"resourceRef": settings}, m{"resourceRef": workload}, m{"resourceRef": w.refTo("Service", "shop")}},
		{patchType, patched, of(labelled, m{"target": workload}), of(labelled, m{"target": w.refTo("Service", "shop")})},
	} {
		asks := of(kind.service, m{"waitFor": m{"http": m{"scheme": "https"}}})
		besides := of(kind.settings, m{"waitFor": m{"field": "data.b"}})
		maps.Copy(rows[kind.of], map[string]comparedInput{
			"waitFor.field":      {of: kind.settings, was: "data.a", is: "data.b"},
			"waitFor.fieldValue": {of: kind.settings, was: m{"data.b": "2"}, is: m{"data.b": "2", "kind": "ConfigMap"}},
			"waitFor.expression": {of: kind.settings, was: "true", is: "has(object.data)"},
			"waitFor.condition":  {of: kind.app, was: "Available", is: "Available=True"},
			"waitFor.rollout":    {of: of(kind.app, m{"waitFor": m{"field": "spec.replicas"}}), is: true},
			"waitFor.ready":      {of: besides, is: true},
			"waitFor.deleted":    {of: besides, is: false},
			"waitFor.failWhen":   {of: besides, is: "false"},
			"waitFor.timeout":    {of: besides, was: "1m", is: "2m"},

			"waitFor.http.path":   {of: asks, was: "/a", is: "/b"},
			"waitFor.http.port":   {of: asks, was: 80.0, is: "web"},
			"waitFor.http.scheme": {of: of(kind.service, m{"waitFor": m{"http": m{"status": []any{200.0, 400.0}}}}), is: "https"},
			"waitFor.http.status": {of: asks, is: []any{200.0}},
		})
	}

	// It runs at the end alone, so that nothing runs here.
	job := func(image string) m {
		return m{"apiVersion": "batch/v1", "kind": "Job", "metadata": m{"name": "task", "namespace": w.namespace}, "spec": m{"template": m{"spec": m{
			"restartPolicy": "Never", "containers": []any{m{"name": "main", "image": image}},
		}}}}
	}
	task := m{"manifest": job("image:1"), "runOn": []any{"delete"}}
	rows[taskType] = map[string]comparedInput{
		"manifest":          {of: task, was: job("image:1"), is: job("image:2")},
		"with":              {of: task, is: []any{w.configMap("settings", nil)}},
		"runOn":             {of: task, was: []any{"delete"}, is: []any{"delete", "create"}},
		"triggers":          {of: task, is: []any{"again"}},
		"timeout":           {of: task, is: "1m"},
		"keep":              {of: task, is: "always"},
		"logLines":          {of: task, is: 7},
		"forceDestroy":      {of: task, is: true},
		"clusterConnection": {of: task, same: onlyReaches},
	}
	return rows
}

// merged is a copy of some maps in one.
func merged(parts ...m) m {
	all := m{}
	for _, some := range parts {
		maps.Copy(all, some)
	}
	return all
}

func textOf(object m) string {
	text, _ := json.Marshal(object)
	return string(text)
}

// saying is a program with one input at a path.
func saying(program m, path string, v any) m {
	key, below, nested := strings.Cut(path, ".")
	said := merged(program)
	if nested {
		inner, _ := program[key].(m)
		v = saying(inner, below, v)
	}
	if said[key] = v; v == nil {
		delete(said, key)
	}
	return said
}

// schemaProperty is a property as the schema has it.
type schemaProperty struct {
	Ref   string          `json:"$ref"`
	Items *schemaProperty `json:"items"`
}

// inputsOfSchema are the inputs of the resources that have a Diff, which components have not: their children do. An input whose type has
// properties is those. A connection is one input: what is compared is the cluster at its end. So is a count, which has one property.
func inputsOfSchema(t *testing.T) map[tokens.Type][]string {
	t.Helper()
	text, err := checkout.Read("schema.json")
	require.NoError(t, err)
	single := []string{"k8sconnect:index:ClusterConnection", "k8sconnect:index:WaitCount"}
	type properties = map[string]schemaProperty
	var schema struct {
		Types map[string]struct {
			Properties properties `json:"properties"`
		} `json:"types"`
		Resources map[tokens.Type]struct {
			IsComponent     bool       `json:"isComponent"`
			InputProperties properties `json:"inputProperties"`
		} `json:"resources"`
	}
	require.NoError(t, json.Unmarshal([]byte(text), &schema))
	var leaves func(under string, all properties) []string
	leaves = func(under string, all properties) (found []string) {
		for name, property := range all {
			if property.Items != nil {
				property = *property.Items
			}
			token, _ := strings.CutPrefix(property.Ref, "#/types/")
			if below := schema.Types[token].Properties; len(below) > 0 && !slices.Contains(single, token) {
				found = append(found, leaves(under+name+".", below)...)
			} else {
				found = append(found, under+name)
			}
		}
		return found
	}
	inputs := map[tokens.Type][]string{}
	for kind, spec := range schema.Resources {
		if !spec.IsComponent {
			inputs[kind] = slices.Sorted(slices.Values(leaves("", spec.InputProperties)))
		}
	}
	return inputs
}

// TestEachInputThatChangesAloneIsCompared changes each input of each resource alone. It fails for an input of the schema that it does
// not know.
func TestEachInputThatChangesAloneIsCompared(t *testing.T) { // [D53]
	t.Parallel()
	known, inputs := comparedInputs(comparedWorld{world: world{t: t}}), inputsOfSchema(t)
	require.ElementsMatch(t, slices.Collect(maps.Keys(inputs)), slices.Collect(maps.Keys(known)), "the resources that have a Diff")
	for kind, all := range inputs {
		require.Equal(t, all, slices.Sorted(maps.Keys(known[kind])), "the inputs of %s", kind)
		for _, input := range all {
			t.Run(string(kind.Name())+"."+input, func(t *testing.T) {
				t.Parallel()
				w := newComparedWorld(t)
				comparedInputs(w)[kind][input].verify(t, kind, input)
			})
		}
	}
}

func (c comparedInput) verify(t *testing.T, kind tokens.Type, input string) {
	t.Helper()
	switch input {
	case "takeOwnership":
		c.was, c.is = true, true
	case "clusterConnection":
		c.is = inline(newUser(t))
	}
	did := cmp.Or(c.did, "update")
	if c.same != "" && c.back == "" {
		did = "same"
	}
	s := &session{t: t, process: start(t, inline(newUser(t))), urn: urnOfType(kind, "it")}
	was := resource.NewPropertyMapFromMap(saying(c.of, input, c.was))
	is := resource.NewPropertyMapFromMap(saying(c.of, input, c.is))
	s.mustUp("create", was)
	s.mustUp("same", was)
	s.changes(did, is, cmp.Or(c.shows, input))
	s.changes(cmp.Or(c.back, did), was, cmp.Or(c.showsBack, c.shows, input))
}

// changes requires that a preview shows what an up then does, which the state has after that.
func (s *session) changes(want string, program resource.PropertyMap, at string) {
	s.t.Helper()
	did, _, err := s.preview(program)
	require.NoError(s.t, err)
	require.Equal(s.t, want, did)
	shown := slices.Collect(maps.Keys(s.mustDiff(program)))
	if want == "same" {
		assert.Empty(s.t, shown)
	} else {
		assert.True(s.t, slices.ContainsFunc(shown, func(path string) bool {
			return path == at || strings.HasPrefix(path, at+".") || strings.HasPrefix(path, at+"[")
		}), "%v", shown)
	}
	s.mustUp(want, program)
	checked, err := s.check(program, false)
	require.NoError(s.t, err)
	assert.Equal(s.t, plain(resource.NewProperty(checked)), plain(resource.NewProperty(s.inputs)), "the state has it")
	s.mustUp("same", program)
}
