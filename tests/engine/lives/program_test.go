package lives_test

import (
	"maps"
	"slices"

	"github.com/pulumi/pulumi/pkg/v3/resource/deploy/deploytest"
	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
)

// declared is a resource of a program.
type declared struct {
	token, name string
	inputs      m
	options     deploytest.ResourceOptions
	// about is the resource before it whose resourceRef is an input of this one.
	about string
}

// with changes a resource of a program.
type with func(*declared)

func object(name string, manifest m, changes ...with) declared {
	return made("KubeObject", name, m{"manifest": manifest}, changes)
}

func made(kind, name string, inputs m, changes []with) declared {
	d := declared{token: "k8sconnect:index:" + kind, name: name, inputs: inputs}
	for _, change := range changes {
		change(&d)
	}
	return d
}

// input sets an input beside the manifest.
func input(key string, value any) with { return func(d *declared) { d.inputs[key] = value } }

// ignoring sets ignoreFields.
func ignoring(paths ...string) with {
	values := make([]any, len(paths))
	for i, path := range paths {
		values[i] = path
	}
	return input("ignoreFields", values)
}

// retained sets Pulumi's retainOnDelete.
func retained(d *declared) { yes := true; d.options.RetainOnDelete = &yes }

// patchOf is a Patch, and waitOn a Wait on what another resource made.
func patchOf(name string, inputs m, changes ...with) declared {
	inputs["takeOwnership"] = true
	return made("Patch", name, inputs, changes)
}

func waitOn(about, name string, waitFor m, changes ...with) declared {
	d := made("Wait", name, m{"waitFor": waitFor}, changes)
	d.about = about
	return d
}

// kind and identity of the object of a KubeObject.
func (d declared) kind() string { return d.manifest()["kind"].(string) }

func (d declared) manifest() m {
	manifest, _ := d.inputs["manifest"].(m)
	return manifest
}

func (d declared) object() string { return d.manifest()["metadata"].(m)["name"].(string) }

// declare has the stack run a program. Manifests that name no namespace are in that of the place.
func (p *place) declare(program ...declared) {
	p.Helper()
	program = slices.Clone(program)
	for i, d := range program {
		program[i].inputs = p.placed(d.inputs)
	}
	p.program = program
	require.NoError(p, p.stack.Run("life", runs(program)))
}

// placed are inputs with the namespace of the place.
func (p *place) placed(inputs m) m {
	inputs = maps.Clone(inputs)
	if manifest, ok := inputs["manifest"].(m); ok && !unscoped[manifest["kind"].(string)] {
		inputs["manifest"] = merge(m{"metadata": m{"namespace": p.namespace}}, manifest)
	}
	if target, ok := inputs["target"].(m); ok && !unscoped[target["kind"].(string)] {
		inputs["target"] = merge(m{"namespace": p.namespace}, target)
	}
	return inputs
}

// runs is the program as a function: it registers its resources one after the other.
func runs(program []declared) engine.Program {
	return func(_ plugin.RunInfo, monitor *deploytest.ResourceMonitor) error {
		references := map[string]resource.PropertyValue{}
		for _, d := range program {
			options := d.options
			options.Inputs = resource.NewPropertyMapFromMap(d.inputs)
			if d.about != "" {
				options.Inputs["resourceRef"] = references[d.about]
			}
			answer, err := monitor.RegisterResource(tokens.Type(d.token), d.name, true, options)
			if err != nil {
				return err
			}
			references[d.name] = resource.MakeComputed(resource.NewProperty(""))
			if reference, ok := answer.Outputs["resourceRef"]; ok {
				references[d.name] = reference
			}
		}
		return nil
	}
}

// do runs an operation.
func (p *place) do(kind engine.Kind, options engine.Options) engine.Result {
	p.Helper()
	return p.stack.Do(p.Context(), kind, options)
}

// up declares a program if there is one, runs an up, and fails if that does.
func (p *place) up(program ...declared) engine.Result {
	p.Helper()
	result := p.tryUp(program...)
	require.NoError(p, result.Err, "%s", result.Output)
	return result
}

// tryUp may fail.
func (p *place) tryUp(program ...declared) engine.Result {
	p.Helper()
	if len(program) > 0 {
		p.declare(program...)
	}
	return p.do(engine.Up, engine.Options{})
}

// changed is a copy of a manifest with another one merged in, in YAML.
func changed(manifest m, patch string) m { return merge(manifest, parse(patch)) }

func merge(tree, patch m) m {
	tree = maps.Clone(tree)
	for _, key := range slices.Sorted(maps.Keys(patch)) {
		inside, isMap := patch[key].(m)
		below, wasMap := tree[key].(m)
		switch {
		case patch[key] == nil:
			delete(tree, key)
		case isMap && wasMap:
			tree[key] = merge(below, inside)
		default:
			tree[key] = patch[key]
		}
	}
	return tree
}
