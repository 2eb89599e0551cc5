// Pulumi-language-nodejs runs programs in TypeScript where the host of that name, which comes with a released Pulumi CLI, is not installed.
package main

import (
	"fmt"
	"os"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/languagehost"
)

func main() {
	err := languagehost.Serve("nodejs", func(h languagehost.Host) pulumirpc.LanguageRuntimeServer { return h })
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
