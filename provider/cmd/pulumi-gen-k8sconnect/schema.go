package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/k8sconnect/pulumi-k8sconnect/provider"
)

// writeSchema writes the schema without a version: a release sets the version of the
// plugin, and the checked-in file does not change with it.
func writeSchema(ctx context.Context, file string) error {
	built, err := provider.New(provider.NewConfiguration(provider.Version))
	if err != nil {
		return err
	}
	spec, err := p.GetSchema(ctx, provider.Name, provider.Version, built)
	if err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	spec.Version = ""
	text, err := json.MarshalIndent(spec, "", "  ")
	if err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}
