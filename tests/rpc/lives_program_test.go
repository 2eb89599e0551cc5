package rpc_test

import (
	"fmt"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// wanted is what the program of a life says at one time.
type wanted struct {
	// value is in a field of ours, ignorable in the one that may be ignored, selector in one that cannot be changed, and
	// secret in one whose value is secret, if it is not 0.
	value, ignorable, selector, secret int

	label, annotation, extra   bool
	ignored, ignoresAnnotation bool
	// swapped is another order of the same items, and whole another spelling of the same quantity.
	swapped, whole bool
	// recreate is a change that a default is in the way of, and frozen one that makes the object immutable.
	recreate, frozen, invalid, adopt bool
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
	if kind == "ConfigMap" {
		return p.configMap(metadata)
	}
	return p.deployment(metadata)
}

func (p wanted) configMap(metadata m) m {
	data := m{"a": fmt.Sprint("value-", p.value), "b": fmt.Sprint("b-", p.ignorable)}
	if p.extra {
		data["extra"] = "ours"
	}
	if p.secret > 0 {
		data["s"] = secret(fmt.Sprint(hush, "-", p.secret))
	}
	if p.invalid {
		data["not/a/key"] = ""
	}
	manifest := m{"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}
	if p.frozen {
		manifest["immutable"] = true
	}
	return manifest
}

func (p wanted) deployment(metadata m) m {
	env := []any{m{"name": "A", "value": fmt.Sprint("value-", p.value)}, m{"name": "B", "value": "b"}}
	if p.extra {
		env = append(env, m{"name": "EXTRA", "value": "ours"})
	}
	if p.secret > 0 {
		env = append(env, m{"name": "S", "value": secret(fmt.Sprint(hush, "-", p.secret))})
	}
	if p.swapped {
		slices.Reverse(env)
	}
	cpu := "1000m"
	if p.whole {
		cpu = "1"
	}
	selector := m{"app": fmt.Sprint("web-", p.selector)}
	spec := m{
		"replicas": float64(2 + p.ignorable), "selector": m{"matchLabels": selector},
		"template": m{"metadata": m{"labels": selector}, "spec": m{"containers": []any{m{
			"name": "web", "image": fmt.Sprint("nginx:", p.value), "env": env, "resources": m{"limits": m{"cpu": cpu}},
		}}}},
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
	if len(ignored) > 0 {
		more["ignoreFields"] = ignored
	}
	if p.adopt {
		more["adopt"] = true
	}
	return program(p.manifest(kind, namespace), more)
}
