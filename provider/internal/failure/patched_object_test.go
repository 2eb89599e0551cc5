package failure

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func TestThePatchedObjectIsNotQuoted(t *testing.T) {
	invalid := func(errs ...*field.Error) error {
		return apierrors.NewInvalid(schema.GroupKind{Kind: "Secret"}, "s", errs)
	}
	for _, test := range []struct {
		name, want string
		err        error
	}{
		{
			"what is wrong stays", `strict decoding error: unknown field "spec"`,
			invalid(field.Invalid(field.NewPath("patch"), `{"data":{"a":"aHVudGVyMg==","b":"\"x\": y"}}`, `strict decoding error: unknown field "spec"`)),
		},
		{"what has no reason has none", "the patched object does not fit the kind's schema", invalid(field.Invalid(field.NewPath("patch"), `{"data":"aHVudGVyMg=="}`, ""))},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := WithoutPatchedObject(test.err)
			assert.True(t, apierrors.IsInvalid(err))
			assert.Equal(t, test.want, err.Error())
			shown := Explain(err, Operation{Verb: "patch", Subject: "Secret s"}).Error()
			assert.NotContains(t, shown, "aHVudGVyMg")
			assert.Contains(t, shown, test.want)
		})
	}
	for _, err := range []error{errors.New("any"), invalid(field.Invalid(field.NewPath("spec"), "x", "y"))} {
		require.Equal(t, err, WithoutPatchedObject(err))
	}
}
