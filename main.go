// Command pulumi-resource-k8sconnect is the Pulumi resource plugin k8sconnect.
package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"

	"github.com/k8sconnect/pulumi-k8sconnect/provider"
)

//go:embed schema.json
var schema string

func main() {
	if err := provider.Serve(context.Background(), schema); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
