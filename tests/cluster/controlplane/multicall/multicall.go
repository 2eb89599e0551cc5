// Package multicall is the main function of one program that is several, and that may be a part
// of a cluster.
//
// Which of them it is says the name it is called by, so links named like the programs are all it
// takes.
package multicall

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Main runs the program by whose name this process was called, and ends with its exit code. Each
// program reads os.Args like the program of that name.
func Main(programs map[string]func() int) {
	run, ok := programs[filepath.Base(os.Args[0])]
	if !ok {
		fmt.Fprintf(os.Stderr, "%s: call it by one of the names %s\n",
			os.Args[0], strings.Join(slices.Sorted(maps.Keys(programs)), ", "))
		os.Exit(2)
	}
	if err := becomePart(); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", os.Args[0], err)
		os.Exit(2)
	}
	os.Exit(run())
}
