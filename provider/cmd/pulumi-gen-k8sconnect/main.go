package main

import (
	"context"
	"fmt"
	"os"
)

func main() {
	err := run(context.Background(), os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	switch {
	case len(args) == 2 && args[0] == "schema":
		return writeSchema(ctx, args[1])
	case len(args) == 3 && args[0] == "sdk":
		return writeSDKs(args[1], args[2], "")
	case len(args) == 4 && args[0] == "sdk":
		return writeSDKs(args[1], args[2], args[3])
	default:
		return fmt.Errorf("usage: pulumi-gen-k8sconnect schema FILE\n" +
			"       pulumi-gen-k8sconnect sdk SCHEMA DIR [VERSION]")
	}
}
