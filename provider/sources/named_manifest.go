package sources

import (
	_ "embed"

	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/description"
)

//go:embed descriptions.md
var descriptions string

var texts = description.Parse(descriptions)

// NamedManifest is a manifest with its key, as functions return it.
type NamedManifest struct {
	Name     string         `pulumi:"name"`
	Manifest map[string]any `pulumi:"manifest"`
}

// Annotate describes a manifest with its key for the schema.
func (n *NamedManifest) Annotate(a infer.Annotator) {
	a.SetToken("index", "NamedManifest")
	a.Describe(&n, texts.Of("NamedManifest"))
	texts.Describe(a, "NamedManifest", n)
}
