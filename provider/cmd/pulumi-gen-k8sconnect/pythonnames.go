package main

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
)

var (
	// inlineCode is a name between backquotes, or a path that begins with one.
	inlineCode = regexp.MustCompile("`([a-z][A-Za-z]*)([.][^`]*)?`")
	// resourceOptions are names of Pulumi's own that descriptions mention.
	resourceOptions = []string{"customTimeouts"}
)

// withPythonNames makes the schema's descriptions speak of inputs and outputs by the names that they have in
// Python. Examples stay as they are, and so do names that are no property of the schema: those of Kubernetes.
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
