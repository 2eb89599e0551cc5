// Command pulumi-resource-k8sconnect is the Pulumi resource plugin k8sconnect. Under the name pulumi-converter-k8sconnect,
// it is the converter plugin.
package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"

	"github.com/k8sconnect/pulumi-k8sconnect/provider"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/converter"
)

//go:embed schema.json
var schema string

func main() {
	serve := func(ctx context.Context) error { return provider.Serve(ctx, schema) }
	if converter.IsInvokedBy(os.Args[0]) {
		serve = provider.ServeConverter
	}
	if err := serve(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
