package probe_test

import (
	"fmt"
	"net/http"
	"sync"
)

// onlyCreate is a manifest that an apply refuses if the object exists.
func onlyCreate(manifest string) string { return withMetadata(manifest, `resourceVersion: "1"`) }

// someoneElse is the uid of no object.
const someoneElse = "00000000-0000-4000-8000-000000000000"

// createOnly asks for what a create depends on: of many who create one name, one has made the object.
func createOnly(p *probe) {
	const creators = 40
	p.each(func(manifest string, _ ...string) {
		one := onlyCreate(fill(manifest, "one", "a"))
		p.ask("absent, dry-run", p.apply(one, dryRun))
		p.ask("absent", p.apply(one))
		p.ask("present, dry-run", p.apply(one, dryRun))
		p.ask("present", p.apply(one))
		p.ask("present, by force", p.apply(one, "force=true"))
		p.ask("present, by another manager", p.apply(one, "fieldManager=other", "force=true"))

		var together sync.WaitGroup
		var lock sync.Mutex
		codes := map[int]int{}
		for i := range creators {
			together.Go(func() {
				code := p.send(p.apply(onlyCreate(fill(manifest, "contested", "a")), fmt.Sprintf("fieldManager=creator-%d", i))).code
				lock.Lock()
				defer lock.Unlock()
				codes[code]++
			})
		}
		together.Wait()
		p.line("%d creators at once: %d × 201, %d × 409", creators, codes[http.StatusCreated], codes[http.StatusConflict])
	})
}

// preconditions asks what happens if the object is another one or has changed.
func preconditions(p *probe) {
	p.each(func(manifest string, _ ...string) {
		one, changed := fill(manifest, "one", "a"), fill(manifest, "one", "b")
		uid := p.make(one).object(p.t).GetUID()
		p.ask("apply, right uid", p.apply(withMetadata(changed, "uid: %s", uid)))
		p.ask("apply, wrong uid", p.apply(withMetadata(one, "uid: %s", someoneElse)))
		p.ask("apply, wrong uid, dry-run", p.apply(withMetadata(one, "uid: %s", someoneElse), dryRun))
		p.ask("apply, uid of an object that is absent", p.apply(withMetadata(fill(manifest, "absent", "a"), "uid: %s", someoneElse)))
		p.ask("merge patch, right uid", p.patch(mergePatch, one, fmt.Sprintf(`{"metadata":{"uid":%q,"labels":{"b":"c"}}}`, uid)))
		p.ask("merge patch, wrong uid", p.patch(mergePatch, one, fmt.Sprintf(`{"metadata":{"uid":%q,"labels":{"b":"d"}}}`, someoneElse)))
		p.ask("merge patch, old resourceVersion", p.patch(mergePatch, one, `{"metadata":{"resourceVersion":"1","labels":{"b":"d"}}}`))
		p.ask("JSON patch, test that fails", p.patch(jsonPatch, one,
			fmt.Sprintf(`[{"op":"test","path":"/metadata/uid","value":%q},{"op":"add","path":"/metadata/labels/b","value":"d"}]`, someoneElse)))
		p.ask("JSON patch, path that is absent", p.patch(jsonPatch, one, `[{"op":"remove","path":"/metadata/annotations/absent"}]`))
		p.ask("merge patch of an object that is absent", p.patch(mergePatch, fill(manifest, "absent", "a"), `{"metadata":{"labels":{"b":"d"}}}`))
	})
}

// deletes asks how objects go.
func deletes(p *probe) {
	p.each(func(manifest string, _ ...string) {
		one := fill(manifest, "one", "a")
		made := p.make(one).object(p.t)
		p.ask("wrong uid", p.remove(one, fmt.Sprintf(`{"preconditions":{"uid":%q}}`, someoneElse)))
		p.ask("old resourceVersion", p.remove(one, `{"preconditions":{"resourceVersion":"1"}}`))
		p.ask("dry-run", p.remove(one, `{"dryRun":["All"]}`))
		p.ask("still there", p.get(one))
		p.ask("right uid", p.remove(one, fmt.Sprintf(`{"preconditions":{"uid":%q},"propagationPolicy":"Background"}`, made.GetUID())))
		p.ask("gone", p.get(one))
		p.ask("a second time", p.remove(one, ""))
	})
	p.topic("held by a finalizer")
	held := withMetadata(fill(configMap, "held", "a"), "finalizers: [probe.example/hold]")
	p.make(held)
	going := p.ask("delete", p.remove(held, ""))
	p.show(going, "metadata", "deletionTimestamp")
	p.show(going, "metadata", "finalizers")
	p.ask("a create of the same name", p.apply(onlyCreate(fill(configMap, "held", "b"))))
	p.ask("a create of the same name, dry-run", p.apply(onlyCreate(fill(configMap, "held", "b")), dryRun))
	p.ask("an apply", p.apply(withMetadata(fill(configMap, "held", "b"), "finalizers: [probe.example/hold]")))
	p.ask("an apply with one finalizer more", p.apply(withMetadata(fill(configMap, "held", "b"), "finalizers: [probe.example/hold, probe.example/more]")))
	p.ask("an apply without its finalizer", p.apply(fill(configMap, "held", "b")))
	p.ask("gone", p.get(held))
	p.topic("in the foreground")
	owner := fill(deployment, "owner", "1")
	p.make(owner)
	p.show(p.ask("delete", p.remove(owner, `{"propagationPolicy":"Foreground"}`)), "metadata", "finalizers")
	p.topic("policy that is none")
	p.ask("delete", p.remove(owner, `{"propagationPolicy":"Never"}`))
}

// wrongRequests asks how what cannot be understood is refused.
func wrongRequests(p *probe) {
	p.defineGadgets()
	one := fill(configMap, "one", "a")
	p.make(one)
	path := p.pathOf(one)
	applied := func(path, body string) request {
		return request{path: path, contentType: applyPatch, query: options("fieldManager=probe", "fieldValidation=Strict"), body: body}
	}
	for _, r := range []struct {
		name string
		request
	}{
		{"a body that is no YAML", applied(path, "{a: ")},
		{"an empty body", applied(path, "")},
		{"another name than the path", applied(path, fill(configMap, "other", "a"))},
		{"another namespace than the path", applied(path, withMetadata(one, "namespace: other"))},
		{"another kind than the path", applied(path, fill(account, "one", "a"))},
		{"another version than the path", applied(path, "{apiVersion: v2, kind: ConfigMap, metadata: {name: one}}")},
		{"no kind", applied(path, "{apiVersion: v1, metadata: {name: one}}")},
		{"a name that is none", applied(p.path("v1", "ConfigMap", "No_Name"), fill(configMap, "No_Name", "a"))},
		{"a label that is none", applied(path, withMetadata(one, `labels: {"a b": c}`))},
		{"an annotation key that is none", applied(path, withMetadata(one, `annotations: {"a b": c}`))},
		{"managedFields in an apply", applied(path, withMetadata(one, "managedFields: [{manager: other}]"))},
		{"no fieldManager", request{path: path, contentType: applyPatch, body: one}},
		{"a fieldManager that is too long", p.apply(one, "fieldManager="+fmt.Sprintf("%0129d", 0))},
		{"a fieldManager that cannot be printed", p.apply(one, "fieldManager=a%07b")},
		{"a dryRun that is none", p.apply(one, "dryRun=Some")},
		{"a fieldValidation that is none", p.apply(one, "fieldValidation=Sometimes")},
		{"a content type that is none", request{path: path, contentType: "text/plain", body: one}},
		{"an answer that is none", request{method: http.MethodGet, path: path, accept: "text/csv"}},
		{"a strategic patch of a custom kind", request{
			path: p.path("probe.example/v1", "Gadget", "one"), contentType: "application/strategic-merge-patch+json", body: "{}",
		}},
		{"a JSON patch that is none", p.patch(jsonPatch, one, `{"op":"add"}`)},
		{"a merge patch that is none", p.patch(mergePatch, one, `[]`)},
		{"a kind that is not served", request{method: http.MethodGet, path: "/api/v1/namespaces/default/nothings/one"}},
		{"a group that is not served", request{method: http.MethodGet, path: "/apis/absent.example/v1/nothings/one"}},
		{"a version that is not served", request{method: http.MethodGet, path: "/apis/apps/v9/namespaces/default/deployments/one"}},
		{"an object that is absent", p.get(fill(configMap, "absent", "a"))},
		{"an object in a namespace that is absent", applied("/api/v1/namespaces/absent/configmaps/one", one)},
		{"a method that is not allowed", request{method: http.MethodPut, path: "/api/v1/namespaces", contentType: yamlBody, body: one}},
		{"a namespace that is named in the path of a kind without", request{method: http.MethodGet, path: "/api/v1/namespaces/default/nodes/one"}},
	} {
		p.ask(r.name, r.request)
	}
}
