package probe_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// conflicts asks who is told to own a field that someone else applies.
func conflicts(p *probe) {
	p.each(func(manifest string, _ ...string) {
		one := fill(manifest, "one", "a")
		p.make(one)
		p.ask("the same value by another manager", p.apply(one, "fieldManager=sharing"))
		p.ask("another value by another manager", p.apply(fill(manifest, "one", "b"), "fieldManager=other"))
		p.ask("as a dry-run", p.apply(fill(manifest, "one", "b"), "fieldManager=other", dryRun))
		p.owners(p.ask("by force", p.apply(fill(manifest, "one", "b"), "fieldManager=other", "force=true")))
	})
	p.topic("of managers that update")
	one := fill(deployment, "updated", "1")
	p.make(one)
	p.ask("a merge patch", p.patch(mergePatch, one, `{"spec":{"replicas":3}}`, "fieldManager=editor"))
	p.ask("a status", request{
		path: p.pathOf(one) + "/status", contentType: mergePatch, query: options("fieldManager=controller"), body: `{"status":{"replicas":3}}`,
	})
	scaled := one + "  replicas: 1\n"
	p.ask("an apply of the same field", p.apply(scaled))
	p.owners(p.ask("by force", p.apply(scaled, "force=true")))
	p.topic("of several fields")
	p.make("{apiVersion: v1, kind: ConfigMap, metadata: {name: several}, data: {a: a, b: b, c: c}}")
	p.ask("another value of all", p.apply("{apiVersion: v1, kind: ConfigMap, metadata: {name: several}, data: {a: x, b: x, c: x}}", "fieldManager=other"))
	p.topic("fields that are left out")
	p.owners(p.ask("an apply without them", p.apply("{apiVersion: v1, kind: ConfigMap, metadata: {name: several}, data: {a: a}}")))
	p.show(p.ask("what remains", p.get(fill(configMap, "several", ""))), "data")
}

// managedFieldsEdits asks whether fields can be released with their values.
func managedFieldsEdits(p *probe) {
	p.each(func(manifest string, value ...string) {
		one := fill(manifest, "one", "a")
		made := p.make(one).object(p.t)
		entries := made.GetManagedFields()
		require.Len(p.t, entries, 1)

		emptied := slices.Clone(entries)
		emptied[0].FieldsV1 = metav1.NewFieldsV1("{}")
		p.ask("an old resourceVersion", p.patch(jsonPatch, one, replaceManagedFields(p, "1", emptied)))
		p.owners(p.ask("the fields of an entry replaced by none", p.patch(jsonPatch, one, replaceManagedFields(p, p.version(one), emptied))))
		p.show(p.ask("what remains", p.get(one)), value...)

		placeholder := []metav1.ManagedFieldsEntry{{
			Manager: "released-by-k8sconnect", Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: made.GetAPIVersion(),
			FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1("{}"),
		}}
		p.owners(p.ask("a placeholder that owns nothing", p.patch(jsonPatch, one, replaceManagedFields(p, p.version(one), placeholder))))
		placeholder[0].FieldsV1 = metav1.NewFieldsV1(`{"f:metadata":{"f:name":{}}}`)
		p.owners(p.ask("a placeholder that owns the name", p.patch(jsonPatch, one, replaceManagedFields(p, p.version(one), placeholder))))
		p.owners(p.ask("the next apply, of another value", p.apply(fill(manifest, "one", "b"))))

		p.owners(p.ask("all entries removed", p.patch(jsonPatch, one, replaceManagedFields(p, p.version(one), nil))))
		p.ask("the next apply, of another value, dry-run", p.apply(fill(manifest, "one", "c"), dryRun))
		p.owners(p.ask("replaced by an empty entry", p.patch(jsonPatch, one, replaceManagedFields(p, p.version(one), []metav1.ManagedFieldsEntry{{}}))))
		p.ask("the next apply, of another value", p.apply(fill(manifest, "one", "c")))
		p.owners(p.ask("the next apply, of the same value", p.apply(fill(manifest, "one", "b"))))
	})
	p.topic("one field of several")
	two := "{apiVersion: v1, kind: ConfigMap, metadata: {name: two}, data: {a: a, b: b}}"
	entries := p.make(two).object(p.t).GetManagedFields()
	entries[0].FieldsV1 = metav1.NewFieldsV1(`{"f:data":{"f:a":{}}}`)
	p.owners(p.ask("released", p.patch(jsonPatch, two, replaceManagedFields(p, p.version(two), entries))))
	p.ask("an apply without it", p.apply("{apiVersion: v1, kind: ConfigMap, metadata: {name: two}, data: {a: a}}"))
	p.show(p.ask("what remains", p.get(two)), "data")
	p.topic("entries that are none")
	right := metav1.ManagedFieldsEntry{
		Manager: "m", Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1", FieldsType: "FieldsV1",
		FieldsV1: metav1.NewFieldsV1(`{"f:data":{"f:b":{}}}`),
	}
	for _, wrong := range []struct {
		name   string
		change func(entry *metav1.ManagedFieldsEntry)
	}{
		{"operation", func(entry *metav1.ManagedFieldsEntry) { entry.Operation = "Guess" }},
		{"type of fields", func(entry *metav1.ManagedFieldsEntry) { entry.FieldsType = "FieldsV9" }},
		{"fields", func(entry *metav1.ManagedFieldsEntry) { entry.FieldsV1 = metav1.NewFieldsV1(`{"data":{}}`) }},
		{"version", func(entry *metav1.ManagedFieldsEntry) { entry.APIVersion = "v9" }},
	} {
		entry := right
		wrong.change(&entry)
		p.owners(p.ask(wrong.name, p.patch(jsonPatch, two, replaceManagedFields(p, p.version(two), []metav1.ManagedFieldsEntry{entry}))))
	}
}

// version is the resourceVersion that an object has now.
func (p *probe) version(manifest string) string {
	p.t.Helper()
	return p.send(p.get(manifest)).object(p.t).GetResourceVersion()
}

// replaceManagedFields is a JSON patch, guarded by the object's version.
func replaceManagedFields(p *probe, version string, entries []metav1.ManagedFieldsEntry) string {
	p.t.Helper()
	if entries == nil {
		entries = []metav1.ManagedFieldsEntry{}
	}
	content, err := json.Marshal([]map[string]any{
		{"op": "replace", "path": "/metadata/resourceVersion", "value": version},
		{"op": "replace", "path": "/metadata/managedFields", "value": entries},
	})
	require.NoError(p.t, err)
	return string(content)
}

// scale asks who owns the number of replicas that an autoscaler has written.
func scale(p *probe) {
	p.defineGadgets()
	const sized = "{apiVersion: probe.example/v1, kind: Gadget, metadata: {name: NAME}, spec: {text: a, size: VALUE}}"
	for _, kind := range []struct{ name, with, without, field string }{
		{"Deployment", deployment + "  replicas: VALUE\n", deployment, `{"f:spec":{"f:selector":{},"f:template":{}}}`},
		{"custom kind", sized, "{apiVersion: probe.example/v1, kind: Gadget, metadata: {name: NAME}, spec: {text: a}}", `{"f:spec":{"f:text":{}}}`},
	} {
		p.topic("%s", kind.name)
		scaleTo := func(manifest string, replicas int) request {
			return request{
				path: p.pathOf(manifest) + "/scale", contentType: mergePatch, query: options("fieldManager=autoscaler"),
				body: fmt.Sprintf(`{"spec":{"replicas":%d}}`, replicas),
			}
		}
		owned := fill(kind.with, "owned", "1")
		p.make(owned)
		p.ask("what is scaled", request{method: http.MethodGet, path: p.pathOf(owned) + "/scale"})
		p.ask("scale what a manager has applied", scaleTo(owned, 3))
		p.owners(p.ask("who owns it", p.get(owned)))
		p.ask("an apply of another number", p.apply(fill(kind.with, "owned", "2")))

		released := fill(kind.with, "released", "1")
		entries := p.make(released).object(p.t).GetManagedFields()
		entries[0].FieldsV1 = metav1.NewFieldsV1(kind.field)
		p.ask("release it", p.patch(jsonPatch, released, replaceManagedFields(p, p.version(released), entries)))
		p.ask("scale what nobody owns", scaleTo(released, 3))
		p.owners(p.ask("who owns it", p.get(released)))
		p.ask("an apply of another number", p.apply(fill(kind.with, "released", "2")))

		unset := fill(kind.without, "unset", "1")
		p.make(unset)
		p.ask("scale what was never set", scaleTo(unset, 3))
		p.owners(p.ask("who owns it", p.get(unset)))
		p.ask("an apply of another number", p.apply(fill(kind.with, "unset", "2")))
	}
}
