package provider

import (
	"fmt"
	"slices"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
)

// ruleSetting is a setting of the provider that is a list of rules about kinds.
type ruleSetting struct {
	key string
	// public says why the rules must not be secret. example is a rule.
	public, example string
	// parts are the names of the parts of a rule. Those among texts are texts, the others lists of texts.
	parts, texts []string
}

// each reads the setting, and calls read with each rule that is known and consists of such parts.
func (s ruleSetting) each(setting property.Value, read func(i int, parts property.Map, fail func(at, reason string))) (failures []p.CheckFailure) {
	fail := func(at, reason string) {
		failures = append(failures, p.CheckFailure{Property: s.key + at, Reason: reason})
	}
	setting = connection.UnpackList(setting)
	switch {
	case setting.IsNull(), setting.IsComputed():
		return nil
	case setting.HasSecrets():
		fail("", "The rules must not be secret: "+s.public+".")
		return failures
	case !setting.IsArray():
		fail("", "The value must be a list of rules such as "+s.example+".")
		return failures
	}
	for i, item := range setting.AsArray().All {
		within := func(at, reason string) { fail(fmt.Sprintf("[%d]", i)+at, reason) }
		switch before := len(failures); {
		case item.IsComputed():
		case !item.IsMap():
			within("", "The value must be a rule such as "+s.example+".")
		default:
			s.checkParts(item.AsMap(), within)
			if len(failures) == before && !item.HasComputed() {
				read(i, item.AsMap(), within)
			}
		}
	}
	return failures
}

// checkParts refuses parts that do not exist or have another type.
func (s ruleSetting) checkParts(parts property.Map, fail func(at, reason string)) {
	for name, part := range parts.AllStable {
		switch {
		case !slices.Contains(s.parts, name):
			fail("."+name, fmt.Sprintf("There is no %q in a rule. There are %s.", name, strings.Join(s.parts, ", ")))
		case part.HasComputed(), part.IsNull():
		case slices.Contains(s.texts, name):
			if !part.IsString() {
				fail("."+name, "The value must be a text.")
			}
		case !isTexts(part):
			fail("."+name, "The value must be a list of texts.")
		}
	}
}

func isTexts(value property.Value) bool {
	return value.IsArray() && !slices.ContainsFunc(value.AsArray().AsSlice(), func(item property.Value) bool { return !item.IsString() })
}
