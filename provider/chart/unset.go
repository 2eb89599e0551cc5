package chart

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/check"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/chart"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/fieldselect"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// A null in values removes what the chart sets. In YAML and Go programs a null never arrives here, because Pulumi drops it. So the input
// unset names the values to remove.

// unset is a value that a program removes.
type unset struct {
	text string
	path []string
	// inFiles means that a file of valueFiles sets it.
	inFiles bool
}

// decodeUnset reads which values the program removes. own are the values that the program itself gives.
func (in *inputs) decodeUnset(given property.Map, own map[string]any, wrong *check.Mistakes) {
	if given.Get(keyUnset).HasSecrets() {
		wrong.Add(keyUnset, "The value is secret, but would appear in messages. Remove the secret mark.")
		return
	}
	for i, text := range textsIn(given, keyUnset, wrong) {
		at := fmt.Sprintf("%s[%d]", keyUnset, i)
		path, err := pathOfKeys(text)
		if err != nil {
			wrong.Add(at, fmt.Sprintf("%q is not a path of keys, such as controller.resources: %v.", text, err))
			continue
		}
		if clash := firstSet(own, path); clash != "" {
			wrong.Add(at, fmt.Sprintf("%s sets %s. Remove it from one of the two.", keyValues, clash))
			continue
		}
		in.unset = append(in.unset, unset{text, path, chart.HasValue(in.values, path)})
	}
}

// pathOfKeys reads a path that has only keys: an item of a list cannot be removed.
func pathOfKeys(text string) (keys []string, err error) {
	path, err := fieldselect.Parse(text)
	if err != nil {
		return nil, err
	}
	for _, step := range path {
		if step.Descendant || step.Name == nil {
			return nil, errors.New("it selects more than one value, or an item of a list")
		}
		keys = append(keys, *step.Name)
	}
	return keys, nil
}

// firstSet is the path of the value that is set at a path, or in place of a table on its way; empty if there is none.
func firstSet(own map[string]any, path []string) string {
	var at any = own
	for i, key := range path {
		table, isTable := at.(map[string]any)
		if !isTable {
			return values.FormatSegments(segments(path[:i])...)
		}
		if at = table[key]; at == nil {
			return ""
		}
	}
	return values.FormatSegments(segments(path)...)
}

func segments(path []string) (all []any) {
	for _, key := range path {
		all = append(all, key)
	}
	return all
}

// nothingAt are values with a null at a path.
func nothingAt(path []string) map[string]any {
	var at any
	for _, key := range slices.Backward(path) {
		at = map[string]any{key: at}
	}
	table, _ := at.(map[string]any)
	return table
}

// has reports whether the chart, or a file of values, sets what the program removes.
func (r *release) has(u unset) bool { return u.inFiles || r.chart.HasDefault(u.path) }

// removeUnset removes the values that the program names. It adds no null where nothing is set, because templates would see it.
func (r *release) removeUnset() {
	for _, u := range r.unset {
		if r.has(u) {
			r.values = chart.MergeValues(r.values, nothingAt(u.path))
		}
	}
}

// removed says for a preview which values are removed. It warns of paths that name no value, because they are usually misspelt.
func (r *release) removed() (note string, warnings []string) {
	var gone []string
	for _, u := range r.unset {
		if r.has(u) {
			gone = append(gone, u.text)
		} else {
			warnings = append(warnings, fmt.Sprintf("%s: %q names nothing that the chart sets.", keyUnset, u.text))
		}
	}
	if len(gone) > 0 {
		note = fmt.Sprintf("%s removes what the chart sets: %s.", keyUnset, strings.Join(gone, ", "))
	}
	return note, warnings
}
