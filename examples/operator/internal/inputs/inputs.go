// Package inputs is what an operation is run with: the program, the configuration and the values of its secrets, frozen
// when the operation begins.
//
// An operation that was interrupted is continued with the inputs that it began with, whatever the Environment says
// by then: the engine and the providers recognize their own half-done work only by them. So they are kept in an immutable
// Secret until the operation is concluded.
package inputs

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
)

// Key is the key of the Secret's data.
const Key = "inputs.json.gz"

// Inputs are those of one operation. They are never changed.
type Inputs struct {
	// Image is the image that the program is in; empty if it is in Files. The pod has it.
	Image string `json:"image,omitempty"`
	// Files are the program's by their names: Pulumi.yaml and what is beside it. A destroy has none.
	Files map[string][]byte `json:"files,omitempty"`
	// Config has the values as they are in the Environment.
	Config map[string]json.RawMessage `json:"config,omitempty"`
	// SecretConfig has the values of the Secrets.
	SecretConfig map[string]string `json:"secretConfig,omitempty"`
	// BackendURL is empty if the state is kept in Secrets.
	BackendURL string `json:"backendURL,omitempty"`
	// Credentials are environment variables for the backend.
	Credentials map[string]string `json:"credentials,omitempty"`
	// Correct says whether a drift check puts right what it finds.
	Correct bool `json:"correct,omitempty"`
	// Refresh says that an update looks at each object first: it puts drift right.
	Refresh bool `json:"refresh,omitempty"`
	// ApprovedPlan is the hash of the only plan that may run; empty if none has to be approved.
	ApprovedPlan string `json:"approvedPlan,omitempty"`
	// AppliedSerial is the serial of the last operation that changed something. It is part of a plan's hash, so that
	// a plan that was approved once is not approved for ever.
	AppliedSerial int64 `json:"appliedSerial,omitempty"`
	// InputHash is the hash of program, configuration and versions of secrets.
	InputHash string `json:"inputHash,omitempty"`
	// Timeout is how long the run may take.
	Timeout time.Duration `json:"timeout"`
	// Instance is the object of a class that the run is for, as people name it; empty if there is none.
	Instance string `json:"instance,omitempty"`
	// Kind is what the run does.
	Kind v1alpha1.OperationKind `json:"kind"`
}

// Encode is what the Secret holds.
func (i Inputs) Encode() ([]byte, error) {
	var encoded bytes.Buffer
	compressed := gzip.NewWriter(&encoded)
	if err := json.NewEncoder(compressed).Encode(i); err != nil {
		return nil, fmt.Errorf("inputs: %w", err)
	}
	if err := compressed.Close(); err != nil {
		return nil, fmt.Errorf("inputs: %w", err)
	}
	return encoded.Bytes(), nil
}

// maximum is how much a decoded Secret may hold: far more than fits into an encoded one unless it was made to.
const maximum = 64 << 20

// Decode reads what Encode wrote.
func Decode(encoded []byte) (Inputs, error) {
	compressed, err := gzip.NewReader(bytes.NewReader(encoded))
	if err != nil {
		return Inputs{}, fmt.Errorf("inputs: %w", err)
	}
	content, err := io.ReadAll(io.LimitReader(compressed, maximum))
	if err != nil {
		return Inputs{}, fmt.Errorf("inputs: %w", err)
	}
	var decoded Inputs
	if err := json.Unmarshal(content, &decoded); err != nil {
		return Inputs{}, fmt.Errorf("inputs: %w", err)
	}
	return decoded, nil
}
