// Pictures draws what a program wrote to a terminal, with its colors, as an SVG that is legible on light and on dark pages.
// "make pictures" uses it for those of the README, of real runs (pictures.sh).
//
//	pictures TITLE <output >picture.svg
package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: pictures TITLE <output >picture.svg")
		os.Exit(2)
	}
	output, err := io.ReadAll(os.Stdin)
	if err == nil {
		err = draw(os.Stdout, os.Args[1], wrap(parse(string(output)), columns))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}
