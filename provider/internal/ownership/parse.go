package ownership

import (
	"errors"
	"fmt"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/fieldselect"
)

// ParsePath reads the path of one field, and is the exact inverse of [Format]. It reads the forms of a [Pattern] that
// select one field, and positions such as [3], which patterns do not have.
func ParsePath(text string) (fieldpath.Path, error) {
	steps, err := parse(text, func(position int) error {
		if position < 0 {
			return fmt.Errorf("%d counts from the end", position)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	path := make(fieldpath.Path, 0, len(steps))
	for _, step := range steps {
		if step.all {
			return nil, fmt.Errorf("%q is not the path of one field: * selects several", text)
		}
		path = append(path, step.element())
	}
	return path, nil
}

// parse reads a path with steps that managedFields alone can resolve: names, keys and values. allow says which
// positions are valid.
func parse(text string, allow func(position int) error) ([]selector, error) {
	path, err := fieldselect.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%q is not a path: %w", text, err)
	}
	steps := make([]selector, 0, len(path))
	for _, step := range path {
		switch {
		case step.Descendant:
			err = errors.New("fields at any depth (..) cannot be tracked; write the whole path")
		case step.Other != nil:
			err = untracked(*step.Other)
		case step.Index != nil:
			err = allow(*step.Index)
		}
		if err != nil {
			return nil, fmt.Errorf("%q is not a path of fields that can be tracked: %w", text, err)
		}
		steps = append(steps, selector{name: step.Name, keys: step.Keys, item: step.Item, index: step.Index, all: step.All})
	}
	return steps, nil
}

const instead = "select them by a key such as [name=web], or all by [*]"

// untracked explains why a bracket selects nothing that managedFields could name.
func untracked(bracket fieldselect.Bracket) error {
	switch {
	case bracket.IsFilter():
		return fmt.Errorf("the filter %s is no comparison of keys; a filter can be tracked only if it selects list items by the "+
			"values of their keys, as [?@.name=='web'] and [?@.port==80 && @.protocol=='TCP'] do", bracket.Text)
	case bracket.IsSlice():
		return fmt.Errorf("%s are positions, and items move; %s", bracket.Text, instead)
	case bracket.IsUnion():
		return fmt.Errorf("%s selects several; write one path each", bracket.Text)
	default:
		return bracket.Err
	}
}

// noPosition refuses positions.
func noPosition(position int) error {
	return fmt.Errorf("\"%d\" is a position, and items move; %s", position, instead)
}

// element returns the path element that the selector represents.
func (s selector) element() fieldpath.PathElement {
	switch {
	case s.name != nil:
		return fieldpath.FieldNameElement(*s.name)
	case s.index != nil:
		return fieldpath.IndexElement(*s.index)
	case s.item != nil:
		return fieldpath.ValueElement(value.NewValueInterface(*s.item))
	}
	key := make(value.FieldList, 0, len(s.keys))
	for name, v := range s.keys {
		key = append(key, value.Field{Name: name, Value: value.NewValueInterface(v)})
	}
	key.Sort()
	return fieldpath.KeyElement(key...)
}
