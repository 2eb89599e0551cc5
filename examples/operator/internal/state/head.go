package state

import (
	"bytes"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Head is the newest revision of an Environment's state, and what the operation that wrote it says of itself. It is
// one Secret, replaced as a whole by its resource version: this replacement is the commit. Whoever was overtaken gets
// a conflict and has lost.
type Head struct {
	// Revision counts the checkpoints that were saved.
	Revision int64
	Record   Record
	// Outputs are those of the last update that succeeded.
	Outputs map[string]Output
	// Project is the name of the project in the state.
	Project string
	// MovedFrom says of which Environment, and of which revision of its state, this one was moved here; empty for none.
	MovedFrom string

	// checkpoint is the stack's file, compressed as Pulumi wrote it; nil if there is none.
	checkpoint []byte
	// changed says that the checkpoint is not the one that was read.
	changed bool
	// partial says that the checkpoint was not read.
	partial bool
	// chunks are those that the Secret names; none if the checkpoint is in the Secret itself.
	chunks []chunk
	secret *corev1.Secret
}

// chunk names a part of a checkpoint.
type chunk struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// UID is that of the Secret. It stays the same from one revision to the next.
func (h *Head) UID() types.UID { return h.secret.UID }

// Checkpoint is the stack's file, compressed as Pulumi wrote it; nil if there is none.
func (h *Head) Checkpoint() []byte { return h.checkpoint }

// SetCheckpoint changes the checkpoint, for the next Save to write.
func (h *Head) SetCheckpoint(content []byte) {
	if !bytes.Equal(h.checkpoint, content) {
		h.checkpoint, h.changed = content, true
	}
}
