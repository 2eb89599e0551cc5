package chart

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// losses are the fields in the cluster whose text changes. lost are fields that show or depend on values that were not found, one text for
// each value. changed are fields that are computed from values that were found, but that now get another result.
func (in *inheriting) losses(ctx context.Context) (lost, changed []string, err error) {
	showing, others := map[string][]string{}, []string{}
	unknown := map[field]bool{}
	for _, at := range in.base.differing(in.other) {
		unknown[at] = true
		live, err := in.cluster.at(ctx, at, in.base)
		if err != nil {
			return nil, nil, err
		}
		if live.role != foreign && (live.role != source || !live.is) {
			continue // An absent field loses nothing.
		}
		text := at.String()
		if live.role == foreign {
			text += " (which is not of this release)"
		}
		shape, _ := in.shapeAt(at)
		for _, part := range shape.Parts() {
			showing[part.Key] = append(showing[part.Key], text)
		}
		if len(shape.Parts()) == 0 {
			others = append(others, text)
		}
	}
	for _, fields := range showing {
		lost = append(lost, strings.Join(slices.Compact(fields), ", "))
	}
	if changed, err = in.changes(ctx, unknown); err != nil {
		return nil, nil, err
	}
	return in.told(append(lost, others...)), in.told(changed), nil
}

// changes are the fields that depend only on found values, but change nevertheless: Helm has computed them from values of another
// rendering, as in the checksum of a template that draws.
func (in *inheriting) changes(ctx context.Context, unknown map[field]bool) (changed []string, err error) {
	for _, at := range in.first.differing(in.base) {
		if unknown[at] {
			continue
		}
		live, err := in.cluster.at(ctx, at, in.base)
		if err != nil {
			return nil, err
		}
		if live.role == source && live.is && live.text != in.base.text(at) {
			changed = append(changed, at.String())
		}
	}
	return changed, nil
}

// told redacts texts and removes duplicates: the keys of a loop may be secret.
func (in *inheriting) told(texts []string) []string {
	for i := range texts {
		texts[i] = in.release.redact(texts[i])
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

// warnings say which values of a release that is taken over change. draws says whether the chart draws any.
func (i inherited) warnings(draws bool) (warnings []string) {
	if i.unsought && draws {
		warnings = append(warnings, "The values that the chart draws were not looked for in the cluster, because the chart cannot be rendered with "+
			"others in their place. New ones replace those that the release has. To keep a value, set it in `values`.")
	}
	if len(i.lost) > 0 {
		warnings = append(warnings, fmt.Sprintf("The chart draws other values than the release has, because those in the cluster are not what it could have "+
			"drawn, cannot be recognised, or differ from one place to the other: %s. To keep a value, set it in `values`.", strings.Join(i.lost, "; ")))
	}
	if len(i.changed) > 0 {
		warnings = append(warnings, fmt.Sprintf("These fields change, although the values that they are computed from are kept, because Helm had computed "+
			"them from other ones: %s. If one is in a pod template, its pods restart.", strings.Join(i.changed, "; ")))
	}
	return warnings
}

// explainKept says which values were found in the cluster.
func explainKept(keys []string) string {
	if len(keys) == 0 {
		return ""
	}
	return "Values that the chart would draw are taken from the cluster, and kept: " + named(keys) + "."
}
