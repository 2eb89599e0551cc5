package rpc_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// wanted is what the program of a life says at one time.
type wanted struct {
	// value is in a field of ours, ignorable in the one that may be ignored, selector in one that cannot be changed, and
	// secret in one whose value is secret, if it is not 0.
	value, ignorable, selector, secret int

	label, annotation, extra bool
	// names is an entry whose name is secret.
	names                      bool
	ignored, ignoresAnnotation bool
	// notes are annotations of which all is secret, and ignoresNotes ignores them.
	notes, ignoresNotes bool
	// swapped is another order of the same items, and whole another spelling of the same quantity.
	swapped, whole bool
	// unlimited is without the limit of cpu. tolerates is with a list that belongs to its owner as a whole, of which
	// ignoresSeconds ignores a part.
	unlimited, tolerates, ignoresSeconds bool
	// recreate is a change that a default is in the way of, and frozen one that makes the object immutable.
	recreate, frozen, invalid, adopt bool
	// takeOver is whether it takes the object over from the bakery.
	takeOver bool

	// patch is the kind of its Patch, if it has one, and patchValue, patchMore and guarded what that says.
	patch              string
	patchValue         int
	patchMore, guarded bool
	// wait is what it waits for, and patient whether it waits for what a controller does.
	wait    int
	patient bool
}

// manifest is the object of a program. It may hold Pulumi values.
func (p wanted) manifest(kind, namespace string) m {
	metadata := m{"name": "it", "namespace": namespace}
	if p.label {
		metadata["labels"] = m{"tier": "web"}
	}
	if p.annotation {
		metadata["annotations"] = m{"note": "ours"}
	}
	if p.notes {
		metadata["annotations"] = secret(m{hush: "noted"})
	}
	if kind == "ConfigMap" {
		return p.configMap(metadata)
	}
	return p.deployment(metadata)
}

func (p wanted) configMap(metadata m) m {
	data := m{"a": fmt.Sprint("value-", p.value), "b": fmt.Sprint("b-", p.ignorable)}
	if p.extra {
		data["extra"] = p.addition()
	}
	if p.secret > 0 {
		data["s"] = secret(fmt.Sprint(hush, "-", p.secret))
	}
	if p.names {
		data[hush] = "named"
	}
	if p.invalid {
		data["not/a/key"] = ""
	}
	manifest := m{"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}
	if p.names {
		manifest["data"] = secret(data)
	}
	if p.frozen {
		manifest["immutable"] = true
	}
	return manifest
}

// addition is the value of an entry, which is secret in a program that has secrets.
func (p wanted) addition() any {
	if p.secret > 0 {
		return secret(hush + "-too")
	}
	return "ours"
}

func (p wanted) deployment(metadata m) m {
	env := []any{m{"name": "A", "value": fmt.Sprint("value-", p.value)}, m{"name": "B", "value": "b"}}
	if p.extra {
		env = append(env, m{"name": "EXTRA", "value": p.addition()})
	}
	if p.secret > 0 {
		env = append(env, m{"name": "S", "value": secret(fmt.Sprint(hush, "-", p.secret))})
	}
	if p.names {
		env = append(env, m{"name": secret(hush), "value": "named"})
	}
	if p.swapped {
		slices.Reverse(env)
	}
	cpu := "1000m"
	if p.whole {
		cpu = "1"
	}
	selector := m{"app": fmt.Sprint("web-", p.selector)}
	container := m{"name": "web", "image": fmt.Sprint("nginx:", p.value), "env": env}
	if !p.unlimited {
		container["resources"] = m{"limits": m{"cpu": cpu}}
	}
	pod := m{"containers": []any{container}}
	if p.tolerates {
		pod["tolerations"] = []any{m{"key": "k", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": float64(300)}}
	}
	spec := m{
		"replicas": float64(2 + p.ignorable), "selector": m{"matchLabels": selector},
		"template": m{"metadata": m{"labels": selector}, "spec": pod},
	}
	if p.invalid {
		spec["minReadySeconds"] = float64(-1)
	}
	if p.recreate {
		spec["strategy"] = m{"type": "Recreate"}
	}
	return m{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}
}

// ignorable is the field of a kind that a program may ignore.
var ignorable = map[string][]string{"ConfigMap": {"data", "b"}, "Deployment": {"spec", "replicas"}}

// inputs is the program as the engine sees it.
func (p wanted) inputs(kind, namespace string) resource.PropertyMap {
	more := m{"deletionPropagation": "Background"} // nobody collects what a Deployment owns
	var ignored []any
	if p.ignored {
		path := ignorable[kind]
		ignored = append(ignored, path[0]+"."+path[1])
	}
	if p.ignoresAnnotation {
		ignored = append(ignored, "metadata.annotations.note")
	}
	if p.ignoresNotes {
		ignored = append(ignored, "metadata.annotations")
	}
	if p.ignoresSeconds {
		ignored = append(ignored, "spec.template.spec.tolerations[*].tolerationSeconds")
	}
	if len(ignored) > 0 {
		more["ignoreFields"] = ignored
	}
	if p.adopt {
		more["adopt"] = true
	}
	if p.takeOver {
		more["takeOverFrom"] = []any{p.takesOver()[0]}
	}
	return program(p.manifest(kind, namespace), more)
}

// takesOver are the managers that the program takes the object over from.
func (p wanted) takesOver() []string {
	if !p.takeOver {
		return nil
	}
	return []string{managerFor("k8sconnect-", bakeryURN)}
}

// ignores tells the parts of the object that the program ignores.
func (p wanted) ignores(kind string) func(path string) bool {
	return func(path string) bool {
		return p.ignored && path == "."+strings.Join(ignorable[kind], ".") || p.ignoresAnnotation && path == ".metadata.annotations.note" ||
			p.ignoresNotes && strings.HasPrefix(path, ".metadata.annotations.") || p.ignoresSeconds && strings.HasSuffix(path, ".tolerationSeconds")
	}
}

// compared is what of the manifest the live object must have.
func (p wanted) compared(kind string, manifest m) m {
	if p.ignored {
		unstructured.RemoveNestedField(manifest, ignorable[kind]...)
	}
	if p.ignoresAnnotation {
		unstructured.RemoveNestedField(manifest, "metadata", "annotations", "note")
	}
	if p.ignoresNotes {
		unstructured.RemoveNestedField(manifest, "metadata", "annotations")
	}
	if tolerations, ok, _ := unstructured.NestedSlice(manifest, "spec", "template", "spec", "tolerations"); ok && p.ignoresSeconds {
		delete(tolerations[0].(m), "tolerationSeconds")
		_ = unstructured.SetNestedSlice(manifest, tolerations, "spec", "template", "spec", "tolerations")
	}
	return manifest
}

// mustReplace reports whether the program wants what the API server does not change in place.
func (p wanted) mustReplace(live *unstructured.Unstructured) bool {
	if live.GetKind() == "ConfigMap" {
		frozen, _, _ := unstructured.NestedBool(live.Object, "immutable")
		return frozen
	}
	app, _, _ := unstructured.NestedString(live.Object, "spec", "selector", "matchLabels", "app")
	return app != fmt.Sprint("web-", p.selector)
}

// The changes of the program that others can make a difference to.
var (
	saysValue    = says("value", 3, func(p *wanted, n int) { p.value = n })
	saysSecret   = says("secret", 3, func(p *wanted, n int) { p.secret = n })
	labels       = switches("sets a label", func(p *wanted) *bool { return &p.label })
	annotates    = switches("sets an annotation", func(p *wanted) *bool { return &p.annotation })
	addsEntry    = switches("has an extra entry", func(p *wanted) *bool { return &p.extra })
	ignoresField = switches("ignores a field", func(p *wanted) *bool { return &p.ignored })
	ignoresNote  = switches("ignores the annotation", func(p *wanted) *bool { return &p.ignoresAnnotation })
	notes        = switches("has annotations that are secret", func(p *wanted) *bool { return &p.notes })
	ignoresNotes = switches("ignores all annotations", func(p *wanted) *bool { return &p.ignoresNotes })
	swaps        = switches("turns the order of env around", func(p *wanted) *bool { return &p.swapped })
	unlimits     = switches("has no limit", func(p *wanted) *bool { return &p.unlimited })
	tolerates    = switches("has tolerations", func(p *wanted) *bool { return &p.tolerates })
	ignoresTimes = switches("ignores the seconds of its tolerations", func(p *wanted) *bool { return &p.ignoresSeconds })
	recreates    = switches("has the strategy Recreate", func(p *wanted) *bool { return &p.recreate })
)

// changesOfObject are the changes of the program about its object.
var changesOfObject = []chapter{
	{5, cast{}, "", saysValue},
	{3, cast{}, "", saysSecret},
	{2, cast{}, "", says("for the field that may be ignored", 3, func(p *wanted, n int) { p.ignorable = n })},
	{1, cast{object: "Deployment"}, "", says("selector", 2, func(p *wanted, n int) { p.selector = n })},
	{2, cast{}, "", labels},
	{2, cast{}, "", annotates},
	{2, cast{}, "", addsEntry},
	{2, cast{}, "", ignoresField},
	{1, cast{}, "D48", ignoresNote},
	{2, cast{object: "Deployment"}, "", switches("says 1 instead of 1000m", func(p *wanted) *bool { return &p.whole })},
	{2, cast{object: "Deployment"}, "D6", swaps},
	{3, cast{object: "Deployment"}, "", unlimits},
	{2, cast{object: "Deployment"}, "", tolerates},
	{2, cast{object: "Deployment"}, "", ignoresTimes},
	{2, cast{object: "Deployment"}, "", recreates},
	{1, cast{object: "ConfigMap"}, "", switches("makes the object immutable", func(p *wanted) *bool { return &p.frozen })},
	{1, cast{}, "", switches("is invalid", func(p *wanted) *bool { return &p.invalid })},
	{3, cast{}, "", func(random drawing) step {
		n := random.IntN(4)
		return step{fmt.Sprintf("the program is again what it was %d ups ago", n+1), func(l *life) error {
			if len(l.accepted) > n {
				l.wants = l.accepted[len(l.accepted)-1-n]
			}
			return nil
		}}
	}},
	{1, cast{}, "", switches("takes the object over from the bakery", func(p *wanted) *bool { return &p.takeOver })},
}
