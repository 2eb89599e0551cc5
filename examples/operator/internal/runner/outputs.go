package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/stack"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// maximumOutputs is what fits into the head, with the record: a Secret takes 1 MiB in all.
const maximumOutputs = 800_000

var outputKey = regexp.MustCompile(`^[-._a-zA-Z0-9]+$`)

// outputs are those of the stack: all, or none and a reason. One with a secret anywhere in it is secret as a whole, and so is one with a
// secret that the run was given, whether the program says so or not, and one whose secret someone has covered already.
func outputs(ctx context.Context, key stack.Key, given *redactor, deployment *apitype.DeploymentV3) (map[string]state.Output, error) {
	found := map[string]state.Output{}
	size := 0
	for _, resource := range deployment.Resources {
		if resource.Type != rootType || resource.Delete {
			continue
		}
		for name, value := range resource.Outputs {
			if !outputKey.MatchString(name) {
				return nil, invalid("the output %q cannot be a key of a Secret. Use letters, digits, '-', '_' and '.' only", name)
			}
			plain, secret, err := reveal(ctx, key, value, nil)
			if err != nil {
				return nil, err
			}
			encoded, err := json.Marshal(plain)
			if err != nil {
				return nil, invalid("the output %q cannot be written as JSON: %v", name, err)
			}
			size += len(name) + len(encoded)
			found[name] = state.Output{Value: plain, Secret: secret || strings.Contains(string(encoded), redacted) || given.reveals(string(encoded))}
		}
	}
	if size > maximumOutputs {
		return nil, invalid("the outputs have %d bytes, and %d fit into a Secret with the state. Export less", size, maximumOutputs)
	}
	return found, nil
}

func invalid(format string, values ...any) error {
	return &failure{reason: ReasonOutputsInvalid, message: fmt.Sprintf("What the program made is applied, but "+format+".", values...)}
}
