package waitfor

import (
	_ "embed"

	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/description"
)

//go:embed descriptions.md
var descriptions string

var texts = description.Parse(descriptions)

// Key is the name of the input.
const Key = "waitFor"

// WaitFor says what to wait for.
type WaitFor struct {
	Field      *string           `pulumi:"field,optional"`
	FieldValue map[string]string `pulumi:"fieldValue,optional"`
	Condition  *string           `pulumi:"condition,optional"`
	Ready      *bool             `pulumi:"ready,optional"`
	Rollout    *bool             `pulumi:"rollout,optional"`
	Expression *string           `pulumi:"expression,optional"`
	HTTP       *HTTP             `pulumi:"http,optional"`
	Deleted    *bool             `pulumi:"deleted,optional"`
	FailWhen   *string           `pulumi:"failWhen,optional"`
	Timeout    *string           `pulumi:"timeout,optional"`
}

var _ infer.Annotated = (*WaitFor)(nil)

// Annotate describes the type for the schema.
func (w *WaitFor) Annotate(a infer.Annotator) {
	a.SetToken("index", "WaitFor")
	a.Describe(&w, texts.Of("WaitFor"))
	texts.Describe(a, "WaitFor", w)
}
