package wait

import (
	_ "embed"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/description"
)

//go:embed descriptions.md
var descriptions string

var texts = description.Parse(descriptions)
