package plan

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
)

// A status is read by everybody who watches. With the conditions and the last failure it stays below 64 KiB.
const (
	outputsSize   = 16 << 10
	outputSize    = 1 << 10
	planSize      = 12 << 10
	resourcesSize = 20 << 10
	messageSize   = 4 << 10
)

// fit leaves out what would make a status too big. What is left out of the outputs is in their Secret.
func fit(status *v1alpha1.EnvironmentStatus) {
	left := outputsSize
	for _, name := range slices.Sorted(maps.Keys(status.Outputs)) {
		if left -= len(name) + len(status.Outputs[name].Raw); left < 0 {
			delete(status.Outputs, name)
		}
	}
	status.Resources = fitting(status.Resources, resourcesSize)
	if status.PendingPlan != nil {
		status.PendingPlan.Changes = fitting(status.PendingPlan.Changes, planSize)
	}
}

// fitting is the beginning of a list that is not longer than a size.
func fitting[T any](list []T, size int) []T {
	for i, item := range list {
		encoded, err := json.Marshal(item)
		if size -= len(encoded) + 1; err != nil || size < 0 {
			return slices.Clip(list[:i])
		}
	}
	return list
}

// shown is an output in the status.
func shown(value any) apiextensionsv1.JSON {
	encoded, err := json.Marshal(value)
	if err != nil {
		return apiextensionsv1.JSON{Raw: []byte("null")}
	}
	if len(encoded) > outputSize {
		encoded, _ = json.Marshal(cut(string(encoded), outputSize-16)) // a string can always be encoded
	}
	return apiextensionsv1.JSON{Raw: encoded}
}

// cut is the beginning of a text, with an ellipsis if something is missing.
func cut(text string, size int) string {
	if len(text) <= size {
		return text
	}
	text = text[:size-len("…")]
	for !utf8.ValidString(text) && text != "" {
		text = text[:len(text)-1]
	}
	return strings.TrimSpace(text) + "…"
}
