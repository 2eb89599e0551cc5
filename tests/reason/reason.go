// Package reason looks for the reason that every error of the provider has: a word in brackets at the end of the first
// line. The harnesses of tests/engine/rpc and tests/engine/e2e look at every error that they see, so each test of a failure
// proves that it has one.
package reason

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/checkout"
)

// bug is the reason of an error that nobody has thought of. No user's mistake, and no fault of a cluster, may lead to it.
const bug = "ProviderError"

var (
	constant = regexp.MustCompile(`(?m)^\tReason\w+ +Reason = "(\w+)"$`)
	ending   = regexp.MustCompile(`\S \[([A-Z][A-Za-z]+)\]$`)
)

// Known are the reasons that there are.
var Known = sync.OnceValue(func() []string {
	text, err := checkout.Read("provider", "internal", "failure", "reason.go")
	if err != nil {
		panic(err)
	}
	var known []string
	for _, match := range constant.FindAllStringSubmatch(text, -1) {
		known = append(known, match[1])
	}
	return known
})

// Of is the reason of an error's text, or empty.
func Of(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	match := ending.FindStringSubmatch(first)
	if match == nil {
		return ""
	}
	for _, known := range Known() {
		if known == match[1] {
			return known
		}
	}
	return ""
}

// Check says what is wrong with the reason of an error's text.
func Check(text string) error {
	switch found := Of(text); {
	case found == "":
		return fmt.Errorf("the first line of this error does not end in a known reason:\n%s", text)
	case found == bug:
		return fmt.Errorf("this error has no reason of its own:\n%s", text)
	case strings.Count(text, "["+found+"]") > 1:
		return fmt.Errorf("this error says its reason twice:\n%s", text)
	}
	return nil
}
