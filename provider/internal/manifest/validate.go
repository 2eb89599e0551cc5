package manifest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/spelling"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// Problem is one reason why a manifest cannot be applied.
type Problem struct {
	// Path is a Pulumi property path relative to the manifest, such as spec.containers[0].name; empty for the
	// manifest as a whole.
	Path string
	// Reason says what is wrong there and what to do about it, as a plain sentence.
	Reason string
}

// Validate lists everything about the object that is wrong without asking a cluster, in stable order. It skips
// unknown values.
//
// It does not repeat the API server's checks: the API server knows more, and the preview asks it. It finds mistakes
// that would prevent the request altogether, and those that the API server answers with an obscure error.
func Validate(object map[string]any) []Problem {
	c := &checks{object: object}
	if isList(object) {
		c.add(fmt.Sprintf("%v holds several objects: %s", object["kind"], splitHint))
		return c.problems
	}
	c.apiVersion()
	c.kind()
	c.metadata()
	c.podTemplate()
	c.leaves(object)
	return c.problems
}

// ValidateIdentity lists what prevents identifying an object: the part of [Validate] that concerns apiVersion, kind
// and metadata.
func ValidateIdentity(object map[string]any) []Problem {
	c := &checks{object: object}
	c.apiVersion()
	c.kind()
	c.metadata()
	return c.problems
}

// checks collects the problems of one object.
type checks struct {
	object   map[string]any
	problems []Problem
}

// add records a problem at a path with segments of strings and ints.
func (c *checks) add(reason string, at ...any) {
	c.problems = append(c.problems, Problem{values.FormatSegments(at...), reason})
}

// text returns the text at a path. If there is none, it records it as missing, or as not text, unless it is unknown.
func (c *checks) text(missing string, keys ...string) (text string, given bool) {
	switch value := member(c.object, keys...).(type) {
	case values.Unknown:
		return "", false
	case string:
		if value != "" {
			return value, true
		}
	case nil:
	default:
		c.add(fmt.Sprintf("%s must be text, not %s", keys[len(keys)-1], describe(value)), asAny(keys)...)
		return "", false
	}
	if missing != "" {
		c.add(missing, asAny(keys)...)
	}
	return "", false
}

func (c *checks) apiVersion() {
	text, given := c.text(c.missing("apiVersion is missing: write `v1` for the core group, else `group/version` as in `apps/v1`",
		"apiVersion"), "apiVersion")
	if !given {
		return
	}
	group, version, hasGroup := strings.Cut(text, "/")
	wellFormed := bareVersion.MatchString(text)
	if hasGroup {
		wellFormed = len(validation.IsDNS1123Subdomain(group)) == 0 && len(validation.IsDNS1035Label(version)) == 0
	}
	if !wellFormed {
		c.add(fmt.Sprintf("%q is not an apiVersion: write `v1` for the core group, else `group/version` as in `apps/v1`",
			text), "apiVersion")
	}
}

// kindName matches what the API server accepts as the kind of a custom resource.
var kindName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]*$`)

func (c *checks) kind() {
	text, given := c.text(c.missing("kind is missing: write what the object is, as in `Deployment`", "kind"), "kind")
	if !given {
		return
	}
	group := IdentityOf(c.object).Group()
	builtIn := !strings.Contains(group, ".") || strings.HasSuffix(group, ".k8s.io")
	// Lower-case kinds exist, but only among custom resources.
	if lowerCase := text[0] >= 'a' && text[0] <= 'z'; !kindName.MatchString(text) || builtIn && lowerCase {
		c.add(fmt.Sprintf("%q is not a kind: kinds are written in the singular and like `Deployment` or `ConfigMap`",
			text), "kind")
	}
}

func (c *checks) metadata() {
	metadata := c.object["metadata"]
	switch metadata := metadata.(type) {
	case values.Unknown:
		return
	case nil:
		c.add(c.missing("metadata is missing: an object needs `metadata` with at least a `name`", "metadata"), "metadata")
		return
	case map[string]any:
		c.name(metadata)
		c.namespace()
		c.texts("metadata", "labels")
		c.texts("metadata", "annotations")
	default:
		c.add(fmt.Sprintf("metadata must be an object, not %s", describe(metadata)), "metadata")
	}
}

// missing adds to a report of a missing member which other member was probably meant.
func (c *checks) missing(said, member string) string {
	for _, key := range slices.Sorted(maps.Keys(c.object)) {
		if key != member && spelling.Resembles(key, member) {
			return fmt.Sprintf("%s; `%s` looks like a misspelt `%s`", said, key, member)
		}
	}
	return said
}

func (c *checks) name(metadata map[string]any) {
	// Beside a name, generateName only records how the object was made.
	if !isEmpty(metadata["generateName"]) && isEmpty(metadata["name"]) {
		c.add("generateName is not possible: server-side apply cannot generate names; "+
			"give a `name`, from the program if it has to be unique", "metadata", "generateName")
		return
	}
	name, given := c.text("metadata.name is missing: give the object a name", "metadata", "name")
	if !given {
		return
	}
	faults := content.IsPathSegmentName(name)
	if len(name) > validation.DNS1123SubdomainMaxLength {
		faults = append(faults, fmt.Sprintf("has %d characters, more than the %d that a name may have",
			len(name), validation.DNS1123SubdomainMaxLength))
	}
	if len(faults) > 0 {
		c.add(fmt.Sprintf("%q is not a name for an object: it %s", name, strings.Join(faults, ", ")), "metadata", "name")
	}
}

func (c *checks) namespace() {
	namespace, given := c.text("", "metadata", "namespace")
	if !given {
		return
	}
	if faults := validation.IsDNS1123Label(namespace); len(faults) > 0 {
		c.add(fmt.Sprintf("%q is not the name of a namespace: it takes lower-case letters, digits and '-', "+
			"begins and ends with a letter or digit, and has at most 63 characters", namespace), "metadata", "namespace")
	}
}

// texts checks a map of labels or annotations.
func (c *checks) texts(keys ...string) {
	what := keys[len(keys)-1]
	switch members := member(c.object, keys...).(type) {
	case nil, values.Unknown:
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(members)) {
			switch value := members[key].(type) {
			case nil, string, values.Unknown:
			case map[string]any, []any:
				c.add(fmt.Sprintf("the values of %s must be text, not %s", what, describe(value)), asAny(keys, key)...)
			default:
				c.add(fmt.Sprintf("the values of %s must be text, not %s: put it in quotes", what, describe(value)),
					asAny(keys, key)...)
			}
		}
	default:
		c.add(fmt.Sprintf("%s must be an object with a text for each key, not %s", what, describe(members)), asAny(keys)...)
	}
}

// describe names the type of a value. The value itself may be secret.
func describe(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case string:
		return "text"
	case bool:
		return "a boolean"
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	default:
		return "a number"
	}
}

// asAny converts a path of keys to the segments that add takes.
func asAny(keys []string, more ...any) []any {
	segments := make([]any, 0, len(keys)+len(more))
	for _, key := range keys {
		segments = append(segments, key)
	}
	return append(segments, more...)
}
