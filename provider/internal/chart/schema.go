package chart

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	helm "helm.sh/helm/v4/pkg/chart/v2"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// schemaFile is the schema of a chart's values.
const schemaFile = "values.schema.json"

// checkSchemas checks merged values against the schemas of the chart and of each enabled subchart. Helm does that too, but follows
// references to files and addresses outside the chart.
//
// unknown are the places of values that are not known yet, as map keys and list positions. Whatever depends on them is not checked.
func checkSchemas(loaded *helm.Chart, merged map[string]any, unknown unknownPlaces) error {
	problems, err := schemaProblems(loaded, merged, nil, unknown)
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		sortProblems(problems)
		return &SchemaError{problems}
	}
	return nil
}

// schemaProblems checks a chart, whose values are at a path, and its subcharts.
func schemaProblems(loaded *helm.Chart, merged map[string]any, at []any, unknown unknownPlaces) ([]manifest.Problem, error) {
	var problems []manifest.Problem
	if loaded.Schema != nil {
		found, err := violations(loaded.Schema, merged)
		if err != nil {
			return nil, fmt.Errorf("%s of the chart %s: %w", schemaFile, loaded.Name(), err)
		}
		if found != nil {
			problems = violation{merged: merged, at: at, unknown: unknown}.problems(found)
		}
	}
	for _, child := range loaded.Dependencies() {
		below := append(slices.Clip(at), child.Name())
		switch inner := merged[child.Name()].(type) {
		case nil:
		case map[string]any:
			more, err := schemaProblems(child, inner, below, unknown)
			if err != nil {
				return nil, err
			}
			problems = append(problems, more...)
		default:
			problems = append(problems, manifest.Problem{Path: values.FormatSegments(below...), Reason: "the values of a subchart must be a map"})
		}
	}
	return problems, nil
}

// violations checks values against one schema. It returns nil if they are allowed.
func violations(schema []byte, merged map[string]any) (found *jsonschema.ValidationError, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("it cannot be used: %v", cause)
		}
	}()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, fmt.Errorf("it is not JSON: %w", err)
	}
	const name = "file:///" + schemaFile
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(nothingOutside{})
	if err := compiler.AddResource(name, document); err != nil {
		return nil, fmt.Errorf("it cannot be used: %w", err)
	}
	compiled, err := compiler.Compile(name)
	if err != nil {
		if load, is := errors.AsType[*jsonschema.LoadURLError](err); is { // which does not unwrap
			err = load.Err
		}
		if _, outside := errors.AsType[*OutsideError](err); outside {
			return nil, err
		}
		return nil, fmt.Errorf("it cannot be used: %w", err)
	}
	err = compiled.Validate(merged)
	if err != nil && !errors.As(err, &found) {
		return nil, fmt.Errorf("it cannot be used: %w", err)
	}
	return found, nil
}

// OutsideError means that a schema refers to something outside the chart.
type OutsideError struct{ Address string }

func (e *OutsideError) Error() string {
	return fmt.Sprintf("it refers to %s, and nothing outside of a chart is read to check its values. "+
		"Helm follows such a reference; copy what it refers to into the schema, under \"$defs\"", e.Address)
}

// nothingOutside loads no schema. A name that is not an address (urn:) allows everything, as in Helm.
type nothingOutside struct{}

func (nothingOutside) Load(address string) (any, error) {
	if parsed, err := url.Parse(address); err == nil && parsed.Scheme == "urn" {
		return true, nil
	}
	return nil, &OutsideError{address}
}

// violation explains how values violate a schema. The values are at a path.
type violation struct {
	merged  map[string]any
	at      []any
	unknown unknownPlaces
	// conditionally means that the requirement depends on other values.
	conditionally bool
}

// problems lists the innermost violations.
func (v violation) problems(found *jsonschema.ValidationError) []manifest.Problem {
	place := v.place(found.InstanceLocation)
	v.conditionally = v.conditionally || conditional(found)
	if v.unknown.cover(place) || v.unknown.any() && v.conditionally {
		return nil
	}
	reason := reasonOf(found.ErrorKind)
	switch found.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
		var all []manifest.Problem
		for _, cause := range found.Causes {
			all = append(all, v.problems(cause)...)
		}
		return all
	case *kind.Type, *kind.Required, *kind.AdditionalProperties: // even if the value contains unknown ones
	case *kind.AnyOf, *kind.OneOf:
		if v.unknown.below(place) {
			return nil
		}
		reason += v.alternatives(found)
	default:
		if v.unknown.below(place) {
			return nil
		}
	}
	return []manifest.Problem{{Path: values.FormatSegments(place...), Reason: reason}}
}

// alternatives says why none of several schemas fits.
func (v violation) alternatives(found *jsonschema.ValidationError) string {
	v.conditionally = false // Each alternative is judged on its own.
	var reasons []string
	for _, cause := range found.Causes {
		var all []string
		problems := v.problems(cause)
		sortProblems(problems)
		for _, problem := range problems {
			all = append(all, strings.TrimPrefix(problem.Path+": ", ": ")+problem.Reason)
		}
		if len(all) > 0 {
			reasons = append(reasons, strings.Join(all, " and "))
		}
	}
	if len(reasons) == 0 {
		return ""
	}
	return " (" + strings.Join(reasons, "; or ") + ")"
}

// sortProblems sorts problems, because the validator iterates over maps.
func sortProblems(problems []manifest.Problem) {
	slices.SortFunc(problems, func(a, b manifest.Problem) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Reason, b.Reason))
	})
}

// place converts the location of a value: the validator writes positions in lists as text.
func (v violation) place(location []string) []any {
	place := append([]any{}, v.at...)
	var inner any = v.merged
	for _, segment := range location {
		switch holder := inner.(type) {
		case []any:
			position, err := strconv.Atoi(segment)
			if err != nil || position < 0 || position >= len(holder) {
				return place
			}
			place, inner = append(place, position), holder[position]
		case map[string]any:
			place, inner = append(place, segment), holder[segment]
		default:
			return place
		}
	}
	return place
}
