package chart

import (
	"reflect"

	"helm.sh/helm/v4/pkg/chart/common"
)

// scopeValues are values as templates see them: Helm's values, with methods that are bounded like functions.
type scopeValues map[string]any

// YAML writes the values.
func (v scopeValues) YAML() (string, error) {
	if err := fits(reflect.ValueOf(v)); err != nil {
		return "", err
	}
	return common.Values(v).YAML()
}

// Table returns the values below a path.
func (v scopeValues) Table(name string) (scopeValues, error) {
	if len(name) > maxPattern {
		return nil, &LimitError{"a path in values is too long"}
	}
	found, err := common.Values(v).Table(name)
	return scopeValues(found), err
}

// AsMap returns the values as a map.
func (v scopeValues) AsMap() map[string]any { return common.Values(v).AsMap() }

// PathValue returns the value at a path.
func (v scopeValues) PathValue(path string) (any, error) {
	if len(path) > maxPattern {
		return nil, &LimitError{"a path in values is too long"}
	}
	return common.Values(v).PathValue(path)
}

// bounded replaces the values in the data that the templates of a chart see, and in the data of its subcharts.
func bounded(data map[string]any) {
	if values, is := data["Values"].(common.Values); is {
		data["Values"] = scopeValues(values)
	}
	subcharts, _ := data["Subcharts"].(map[string]any)
	for _, sub := range subcharts {
		if below, is := sub.(map[string]any); is {
			bounded(below)
		}
	}
}
