package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/stack"
)

// restack gives a state to another stack of the same project: its URNs name the stack, and its secrets have the key of the Environment.
type restack struct {
	from, to   string
	open, seal stack.Key
}

// deployment changes a whole state. It does what "pulumi stack rename" does, and nothing to the objects.
func (r *restack) deployment(ctx context.Context, deployment *apitype.DeploymentV3) error {
	for i := range deployment.Resources {
		if err := r.resource(ctx, &deployment.Resources[i]); err != nil {
			return err
		}
	}
	for i := range deployment.PendingOperations {
		if err := r.resource(ctx, &deployment.PendingOperations[i].Resource); err != nil {
			return err
		}
	}
	provider, err := r.seal.Provider()
	deployment.SecretsProviders = provider
	return err
}

// resource goes by what is written rather than by the fields: a URN that a newer Pulumi has in another field is not forgotten.
func (r *restack) resource(ctx context.Context, resource *apitype.ResourceV3) error {
	name := resource.URN
	encoded, err := json.Marshal(resource)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	var written map[string]any
	if err := decodeExactly(encoded, &written); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	for key, value := range written {
		// A text among the properties is the program's own, whatever it looks like.
		if written[key], err = r.value(ctx, value, key != "inputs" && key != "outputs"); err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
	}
	if encoded, err = json.Marshal(written); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	*resource = apitype.ResourceV3{}
	return decodeExactly(encoded, resource)
}

func (r *restack) value(ctx context.Context, value any, names bool) (any, error) {
	var err error
	switch value := value.(type) {
	case string:
		if names {
			return r.urn(value), nil
		}
	case []any:
		for i := range value {
			if value[i], err = r.value(ctx, value[i], names); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		if value[sig.Key] == sig.Secret {
			return r.secret(ctx, value, names)
		}
		names = names || value[sig.Key] == sig.ResourceReference
		for key := range value {
			if value[key], err = r.value(ctx, value[key], names); err != nil {
				return nil, err
			}
		}
	}
	return value, nil
}

// secret encrypts a secret with the other key: who knows the former one need not be who may read the state from now on.
func (r *restack) secret(ctx context.Context, value map[string]any, names bool) (any, error) {
	plain, err := revealSecret(ctx, r.open, value)
	if err != nil {
		return nil, err
	}
	if plain, err = r.value(ctx, plain, names); err != nil {
		return nil, err
	}
	encoded, err := json.Marshal(plain)
	if err != nil {
		return nil, err
	}
	ciphertext, err := r.seal.EncryptValue(ctx, string(encoded))
	return map[string]any{sig.Key: sig.Secret, "ciphertext": ciphertext}, err
}

// urn renames the stack in a URN, also in one that an id follows. The stack itself has its name twice.
func (r *restack) urn(text string) string {
	rest, of := strings.CutPrefix(text, "urn:pulumi:"+r.from+"::")
	if !of {
		return text
	}
	if project, isStack := strings.CutSuffix(rest, "-"+r.from); isStack {
		if project, name, _ := strings.Cut(project, "::"+string(rootType)+"::"); name == project {
			rest = project + "::" + string(rootType) + "::" + project + "-" + r.to
		}
	}
	return "urn:pulumi:" + r.to + "::" + rest
}
