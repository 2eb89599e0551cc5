package rpc_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// object is a manifest from YAML.
func object(t testing.TB, format string, args ...any) map[string]any {
	t.Helper()
	var result map[string]any
	require.NoError(t, yaml.Unmarshal(fmt.Appendf(nil, format, args...), &result))
	return result
}

// configMap is the object of most tests. data may hold Pulumi values.
func (w world) configMap(name string, data map[string]any) map[string]any {
	if data == nil {
		data = map[string]any{"a": "1", "b": "2"}
	}
	return map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"name": name, "namespace": w.namespace},
		"data":     data,
	}
}

// program is what a Pulumi program gives to the resource: the manifest and further inputs.
func program(manifest any, more ...map[string]any) resource.PropertyMap {
	inputs := map[string]any{"manifest": manifest}
	for _, m := range more {
		maps.Copy(inputs, m)
	}
	return resource.NewPropertyMapFromMap(inputs)
}

// with is a program with one value of the manifest replaced.
func with(t testing.TB, in resource.PropertyMap, path string, v any) resource.PropertyMap {
	t.Helper()
	parsed, err := resource.ParsePropertyPath(path)
	require.NoError(t, err)
	clone := in.Copy()
	raw, err := json.Marshal(plain(resource.NewProperty(clone)))
	require.NoError(t, err)
	var deep map[string]any
	require.NoError(t, json.Unmarshal(raw, &deep))
	root := resource.NewProperty(resource.NewPropertyMapFromMap(deep))
	_, ok := parsed.Add(root, resource.NewPropertyValue(v))
	require.True(t, ok, "no place for %s", path)
	return root.ObjectValue()
}

func secret(v any) resource.PropertyValue { return resource.MakeSecret(resource.NewPropertyValue(v)) }

// unknown is an output of a resource that is made in the same run.
func unknown() resource.PropertyValue { return resource.MakeComputed(resource.NewProperty("")) }

// plain is a value without its marks.
func plain(v resource.PropertyValue) any {
	switch {
	case v.IsSecret():
		return plain(v.SecretValue().Element)
	case v.IsOutput():
		if !v.OutputValue().Known {
			return unknownText
		}
		return plain(v.OutputValue().Element)
	case v.IsComputed():
		return unknownText
	case v.IsObject():
		result := map[string]any{}
		for key, member := range v.ObjectValue() {
			result[string(key)] = plain(member)
		}
		return result
	case v.IsArray():
		result := []any{}
		for _, item := range v.ArrayValue() {
			result = append(result, plain(item))
		}
		return result
	default:
		return v.V
	}
}

// unknownText is how plain writes a value that is not known.
const unknownText = "<unknown>"

// at is the value at a path, without marks; nil where there is none.
func at(t testing.TB, in resource.PropertyMap, path string) any {
	t.Helper()
	parsed, err := resource.ParsePropertyPath(path)
	require.NoError(t, err)
	v, ok := parsed.Get(resource.NewPropertyValue(plain(resource.NewProperty(in))))
	if !ok {
		return nil
	}
	return plain(v)
}

// leaves says of every leaf whether it is secret.
func leaves(v resource.PropertyValue) map[string]bool {
	result := map[string]bool{}
	collect(v, nil, false, result)
	return result
}

func collect(v resource.PropertyValue, path resource.PropertyPath, hidden bool, into map[string]bool) {
	for {
		switch {
		case v.IsSecret():
			hidden, v = true, v.SecretValue().Element
			continue
		case v.IsOutput():
			hidden = hidden || v.OutputValue().Secret
			if v.OutputValue().Known {
				v = v.OutputValue().Element
				continue
			}
		}
		break
	}
	below := func(segment any) resource.PropertyPath { return append(slices.Clip(path), segment) }
	switch {
	case v.IsObject() && len(v.ObjectValue()) > 0:
		for key, member := range v.ObjectValue() {
			collect(member, below(string(key)), hidden, into)
		}
	case v.IsArray() && len(v.ArrayValue()) > 0:
		for i, item := range v.ArrayValue() {
			collect(item, below(i), hidden, into)
		}
	default:
		into[path.String()] = hidden
	}
}

// secretLeaves are the paths of the leaves that are secret.
func secretLeaves(v resource.PropertyValue) []string {
	var paths []string
	for path, hidden := range leaves(v) {
		if hidden && path != "__cluster.server" { // a part of the connection, which is always secret
			paths = append(paths, path)
		}
	}
	return paths
}

// clear is all that is readable in a map: what a thief of the state would see.
func clear(in resource.PropertyMap) string {
	text, err := json.Marshal(readable(resource.NewProperty(in)))
	if err != nil {
		panic(err)
	}
	return string(text)
}

func readable(v resource.PropertyValue) any {
	switch {
	case v.IsSecret():
		return "[secret]"
	case v.IsOutput():
		if v.OutputValue().Secret {
			return "[secret]"
		}
		return readable(v.OutputValue().Element)
	case v.IsObject():
		result := map[string]any{}
		for key, member := range v.ObjectValue() {
			result[string(key)] = readable(member)
		}
		return result
	case v.IsArray():
		result := []any{}
		for _, item := range v.ArrayValue() {
			result = append(result, readable(item))
		}
		return result
	default:
		return plain(v)
	}
}

// sent is a value in the engine's form, received one in that of the tests: the tests are in the form of the SDK for Go.
func sent(values resource.PropertyMap) property.Map { return resource.FromResourcePropertyMap(values) }

func received(values property.Map) resource.PropertyMap {
	return resource.ToResourcePropertyMap(values)
}

// receivedAny is received of something that may not be there.
func receivedAny(values *property.Map) resource.PropertyMap {
	if values == nil {
		return nil
	}
	return received(*values)
}

func sentMap(values map[string]any) property.Map { return sent(resource.NewPropertyMapFromMap(values)) }
