package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/chart"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/choice"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/sets"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/task"
)

// published turns the framework's schema into the schema of the package: enums, which accept only their own values there, also
// accept strings, and resources that only components make are left out.
func published(getSchema func(context.Context, p.GetSchemaRequest) (p.GetSchemaResponse, error)) func(context.Context, p.GetSchemaRequest) (p.GetSchemaResponse, error) {
	return func(ctx context.Context, req p.GetSchemaRequest) (p.GetSchemaResponse, error) {
		resp, err := getSchema(ctx, req)
		if err != nil {
			return resp, err
		}
		var spec schema.PackageSpec
		if err := json.Unmarshal([]byte(resp.Schema), &spec); err != nil {
			return p.GetSchemaResponse{}, fmt.Errorf("schema: %w", err)
		}
		choice.InSchema(&spec)
		for _, token := range []string{sets.RecordToken, sets.GuardToken, chart.RecordToken, task.ReleaseHooksToken} {
			delete(spec.Resources, token)
		}
		text, err := json.Marshal(spec)
		if err != nil {
			return p.GetSchemaResponse{}, fmt.Errorf("schema: %w", err)
		}
		return p.GetSchemaResponse{Schema: string(text)}, nil
	}
}

// written serves a schema that was derived from the code in advance, with the plugin's version. To derive the schema takes longer
// than all else that a plugin does before its first call, and the engine asks for it in each run of a YAML program.
func written(schema string) func(context.Context, p.GetSchemaRequest) (p.GetSchemaResponse, error) {
	return func(context.Context, p.GetSchemaRequest) (p.GetSchemaResponse, error) {
		return p.GetSchemaResponse{Schema: fmt.Sprintf(`{"version":%q,%s`, Version, strings.TrimPrefix(schema, "{"))}, nil
	}
}
