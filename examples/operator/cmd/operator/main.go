// The operator runs Pulumi programs in a cluster: "operator controller" watches Environments, "operator state" is for people, and "operator run" is what
// the pods of their runs do.
package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
)

// subcommands return the process's exit code.
var subcommands = map[string]func(args []string) int{
	"controller": control,
	"run":        run,
	"state":      manageState,
}

func main() { os.Exit(dispatch(os.Args[1:], os.Stderr)) }

func dispatch(args []string, complain io.Writer) int {
	if len(args) > 0 {
		if subcommand, found := subcommands[args[0]]; found {
			return subcommand(args[1:])
		}
	}
	_, _ = fmt.Fprintf(complain, "usage: operator %v [flags]\n", slices.Sorted(maps.Keys(subcommands)))
	return 64
}
