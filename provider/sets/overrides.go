package sets

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/check"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/fieldtags"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// These are the members of an override that are no inputs of a KubeObject.
const (
	keySelect   = "select"
	keyOptional = "optional"

	keyIgnoreFields    = "ignoreFields"
	keyIgnoreManagers  = tracked.KeyIgnoreManagers
	keyDeleteInstances = "deleteInstances"
	keyAdopt           = "adopt"
	keyTakeOverFrom    = "takeOverFrom"
)

// childOptions are the inputs that a set passes on to KubeObjects, to all of them or to some.
var childOptions = slices.DeleteFunc(fieldtags.Names[Override](), func(name string) bool { return name == keySelect || name == keyOptional })

// override gives the selected objects their own inputs. Each KubeObject checks the values itself.
func (s *Set) override(given property.Value) (wrong check.Mistakes) {
	if given.IsNull() || given.IsComputed() {
		return nil
	}
	if !given.IsArray() {
		wrong.Add(keyOverrides, "The value must be a list.")
		return wrong
	}
	for i, item := range given.AsArray().All {
		at := fmt.Sprintf("%s[%d]", keyOverrides, i)
		if item.IsComputed() {
			continue
		}
		if !item.IsMap() {
			wrong.Add(at, "The value must be an object with select and inputs of a KubeObject.")
			continue
		}
		wrong = append(wrong, s.overrideBy(at, item.AsMap())...)
	}
	return wrong
}

func (s *Set) overrideBy(at string, given property.Map) (wrong check.Mistakes) {
	for name := range given.AllStable {
		if known := fieldtags.Names[Override](); !slices.Contains(known, name) {
			wrong.Add(at+"."+name, fmt.Sprintf("There is no such input. The inputs are %s.", strings.Join(known, ", ")))
		}
	}
	selects, more := selectorOf(at+"."+keySelect, given.Get(keySelect))
	if wrong = append(wrong, more...); len(wrong) > 0 {
		return wrong
	}
	if selects == nil {
		return nil // A member is not known yet, so it is not known which objects are selected.
	}
	matched := s.Incomplete
	for i := range s.Objects {
		o := &s.Objects[i]
		if !selects(manifest.IdentityOf(o.Manifest)) {
			continue
		}
		matched = true
		if o.Options == nil {
			o.Options = map[string]property.Value{}
		}
		for _, name := range childOptions {
			if v, set := given.GetOk(name); set && !v.IsNull() {
				o.Options[name] = v
			}
		}
	}
	if !matched && !values.Flag(given.Get(keyOptional)) {
		wrong.Add(at+"."+keySelect, "It selects no object of the set. Correct it, or set optional: true.")
	}
	return wrong
}

// selectorOf reads a selector. It returns nil while a member is unknown.
func selectorOf(at string, given property.Value) (func(manifest.Identity) bool, check.Mistakes) {
	var wrong check.Mistakes
	switch {
	case given.HasComputed():
		return nil, nil
	case !given.IsMap() || given.AsMap().Len() == 0:
		wrong.Add(at, fmt.Sprintf("Set at least one of %s.", strings.Join(fieldtags.Names[Select](), ", ")))
		return nil, wrong
	}
	parts := map[string]func(manifest.Identity) string{
		"apiVersion": func(id manifest.Identity) string { return id.APIVersion },
		"kind":       func(id manifest.Identity) string { return id.Kind },
		"namespace":  func(id manifest.Identity) string { return id.Namespace },
		"name":       func(id manifest.Identity) string { return id.Name },
	}
	patterns := map[string]string{}
	for name, v := range given.AsMap().AllStable {
		switch {
		case v.IsNull():
		case parts[name] == nil:
			wrong.Add(at+"."+name, fmt.Sprintf("There is no such member. The members are %s.", strings.Join(fieldtags.Names[Select](), ", ")))
		case !v.IsString():
			wrong.Add(at+"."+name, "The value must be a text.")
		default:
			patterns[name] = v.AsString()
			if !matches(v.AsString(), "") && !isPattern(v.AsString()) {
				wrong.Add(at+"."+name, "The value is not a pattern: it has a [ without its ], or a wrong range.")
			}
		}
	}
	return func(id manifest.Identity) bool {
		for name, pattern := range patterns {
			if !matches(pattern, parts[name](id)) {
				return false
			}
		}
		return true
	}, wrong
}

// matches compares a text with a pattern, in which * and ? match / as well: the names of kinds have slashes.
func matches(pattern, text string) bool {
	const slash = "\x00"
	matched, _ := path.Match(strings.ReplaceAll(pattern, "/", slash), strings.ReplaceAll(text, "/", slash))
	return matched
}

func isPattern(pattern string) bool {
	_, err := path.Match(pattern, "")
	return err == nil
}

// Adopts reports whether an override lets objects be adopted.
func Adopts(inputs property.Map) bool {
	overrides := inputs.Get(keyOverrides)
	return overrides.IsArray() && slices.ContainsFunc(overrides.AsArray().AsSlice(), func(v property.Value) bool {
		return v.IsMap() && values.Flag(v.AsMap().Get(keyAdopt))
	})
}

// TakesOver reports whether any object of a set may be taken over. An option that is not known yet counts as set, an override that is not
// known as a whole does not: most of them set other options.
func TakesOver(inputs property.Map) bool {
	all, none := Set{Options: optionsOf(inputs)}, Set{}
	overrides := inputs.Get(keyOverrides)
	return all.MayTakeOver(Object{}) || overrides.IsArray() && slices.ContainsFunc(overrides.AsArray().AsSlice(), func(v property.Value) bool {
		return v.IsMap() && none.MayTakeOver(Object{Options: v.AsMap().AsMap()})
	})
}

// IsAdopted reports whether the object itself has the option adopt.
func (o Object) IsAdopted() bool { return values.Flag(o.Options[keyAdopt]) }

// MayTakeOver reports whether an object of the set may take over an existing object. An option that is not known yet counts as set.
func (s *Set) MayTakeOver(o Object) bool {
	for _, options := range []map[string]property.Value{s.Options, o.Options} {
		from := options[keyTakeOverFrom]
		if adopt := options[keyAdopt]; values.Flag(adopt) || adopt.HasComputed() || from.HasComputed() || from.IsArray() && from.AsArray().Len() > 0 {
			return true
		}
	}
	return false
}
