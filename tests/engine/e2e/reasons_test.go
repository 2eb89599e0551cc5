package e2e

import (
	"regexp"
	"strings"
	"testing"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/reason"
)

var (
	// ofProvider begins the part of the diagnostics that is about a resource of the provider, or about the provider.
	ofProvider = regexp.MustCompile(`^  (?:k8sconnect:index:|pulumi:providers:k8sconnect )`)
	// saidOf is an error that names what it is about itself, wherever it is printed.
	saidOf = regexp.MustCompile(`error: (?:Preview failed: |k8sconnect:index:\w+ resource |pulumi:providers:k8sconnect resource |rpc error: .* invocation of k8sconnect:)|` +
		`k8sconnect:index:\w+ invoke failed: `)
	// inAList is an error of several, and one that the state has.
	inAList = regexp.MustCompile(`^ *\t?\* `)
	// argument is what an SDK adds to what is wrong with an argument.
	argument = regexp.MustCompile(` \([\w.[\]]+\)$`)
	// engines is what the engine says itself of a resource: also where the provider was killed, or where the engine closed the
	// connection to it before a component answered, because one of its children had failed.
	engines = regexp.MustCompile(`error: (?:Preview failed: )?(?:\d+ errors? occurred:|resource '[^']+' does not exist|unable to replace resource |Resource '[^']+' will be destroyed but was not specified |resource "[^"]+" cannot be deleted|error reading from server: EOF|k8sconnect:index:\w+ resource '[^']+' has a problem: grpc: the client connection is closing$)`)
)

// wantReasons wants that all errors of the provider which a command has printed have a reason.
func wantReasons(t testing.TB, out string) {
	t.Helper()
	check := func(line string) {
		if err := reason.Check(argument.ReplaceAllString(line, "")); err != nil && !engines.MatchString(line) {
			t.Error(err)
		}
	}
	ours, several := false, false
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "  ") && !strings.HasPrefix(line, "   ") && strings.HasSuffix(line, "):"):
			ours, several = ofProvider.MatchString(line), false
		case line == "Resources:":
			ours, several = false, false
		case several && inAList.MatchString(line), ours && strings.HasPrefix(line, "    error: "), saidOf.MatchString(line):
			check(line)
		}
		several = strings.Contains(line, "unhealthy state:") || ours && strings.HasSuffix(line, " occurred:") || several && inAList.MatchString(line)
	}
}
