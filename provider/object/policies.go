package object

import (
	"github.com/pulumi/pulumi-go-provider/infer"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/choice"
)

// choices are the inputs that accept one of a few values.
var choices = []struct {
	key   string
	words choice.Words
}{
	{keyConflictPolicy, choice.Of[ConflictPolicy]()},
	{keyOnImmutable, choice.Of[OnImmutable]()},
	{keyDeletionPropagation, choice.Of[DeletionPropagation]()},
}

// ConflictPolicy is the policy for fields that other managers own with other values.
type ConflictPolicy string

// Annotate names the type for the schema.
func (c *ConflictPolicy) Annotate(a infer.Annotator) { a.SetToken("index", "ConflictPolicy") }

// Values lists the words for the schema and for Check.
func (ConflictPolicy) Values() []infer.EnumValue[ConflictPolicy] {
	return []infer.EnumValue[ConflictPolicy]{
		{Name: "Force", Value: conflictForce, Description: "Take the fields over; the preview warns. This is the default."},
		{Name: "Fail", Value: conflictFail, Description: "Refuse the update and list each field, its owner and both values."},
	}
}

// OnImmutable is the policy for a change that the API server does not allow on an existing object.
type OnImmutable string

// Annotate names the type for the schema.
func (o *OnImmutable) Annotate(a infer.Annotator) { a.SetToken("index", "OnImmutable") }

// Values lists the words for the schema and for Check.
func (OnImmutable) Values() []infer.EnumValue[OnImmutable] {
	return []infer.EnumValue[OnImmutable]{
		{Name: "Replace", Value: immutableReplace, Description: "Delete and re-create the object. This is the default for built-in kinds that hold no data."},
		{Name: "Fail", Value: immutableFail, Description: "Refuse the update. This is the default for kinds that hold data and for custom kinds."},
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
