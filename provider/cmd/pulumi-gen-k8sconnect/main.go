// Command pulumi-gen-k8sconnect writes what is generated from the provider: the
// Pulumi schema.
//
// Usage:
//
//	pulumi-gen-k8sconnect FILE
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/k8sconnect/pulumi-k8sconnect/provider"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: pulumi-gen-k8sconnect FILE")
		os.Exit(2)
	}
	text, err := schema(context.Background())
	if err == nil {
		err = os.WriteFile(os.Args[1], text, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// schema is the schema without a version: a release sets the version of the
// plugin, and the checked-in file does not change with it.
func schema(ctx context.Context) ([]byte, error) {
	built, err := provider.New(provider.NewConfiguration(provider.Version))
	if err != nil {
		return nil, err
	}
	spec, err := p.GetSchema(ctx, provider.Name, provider.Version, built)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	spec.Version = ""
	text, err := json.MarshalIndent(spec, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return append(text, '\n'), nil
}
