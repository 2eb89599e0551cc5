package wait

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/fieldtags"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/readiness"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
)

// Selector selects objects of one kind.
type Selector struct {
	APIVersion    string  `pulumi:"apiVersion"`
	Kind          string  `pulumi:"kind"`
	Namespace     *string `pulumi:"namespace,optional"`
	LabelSelector *string `pulumi:"labelSelector,optional"`
}

// Annotate describes the type for the schema.
func (s *Selector) Annotate(a infer.Annotator) {
	a.SetToken("index", "WaitSelector")
	a.Describe(&s, texts.Of("Selector"))
	texts.Describe(a, "Selector", s)
}

// Count says how many of the selected objects must reach the state.
type Count struct {
	AtLeast *int  `pulumi:"atLeast,optional"`
	Exactly *int  `pulumi:"exactly,optional"`
	All     *bool `pulumi:"all,optional"`
}

// Annotate describes the type for the schema.
func (c *Count) Annotate(a infer.Annotator) {
	a.SetToken("index", "WaitCount")
	a.Describe(&c, texts.Of("Count"))
	texts.Describe(a, "Count", c)
}

// The names of the members.
const (
	keyLabelSelector = "labelSelector"
	keyAtLeast       = "atLeast"
	keyExactly       = "exactly"
	keyAll           = "all"
)

// selection are the objects of a Wait for many.
type selection struct {
	// kind is the kind and the namespace; it has no name.
	kind          manifest.Identity
	labelSelector string
	secret        bool
}

// isSelecting reports whether the inputs are for many objects.
func isSelecting(inputs property.Map) bool { return !inputs.Get(keySelector).IsNull() }

// decodeSelection reads a selector. What is absent or not known yet is empty.
func decodeSelection(value property.Value) *selection {
	if !value.IsMap() {
		return &selection{}
	}
	kind := reference.Decode(value).Identity
	kind.Name = ""
	return &selection{kind: kind, labelSelector: values.Text(value.AsMap().Get(keyLabelSelector)), secret: value.HasSecrets()}
}

// identity is the identity of the selection, as if it were one object. It shows no secret.
func (s *selection) identity() manifest.Identity {
	id := s.kind
	id.Name = "*"
	if s.labelSelector != "" && !s.secret {
		id.Name = s.labelSelector
	}
	return id
}

// decodeCount reads a count.
func decodeCount(value property.Value) readiness.Count {
	if !value.IsMap() {
		return readiness.Count{}
	}
	number := func(key string) int {
		if v := value.AsMap().Get(key); v.IsNumber() {
			return int(v.AsNumber())
		}
		return 0
	}
	return readiness.Count{AtLeast: number(keyAtLeast), Exactly: number(keyExactly)}
}

var (
	selectorKeys = fieldtags.Names[Selector]()
	countKeys    = fieldtags.Names[Count]()
)

// checkSelector finds the mistakes in a selector: the path behind that of the selector itself, and the reason. What is
// unknown passes.
func checkSelector(value property.Value, fail func(path, reason string)) {
	switch {
	case value.IsComputed():
		return
	case !value.IsMap():
		fail("", "The value must be an object with apiVersion, kind and labelSelector.")
		return
	}
	for name, member := range value.AsMap().AllStable {
		switch {
		case !slices.Contains(selectorKeys, name):
			fail("."+name, fmt.Sprintf("There is no %q in a selector. There are %s.", name, strings.Join(selectorKeys, ", ")))
		case !member.IsNull() && !member.IsComputed() && !member.IsString():
			fail("."+name, "The value must be a text.")
		}
	}
	reference.CheckKind(value.AsMap(), fail)
	selector := value.AsMap().Get(keyLabelSelector)
	switch _, err := labels.Parse(values.Text(selector)); {
	case err != nil && value.HasSecrets():
		fail("."+keyLabelSelector, "The value is not a label selector. It is not shown, because it is secret.")
	case err != nil:
		fail("."+keyLabelSelector, "The value is not a label selector such as app=web,tier!=db: "+err.Error()+".")
	}
}

// checkCount finds the mistakes in a count, as [checkSelector] does. without says why there must be none.
func checkCount(value property.Value, without string, fail func(path, reason string)) {
	switch {
	case value.IsNull(), value.IsComputed():
		return
	case without != "":
		fail("", without)
		return
	case !value.IsMap():
		fail("", "The value must be an object such as { atLeast: 3 }.")
		return
	}
	given := 0
	for name, member := range value.AsMap().AllStable {
		if !slices.Contains(countKeys, name) {
			fail("."+name, fmt.Sprintf("There is no %q in a count. There are %s.", name, strings.Join(countKeys, ", ")))
			continue
		}
		if member.IsNull() {
			continue
		}
		given++
		if reason := wrongCount(name, member); reason != "" {
			fail("."+name, reason)
		}
	}
	if given != 1 {
		fail("", "Set exactly one of atLeast, exactly and all.")
	}
}

// wrongCount says what is wrong with a member of a count; "" if nothing is.
func wrongCount(name string, member property.Value) string {
	switch {
	case member.IsComputed():
		return ""
	case name == keyAll && !values.Flag(member):
		return "The value must be true. For a number of objects, use atLeast or exactly."
	case name == keyExactly && member.IsNumber() && member.AsNumber() == 0:
		return "To wait until no object is left, use waitFor { deleted: true } without count."
	case name != keyAll && !isPositive(member):
		return "The value must be a whole number of at least 1."
	default:
		return ""
	}
}

func isPositive(v property.Value) bool {
	return v.IsNumber() && v.AsNumber() >= 1 && v.AsNumber() <= math.MaxInt32 && v.AsNumber() == math.Trunc(v.AsNumber())
}
