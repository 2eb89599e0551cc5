package edit

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// resourcesOf returns an object in the form that the library works on.
func resourcesOf(content map[string]any) (resmap.ResMap, error) {
	node, err := toNode(content)
	if err != nil {
		return nil, err
	}
	alone := resmap.New()
	return alone, alone.Append(&resource.Resource{RNode: *yaml.NewRNode(node)})
}

// contentOf returns an object that the library has worked on.
func contentOf(from *resource.Resource) (map[string]any, error) {
	value, err := fromNode(from.YNode())
	if err != nil {
		return nil, err
	}
	content, isMap := value.(map[string]any)
	if !isMap {
		return nil, errors.New("it is no map any more")
	}
	return content, nil
}

// toNode makes the nodes of a value. The library itself would go through text, where numbers lose their types.
func toNode(value any) (*yaml.Node, error) {
	scalar := func(tag, text string) (*yaml.Node, error) {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: text}, nil
	}
	switch value := value.(type) {
	case nil:
		return scalar(yaml.NodeTagNull, "null")
	case bool:
		return scalar(yaml.NodeTagBool, strconv.FormatBool(value))
	case string:
		// The quotes keep a text a text when the library writes the object as YAML and reads it again.
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: yaml.NodeTagString, Style: yaml.DoubleQuotedStyle, Value: value}, nil
	case int:
		return scalar(yaml.NodeTagInt, strconv.Itoa(value))
	case int64:
		return scalar(yaml.NodeTagInt, strconv.FormatInt(value, 10))
	case uint64:
		return scalar(yaml.NodeTagInt, strconv.FormatUint(value, 10))
	case float64:
		return scalar(yaml.NodeTagFloat, strconv.FormatFloat(value, 'g', -1, 64))
	case map[string]any:
		node := &yaml.Node{Kind: yaml.MappingNode, Tag: yaml.NodeTagMap}
		for _, key := range slices.Sorted(maps.Keys(value)) {
			name, _ := toNode(key)
			member, err := toNode(value[key])
			if err != nil {
				return nil, err
			}
			node.Content = append(node.Content, name, member)
		}
		return node, nil
	case []any:
		node := &yaml.Node{Kind: yaml.SequenceNode, Tag: yaml.NodeTagSeq}
		for _, item := range value {
			member, err := toNode(item)
			if err != nil {
				return nil, err
			}
			node.Content = append(node.Content, member)
		}
		return node, nil
	default:
		return nil, fmt.Errorf("a manifest cannot contain a %T", value)
	}
}

// fromNode is the inverse of toNode. It also reads nodes that come from a patch.
func fromNode(node *yaml.Node) (any, error) {
	switch node.Kind {
	case yaml.MappingNode:
		object := make(map[string]any, len(node.Content)/2)
		for i := 0; i+1 < len(node.Content); i += 2 {
			member, err := fromNode(node.Content[i+1])
			if err != nil {
				return nil, err
			}
			object[node.Content[i].Value] = member
		}
		return object, nil
	case yaml.SequenceNode:
		list := make([]any, 0, len(node.Content))
		for _, item := range node.Content {
			member, err := fromNode(item)
			if err != nil {
				return nil, err
			}
			list = append(list, member)
		}
		return list, nil
	case yaml.DocumentNode:
		return fromNode(node.Content[0])
	case yaml.AliasNode:
		return nil, errors.New("an alias is left")
	default:
		return fromScalar(node)
	}
}

func fromScalar(node *yaml.Node) (any, error) {
	switch node.ShortTag() {
	case yaml.NodeTagNull:
		return nil, nil
	case yaml.NodeTagFloat:
		if number, err := strconv.ParseFloat(node.Value, 64); err == nil {
			return number, finite(number)
		}
	case yaml.NodeTagBool, yaml.NodeTagInt, "!!binary":
	default:
		return node.Value, nil
	}
	var value any
	if err := node.Decode(&value); err != nil {
		return nil, err
	}
	switch value := value.(type) {
	case int:
		return int64(value), nil
	case float64:
		return value, finite(value)
	default:
		return value, nil
	}
}

// finite refuses the numbers that YAML has and JSON does not.
func finite(number float64) error {
	if math.IsInf(number, 0) || math.IsNaN(number) {
		return &json.UnsupportedValueError{Str: "not a finite number"}
	}
	return nil
}
