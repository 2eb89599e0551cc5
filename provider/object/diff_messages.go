package object

import (
	"fmt"
	"maps"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// difference is a place where two trees differ: the innermost one, or the outermost one inside a secret.
type difference struct {
	at       ownership.Location
	old, new any
	had, has bool
	secret   bool
}

// walkDifferences lists where two trees differ, in order. It compares the items of lists by position.
func walkDifferences(old, new any, at ownership.Location, isSecret func(at []any) bool, found func(difference)) {
	descend := func(segment, old, new any, had, has bool) {
		below := append(slices.Clip(at), segment)
		if had && has && !isSecret(below) {
			walkDifferences(old, new, below, isSecret, found)
		} else if had != has || !ownership.Equal(old, new) {
			found(difference{below, old, new, had, has, isSecret(below)})
		}
	}
	switch was := old.(type) {
	case map[string]any:
		if is, ok := new.(map[string]any); ok {
			for _, key := range slices.Sorted(maps.Keys(merged(was, is))) {
				before, had := was[key]
				after, has := is[key]
				descend(key, before, after, had, has)
			}
			return
		}
	case []any:
		if is, ok := new.([]any); ok {
			for i := range max(len(was), len(is)) {
				var before, after any
				had, has := i < len(was), i < len(is)
				if had {
					before = was[i]
				}
				if has {
					after = is[i]
				}
				descend(i, before, after, had, has)
			}
			return
		}
	}
	if !ownership.Equal(old, new) {
		found(difference{at, old, new, true, true, isSecret(at)})
	}
}

// merged returns the members of both maps.
func merged(a, b map[string]any) map[string]any {
	union := maps.Clone(a)
	maps.Copy(union, b)
	return union
}

// format writes a difference for a message. name is the field that contains the place.
func (d difference) format(name string, sensitive []string) string {
	before, after := d.show(sensitive)
	return fmt.Sprintf("%s: %s -> %s", values.JoinPath(name, values.FormatSegments(d.at...)), before, after)
}

// show formats both values.
func (d difference) show(sensitive []string) (before, after string) {
	old, isText := d.old.(string)
	new, areTexts := d.new.(string)
	before, after = tracked.Show(d.old, d.had, d.secret, sensitive), tracked.Show(d.new, d.has, d.secret, sensitive)
	switch {
	case values.IsUnknown(d.new) && !d.secret:
		after = "[unknown]"
	case isText && areTexts && !d.secret && max(len(old), len(new)) > maxExcerpt:
		if hide := failure.NewRedactor(sensitive); hide.Redact(old) == old && hide.Redact(new) == new {
			before, after = excerpts(old, new)
		}
	}
	return before, after
}

const (
	// maxExcerpt is the length of a text in characters above which only part of it is shown.
	maxExcerpt = 80
	// excerptLead is how much of the common beginning of two texts is shown.
	excerptLead = 20
)

// excerpts returns the part of two texts around the first place at which they differ.
func excerpts(old, new string) (before, after string) {
	was, is := []rune(old), []rune(new)
	start := 0
	for start < min(len(was), len(is)) && was[start] == is[start] {
		start++
	}
	start = max(0, start-excerptLead)
	return excerpt(was, start), excerpt(is, start)
}

func excerpt(text []rune, start int) string {
	end := min(len(text), start+maxExcerpt)
	shown := fmt.Sprintf("%q", string(text[start:end]))
	if start > 0 {
		shown = "…" + shown
	}
	if end < len(text) {
		shown += "…"
	}
	return shown
}

// noteDifferences records what a message has to name because the engine cannot show it.
func (in inputs) noteDifferences(changes []ownership.Change, s state, ignored func(ownership.Change) bool) {
	if in.differences == nil || len(changes) == 0 {
		return
	}
	sensitive := in.sensitive()
	var lines []string
	for _, change := range changes {
		if !ignored(change) {
			lines = append(lines, in.describe(change, s, sensitive)...)
		}
	}
	slices.Sort(lines)
	*in.differences = slices.Compact(lines)
}

// describe says what a field change is about, unless that is secret, and names the owner of the field if that is not
// us.
func (in inputs) describe(change ownership.Change, s state, sensitive []string) []string {
	name, secret := in.nameAt(change.Path, s)
	owned := ""
	if owner, ok := ownership.OwnerOf(s.Ownership, change.Path); ok && owner != s.Manager {
		owned = " (" + ownedBy(owner) + ")"
	}
	var lines []string
	add := func(d difference) { lines = append(lines, d.format(name, sensitive)+owned) }
	switch had, has := change.Kind != ownership.Added, change.Kind != ownership.Removed; {
	case had && has && change.Old == nil && change.New == nil:
		return []string{name + ": in another order"}
	case had && has && ownership.Equal(change.Old, change.New):
		return []string{name + owned}
	case had && has && !secret:
		walkDifferences(change.Old, change.New, nil, func([]any) bool { return false }, add)
	default:
		add(difference{old: change.Old, new: change.New, had: had, has: has, secret: secret})
	}
	return lines
}

// nameAt is how a message names a field, and whether its value is secret.
func (in inputs) nameAt(path fieldpath.Path, s state) (name string, secret bool) {
	name = ownership.Format(path)
	for _, tree := range []tracked.Marked{in.marked(), {Tree: s.Live, Secrets: s.Secrets}, {Tree: s.Applied, Secrets: s.AppliedSecrets}} {
		if depth, ok := tree.SecretDepth(path); ok {
			secret = true
			if s.NamesSecret || tree.HidesNames(path, depth) {
				name = "[secret]"
			}
		}
	}
	id, _ := in.identity()
	return name, secret || tracked.IsKindSecret(id, path)
}
