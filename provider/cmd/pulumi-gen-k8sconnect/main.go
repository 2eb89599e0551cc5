// Command pulumi-gen-k8sconnect writes what is generated from the provider: the
// Pulumi schema.
//
// Usage:
//
//	pulumi-gen-k8sconnect [-check] FILE
//
// With -check nothing is written, and the command fails if FILE is not what it
// would write.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/k8sconnect/pulumi-k8sconnect/provider"
)

func main() {
	check := flag.Bool("check", false, "compare instead of writing")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: pulumi-gen-k8sconnect [-check] FILE")
		os.Exit(2)
	}
	if err := run(context.Background(), flag.Arg(0), *check); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, file string, check bool) error {
	text, err := schema(ctx)
	if err != nil {
		return err
	}
	if !check {
		return os.WriteFile(file, text, 0o644)
	}
	have, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if !bytes.Equal(have, text) {
		return fmt.Errorf("%s is out of date: run `make schema` and commit the result", file)
	}
	return nil
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
