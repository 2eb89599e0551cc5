package main

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
)

var (
	// inlineCode is a name between backquotes, or a path that begins with a name.
	inlineCode = regexp.MustCompile("`([a-z][A-Za-z]*)([.][^`]*)?`")
	// resourceOptions are Pulumi's own names that descriptions mention.
	resourceOptions = []string{"customTimeouts"}
)

// withPythonNames makes the schema's descriptions use the Python names of inputs and outputs. It does not change examples,
// or names that are not properties of the schema, such as Kubernetes names.
func withPythonNames(text []byte) ([]byte, error) {
	var schema map[string]any
	if err := json.Unmarshal(text, &schema); err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, name := range resourceOptions {
		names[name] = true
	}
	collectNames(schema, names)
	renameIn(schema, names)
	return json.Marshal(schema)
}

// collectNames notes the names of all properties below a part of the schema.
func collectNames(part map[string]any, names map[string]bool) {
	for key, value := range part {
		below, ok := value.(map[string]any)
		if !ok {
			continue
		}
		switch key {
		case "properties", "inputProperties", "variables":
			for name := range below {
				names[name] = true
			}
		}
		collectNames(below, names)
	}
}

// renameIn rewrites the descriptions below a part of the schema.
func renameIn(part map[string]any, names map[string]bool) {
	for key, value := range part {
		switch value := value.(type) {
		case map[string]any:
			renameIn(value, names)
		case string:
			if key == "description" {
				part[key] = pythonNames(value, names)
			}
		}
	}
}

// pythonNames rewrites the names in a description up to the examples.
func pythonNames(description string, names map[string]bool) string {
	prose, examples, found := strings.Cut(description, "{{% examples %}}")
	prose = inlineCode.ReplaceAllStringFunc(prose, func(code string) string {
		parts := inlineCode.FindStringSubmatch(code)
		if !names[parts[1]] {
			return code
		}
		return "`" + python.PyName(parts[1]) + parts[2] + "`"
	})
	if found {
		return prose + "{{% examples %}}" + examples
	}
	return prose
}
