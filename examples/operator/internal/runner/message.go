package runner

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

const (
	// maximumTermination is what the kubelet keeps: of more it would keep the end.
	maximumTermination = 4096
	// maximumMessage is what a status takes.
	maximumMessage = 4000
	// maximumNotSaved is how long the annotation may be that says why the state is not saved.
	maximumNotSaved = 1000
	cutMark         = "…"
)

// terminationMessage is a copy of the record for those who look at the pod.
func terminationMessage(record state.Record) []byte {
	message := struct {
		Serial  int64                  `json:"serial"`
		Kind    v1alpha1.OperationKind `json:"kind"`
		Outcome state.Outcome          `json:"outcome"`
		Reason  string                 `json:"reason,omitempty"`
		Message string                 `json:"message,omitempty"`
	}{record.Serial, record.Kind, record.Outcome, record.Reason, record.Message}
	for size := len(record.Message); ; size = size * 9 / 10 {
		message.Message = cut(record.Message, size)
		if encoded, err := json.Marshal(message); err == nil && len(encoded) <= maximumTermination || size == 0 {
			return encoded
		}
	}
}

// cut keeps the beginning of a text.
func cut(text string, size int) string {
	if len(text) <= size {
		return text
	}
	end := max(0, size-len(cutMark))
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + cutMark
}
