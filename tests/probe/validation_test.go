package probe_test

// fieldValidation asks how mistakes in a manifest are refused, by an apply and by a create.
func fieldValidation(p *probe) {
	p.defineGadgets()
	deploymentWith := func(field string) string {
		return `
apiVersion: apps/v1
kind: Deployment
metadata: {name: one}
spec:
  ` + field + `
  selector: {matchLabels: {app: it}}
  template:
    metadata: {labels: {app: it}}
    spec: {containers: [{name: main, image: nginx}]}
`
	}
	containerWith := func(field string) string {
		return "{apiVersion: v1, kind: Pod, metadata: {name: one}, spec: {containers: [{name: main, image: nginx, " + field + "}]}}"
	}
	gadgetWith := func(spec string) string {
		return "{apiVersion: probe.example/v1, kind: Gadget, metadata: {name: one}, spec: {" + spec + "}}"
	}
	const map1 = "{apiVersion: v1, kind: ConfigMap, metadata: {name: one}, "
	for _, c := range []struct{ name, manifest string }{
		{"unknown field", deploymentWith("replica: 1")},
		{"unknown field at the top", map1 + "dota: {a: b}}"},
		{"unknown field in an item", containerWith("imagePullPolice: Always")},
		{"field twice", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\ndata: {a: b}\ndata: {a: c}\n"},
		{"key of a map twice", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\ndata:\n  a: b\n  a: c\n"},
		{"text for a number", deploymentWith("replicas: many")},
		{"number for a text", map1 + "data: {a: 1}}"},
		{"list for an object", deploymentWith("strategy: []")},
		{"object for a list", containerWith("env: {a: b}")},
		{"item twice", containerWith("env: [{name: A, value: b}, {name: A, value: c}]")},
		{"item without its key", containerWith("env: [{value: b}]")},
		{"quantity that is none", containerWith("resources: {requests: {cpu: much}}")},
		{"port that is none", containerWith("ports: [{containerPort: 70000}]")},
		{"value that is not one of those", containerWith("imagePullPolicy: Sometimes")},
		{"required field that is missing", "{apiVersion: v1, kind: Pod, metadata: {name: one}, spec: {containers: []}}"},
		{"base64 that is none", "{apiVersion: v1, kind: Secret, metadata: {name: one}, data: {a: '*'}}"},
		{"reference without its group", "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: one}, " +
			"spec: {maxReplicas: 2, scaleTargetRef: {kind: Deployment, name: one}}}"},
		{"custom kind, unknown field", gadgetWith("text: a, txt: b")},
		{"custom kind, field twice", "apiVersion: probe.example/v1\nkind: Gadget\nmetadata: {name: one}\nspec:\n  text: a\n  text: b\n"},
		{"custom kind, text for a number", gadgetWith("text: a, size: many")},
		{"custom kind, number for a text", gadgetWith("text: 1")},
		{"custom kind, list for an object", "{apiVersion: probe.example/v1, kind: Gadget, metadata: {name: one}, spec: []}"},
		{"custom kind, item twice", gadgetWith("text: a, ports: [{name: b}, {name: b}]")},
		{"custom kind, item without its key", gadgetWith("text: a, ports: [{port: 1}]")},
		{"custom kind, required field that is missing", gadgetWith("size: 1")},
		{"custom kind, value that is not one of those", gadgetWith("text: a, mode: other")},
		{"custom kind, number that is too small", gadgetWith("text: a, size: -1")},
		{"custom kind, text that is too long", gadgetWith("text: aaaaaaaaaaaaaaaaaaaaa")},
	} {
		p.topic("%s", c.name)
		p.ask("apply", p.apply(c.manifest, dryRun))
		p.ask("create", p.post(c.manifest, dryRun, "fieldValidation=Strict"))
	}
	p.topic("what is not strict")
	for _, manifest := range []string{deploymentWith("replica: 1"), gadgetWith("text: a, txt: b")} {
		for _, validation := range []string{"Warn", "Ignore"} {
			p.ask("apply, "+validation, p.apply(manifest, dryRun, "fieldValidation="+validation))
			p.ask("create, "+validation, p.post(manifest, dryRun, "fieldValidation="+validation))
		}
	}
	p.topic("patches")
	one := fill(deployment, "patched", "1")
	p.make(one)
	for _, validation := range []string{"Strict", "Warn"} {
		p.ask("merge patch with an unknown field, "+validation,
			p.patch(mergePatch, one, `{"spec":{"replica":1}}`, dryRun, "fieldValidation="+validation))
		p.ask("JSON patch with an unknown field, "+validation,
			p.patch(jsonPatch, one, `[{"op":"add","path":"/spec/replica","value":1}]`, dryRun, "fieldValidation="+validation))
	}
	p.ask("merge patch with a text for a number", p.patch(mergePatch, one, `{"spec":{"replicas":"many"}}`, dryRun, "fieldValidation=Strict"))
}
