package main

import (
	"bytes"
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/sets"
)

// form is how a program declares a set of objects with a plugin.
type form func(plugin string, set sets.Set) (resources map[string]any, err error)

// The forms of programs that have one component for a set, and a KubeObject for each of its objects.
const (
	formManifests = "manifests"
	formObjects   = "objects"
)

// forms are those in which our provider can be told of a set.
var forms = map[string]form{formManifests: asManifests, formObjects: asObjects, "texts": asTexts}

// manifestsFile is a file beside the program with all objects of its set.
const manifestsFile = "manifests.yaml"

// asManifests names the file to the component for sets.
func asManifests(plugin string, set sets.Set) (map[string]any, error) {
	return map[string]any{set.Name: map[string]any{"type": plugin + ":Manifests", "properties": map[string]any{"files": []string{manifestsFile}}}}, nil
}

// asObjects declares each object as a KubeObject with a manifest.
func asObjects(plugin string, set sets.Set) (map[string]any, error) {
	return asKubeObjects(plugin, set, func(o sets.Object) (map[string]any, error) { return map[string]any{"manifest": o}, nil })
}

// asTexts declares each object as a KubeObject with the text of its manifest, which is one value for the engine.
func asTexts(plugin string, set sets.Set) (map[string]any, error) {
	return asKubeObjects(plugin, set, func(o sets.Object) (map[string]any, error) {
		text, err := yaml.Marshal(o)
		return map[string]any{"yaml": string(text)}, err
	})
}

// asKubeObjects declares each object as a KubeObject with some properties. What comes first is said: the namespace before
// all else, and a definition before what it defines.
func asKubeObjects(plugin string, set sets.Set, properties func(sets.Object) (map[string]any, error)) (map[string]any, error) {
	resources, definitions := map[string]any{}, set.Definitions()
	for _, o := range set.Objects {
		members, err := properties(o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", sets.Identity(o), err)
		}
		resource := map[string]any{"type": plugin + ":KubeObject", "properties": members}
		var first []string
		kind := o["kind"].(string)
		if set.Namespace != "" && kind != "Namespace" && kind != "CustomResourceDefinition" {
			first = append(first, "${"+resourceName("Namespace/"+set.Namespace)+"}")
		}
		group, _, _ := strings.Cut(o["apiVersion"].(string), "/")
		if definition, ok := definitions[group+"/"+kind]; ok {
			first = append(first, "${"+resourceName("CustomResourceDefinition/"+definition)+"}")
		}
		if len(first) > 0 {
			resource["options"] = map[string]any{"dependsOn": first}
		}
		name := resourceName(sets.Identity(o))
		if _, taken := resources[name]; taken {
			return nil, fmt.Errorf("two objects are called %s", name)
		}
		resources[name] = resource
	}
	return resources, nil
}

// asConfigGroup names the file to the official provider's component for sets. Nothing is awaited.
func asConfigGroup(_ string, set sets.Set) (map[string]any, error) {
	return map[string]any{set.Name: map[string]any{
		"type": "kubernetes:yaml/v2:ConfigGroup", "properties": map[string]any{"files": []string{manifestsFile}, "skipAwait": true},
	}}, nil
}

// resourceName is the name of an object in a program, in which ${} can refer to it.
func resourceName(identity string) string {
	return strings.NewReplacer("/", "-", ".", "-", ":", "-").Replace(identity)
}

// program is a program in YAML.
func (f form) program(plugin string, set sets.Set) ([]byte, error) {
	resources, err := f(plugin, set)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", set.Name, err)
	}
	text, err := yaml.Marshal(map[string]any{"name": projectName, "runtime": "yaml", "resources": resources})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", set.Name, err)
	}
	return bytes.TrimSpace(text), nil
}
