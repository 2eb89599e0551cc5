// Command pulumi-resource-k8sconnect is the Pulumi resource plugin k8sconnect.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/k8sconnect/pulumi-k8sconnect/provider"
)

func main() {
	if err := provider.Serve(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
