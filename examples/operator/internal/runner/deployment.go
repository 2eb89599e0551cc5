package runner

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/stack"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

const (
	rootType       tokens.Type = resource.RootStackType
	providerPrefix             = "pulumi:providers:"
	// inflated is how much a checkpoint may hold: more than any stack, less than the pod's memory.
	inflated = 512 << 20
)

// unpack reads a checkpoint.
func unpack(checkpoint []byte) (*apitype.DeploymentV3, error) {
	if checkpoint == nil {
		return &apitype.DeploymentV3{}, nil
	}
	compressed, err := gzip.NewReader(bytes.NewReader(checkpoint))
	if err != nil {
		return nil, fmt.Errorf("%w: the checkpoint: %w", state.ErrDamaged, err)
	}
	content, err := io.ReadAll(io.LimitReader(compressed, inflated))
	if err != nil {
		return nil, fmt.Errorf("%w: the checkpoint: %w", state.ErrDamaged, err)
	}
	var versioned apitype.VersionedCheckpoint
	var latest apitype.CheckpointV3
	if err := decodeExactly(content, &versioned); err != nil {
		return nil, fmt.Errorf("%w: the checkpoint: %w", state.ErrDamaged, err)
	}
	if err := decodeExactly(versioned.Checkpoint, &latest); err != nil {
		return nil, fmt.Errorf("%w: the checkpoint: %w", state.ErrDamaged, err)
	}
	if latest.Latest == nil {
		return &apitype.DeploymentV3{}, nil
	}
	return latest.Latest, nil
}

// resourcesOf tells whether two states say the same of the resources. Pulumi writes a state when it begins with a resource, too,
// with times that differ, and with secrets that are encrypted once more: none of these is progress.
func resourcesOf(ctx context.Context, key stack.Key, deployment *apitype.DeploymentV3) []byte {
	sum := sha256.New()
	encoder := json.NewEncoder(sum)
	for _, resource := range deployment.Resources {
		resource.Created, resource.Modified = nil, nil
		resource.Inputs, resource.Outputs = inClear(ctx, key, resource.Inputs), inClear(ctx, key, resource.Outputs)
		_ = encoder.Encode(resource) // what was decoded from JSON
	}
	return sum.Sum(nil)
}

// inClear decrypts the secrets of a resource. What cannot be decrypted stays as it is.
func inClear(ctx context.Context, key stack.Key, properties map[string]any) map[string]any {
	plain, _, err := reveal(ctx, key, properties, nil)
	if clear, isMap := plain.(map[string]any); err == nil && isMap {
		return clear
	}
	return properties
}

// decodeExactly keeps numbers as they are written.
func decodeExactly(content []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	return decoder.Decode(into)
}

// reveal decrypts a value of the state. It says whether there was a secret in it, and calls found with each.
func reveal(ctx context.Context, key stack.Key, value any, found func(any)) (plain any, secret bool, err error) {
	switch value := value.(type) {
	case map[string]any:
		if value[sig.Key] == sig.Secret {
			plain, err := revealSecret(ctx, key, value)
			if err == nil && found != nil {
				found(plain)
			}
			return plain, true, err
		}
		all := make(map[string]any, len(value))
		for name, item := range value {
			plain, hidden, err := reveal(ctx, key, item, found)
			if err != nil {
				return nil, false, err
			}
			all[name], secret = plain, secret || hidden
		}
		return all, secret, nil
	case []any:
		all := make([]any, len(value))
		for i, item := range value {
			plain, hidden, err := reveal(ctx, key, item, found)
			if err != nil {
				return nil, false, err
			}
			all[i], secret = plain, secret || hidden
		}
		return all, secret, nil
	}
	return value, false, nil
}

func revealSecret(ctx context.Context, key stack.Key, value map[string]any) (any, error) {
	text, isPlain := value["plaintext"].(string)
	if ciphertext, encrypted := value["ciphertext"].(string); encrypted {
		var err error
		if text, err = key.DecryptValue(ctx, ciphertext); err != nil {
			return nil, fmt.Errorf("%w: a secret in the state was encrypted with another one", stack.ErrKey)
		}
	} else if !isPlain {
		return nil, fmt.Errorf("%w: a secret has no content", state.ErrDamaged)
	}
	var plain any
	if err := decodeExactly([]byte(text), &plain); err != nil {
		return nil, fmt.Errorf("%w: a secret is not what Pulumi writes", state.ErrDamaged)
	}
	return plain, nil
}

// hide makes all secrets of a state known to the redactor.
func (r *run) hide(ctx context.Context, deployment *apitype.DeploymentV3) error {
	hide := func(resource apitype.ResourceV3) error {
		for _, values := range []map[string]any{resource.Inputs, resource.Outputs} {
			if _, _, err := reveal(ctx, r.key, values, r.secrets.addJSON); err != nil {
				return err
			}
		}
		return nil
	}
	for _, resource := range deployment.Resources {
		if err := hide(resource); err != nil {
			return err
		}
	}
	for _, operation := range deployment.PendingOperations {
		if err := hide(operation.Resource); err != nil {
			return err
		}
	}
	return nil
}
