package chart

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"text/template"

	"github.com/BurntSushi/toml"
	"github.com/Masterminds/sprig/v3"
	"sigs.k8s.io/yaml"
	yamlnode "sigs.k8s.io/yaml/goyaml.v3"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// Functions are the template functions whose results do not depend only on the chart.
type Functions struct {
	// Lookup finds an object in the cluster, or, without a name, a list of objects. If it is nil, nothing is found.
	Lookup func(apiVersion, kind, namespace, name string) (map[string]any, error)
	// Draws gives random values. If it is nil, they are random as in Helm.
	Draws Draws
}

// Draws gives templates random values that do not change between renderings.
type Draws interface {
	// Rewrite changes the text of a template so that it passes each call's place to Funcs. It depends on its arguments alone.
	Rewrite(file, text string) string
	// Funcs are the functions that a rewritten text calls.
	Funcs() template.FuncMap
	// File is the template that is being executed.
	File() string
}

// templateFunctions are Helm's template functions, except those that execute templates themselves. They differ from Helm's in that keys and
// values are always in the same order.
func templateFunctions(lookup func(apiVersion, kind, namespace, name string) (map[string]any, error)) template.FuncMap {
	functions := sprig.TxtFuncMap()
	delete(functions, "env")
	delete(functions, "expandenv")
	maps.Copy(functions, template.FuncMap{
		"toToml":        orText(toTOML),
		"mustToToml":    toTOML,
		"fromToml":      fromTOML,
		"toYaml":        orEmpty(toYAML),
		"mustToYaml":    toYAML,
		"toYamlPretty":  orEmpty(toYAMLPretty),
		"fromYaml":      fromText(yamlInto[map[string]any]),
		"fromYamlArray": fromTextArray(yamlInto[[]any]),
		"toJson":        orEmpty(toJSON),
		"mustToJson":    toJSON,
		"fromJson":      fromText(jsonInto[map[string]any]),
		"fromJsonArray": fromTextArray(jsonInto[[]any]),

		"required": required,
		"fail":     func(message string) (string, error) { return "", chartMessage(message) },
		"lookup": func(apiVersion, kind, namespace, name string) (map[string]any, error) {
			if lookup == nil {
				return map[string]any{}, nil
			}
			found, err := lookup(apiVersion, kind, namespace, name)
			copied, _ := values.DeepCopy(found).(map[string]any) // templates may change it
			return copied, err
		},
		"getHostByName": func(string) string { return "" },
		"keys":          sortedKeys,
		"values":        sortedValues,
	})
	return functions
}

// required refuses a missing value and an empty text.
func required(message string, value any) (any, error) {
	if value == nil || value == "" {
		return value, chartMessage(message)
	}
	return value, nil
}

func sortedKeys(dictionaries ...map[string]any) []string {
	found := []string{}
	for _, dictionary := range dictionaries {
		found = append(found, slices.Sorted(maps.Keys(dictionary))...)
	}
	return found
}

func sortedValues(dictionary map[string]any) []any {
	found := []any{}
	for _, key := range slices.Sorted(maps.Keys(dictionary)) {
		found = append(found, dictionary[key])
	}
	return found
}

func toYAML(value any) (string, error) {
	data, err := yaml.Marshal(value)
	return strings.TrimSuffix(string(data), "\n"), err
}

func toYAMLPretty(value any) (string, error) {
	var data bytes.Buffer
	encoder := yamlnode.NewEncoder(&data)
	encoder.SetIndent(2)
	err := encoder.Encode(value)
	return strings.TrimSuffix(data.String(), "\n"), err
}

func toJSON(value any) (string, error) {
	data, err := json.Marshal(value)
	return string(data), err
}

func toTOML(value any) (string, error) {
	var data bytes.Buffer
	err := toml.NewEncoder(&data).Encode(value)
	return data.String(), err
}

// orEmpty returns an empty text instead of an error.
func orEmpty(write func(any) (string, error)) func(any) string {
	return func(value any) string {
		text, err := write(value)
		if err != nil {
			return ""
		}
		return text
	}
}

// orText returns the text of an error instead of the error.
func orText(write func(any) (string, error)) func(any) string {
	return func(value any) string {
		text, err := write(value)
		if err != nil {
			return err.Error()
		}
		return text
	}
}

func yamlInto[T any](text string, into *T) error {
	if err := manifest.CheckAliases(text); err != nil {
		return err
	}
	return yaml.Unmarshal([]byte(text), into)
}

func jsonInto[T any](text string, into *T) error { return json.Unmarshal([]byte(text), into) }

// fromText reads a map. If the text is invalid, the member Error has the reason.
func fromText(read func(string, *map[string]any) error) func(string) map[string]any {
	return func(text string) map[string]any {
		found := map[string]any{}
		if err := read(text, &found); err != nil {
			if found == nil {
				found = map[string]any{}
			}
			found["Error"] = err.Error()
		}
		return found
	}
}

// fromTextArray reads a list. If the text is invalid, the reason is the only item.
func fromTextArray(read func(string, *[]any) error) func(string) []any {
	return func(text string) []any {
		found := []any{}
		if err := read(text, &found); err != nil {
			return []any{err.Error()}
		}
		return found
	}
}

// fromTOML refuses text that is nested deeper than the other formats allow, because the library would overflow the stack.
func fromTOML(text string) map[string]any {
	return fromText(func(text string, into *map[string]any) error {
		open := 0
		for _, letter := range text {
			switch letter {
			case '[', '{':
				open++
			case ']', '}':
				open--
			}
			if open > maxOpen {
				return &LimitError{"the text is nested too deep"}
			}
		}
		return toml.Unmarshal([]byte(text), into)
	})(text)
}
