// Package policy has the words by which programs decide how an object is applied and deleted.
package policy

import (
	"fmt"

	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/choice"
)

// The inputs, and their words.
const (
	KeyConflictPolicy      = "conflictPolicy"
	KeyOnImmutable         = "onImmutable"
	KeyDeletionPropagation = "deletionPropagation"

	ConflictForce = "force"
	ConflictFail  = "fail"

	ImmutableReplace = "replace"
	ImmutableFail    = "fail"
)

// choices are the inputs with the words that they take.
var choices = []struct {
	key   string
	words choice.Words
}{
	{KeyConflictPolicy, choice.Of[ConflictPolicy]()},
	{KeyOnImmutable, choice.Of[OnImmutable]()},
	{KeyDeletionPropagation, choice.Of[DeletionPropagation]()},
}

// Check refuses other words.
func Check(inputs property.Map, fail func(path, reason string)) {
	for _, choice := range choices {
		if !choice.words.Allow(inputs.Get(choice.key)) {
			fail(choice.key, fmt.Sprintf("The value must be one of %s.", choice.words))
		}
	}
}

// ConflictPolicy is the policy for fields that other managers own with other values.
type ConflictPolicy string

// Annotate names the type for the schema.
func (c *ConflictPolicy) Annotate(a infer.Annotator) { a.SetToken("index", "ConflictPolicy") }

// Values lists the words for the schema and for Check.
func (ConflictPolicy) Values() []infer.EnumValue[ConflictPolicy] {
	return []infer.EnumValue[ConflictPolicy]{
		{Name: "Force", Value: ConflictForce, Description: "Take the fields over; the preview warns. This is the default."},
		{Name: "Fail", Value: ConflictFail, Description: "Refuse the update and list each field, its owner and both values."},
	}
}

// OnImmutable is the policy for a change that the API server does not allow on an existing object.
type OnImmutable string

// Annotate names the type for the schema.
func (o *OnImmutable) Annotate(a infer.Annotator) { a.SetToken("index", "OnImmutable") }

// Values lists the words for the schema and for Check.
func (OnImmutable) Values() []infer.EnumValue[OnImmutable] {
	return []infer.EnumValue[OnImmutable]{
		{Name: "Replace", Value: ImmutableReplace, Description: "Delete and re-create the object. This is the default for built-in kinds that hold no data."},
		{Name: "Fail", Value: ImmutableFail, Description: "Refuse the update. This is the default for kinds that hold data and for custom kinds."},
	}
}

// DeletionPropagation decides what happens to the objects that a deleted one owns.
type DeletionPropagation string

// Annotate names the type for the schema.
func (d *DeletionPropagation) Annotate(a infer.Annotator) {
	a.SetToken("index", "DeletionPropagation")
}

// Values lists the words for the schema and for Check.
func (DeletionPropagation) Values() []infer.EnumValue[DeletionPropagation] {
	return []infer.EnumValue[DeletionPropagation]{
		{Name: "Background", Value: DeletionPropagation(metav1.DeletePropagationBackground), Description: "Delete the owned objects after the object."},
		{Name: "Foreground", Value: DeletionPropagation(metav1.DeletePropagationForeground), Description: "Delete the owned objects first, and wait."},
		{Name: "Orphan", Value: DeletionPropagation(metav1.DeletePropagationOrphan), Description: "Keep the owned objects."},
	}
}
