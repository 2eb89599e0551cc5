package sources

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

// remoteName names something remote. file is the file that contains the name.
type remoteName struct{ file, target, reason string }

// fetchesNothing says why a name is refused.
const fetchesNothing = "it is remote, and nothing is fetched from the network; download it, check it, and name the local files"

// schemes matches the start of remote names, as the library reads them, in lower case.
var schemes = regexp.MustCompile(`^(git::|(https?|ssh|file)://|github\.com[/:]|[a-z][a-z0-9-]*@)`)

// remoteReason says why the library would fetch a name; it is empty for a path. An ambiguous name counts as remote:
// the library would try that first.
func remoteReason(target string) string {
	address, err := url.Parse(target)
	isURL := err == nil && (address.Scheme == "http" || address.Scheme == "https")
	if !isURL && !schemes.MatchString(strings.ToLower(target)) { // like the library, which reads gİthub as github
		return ""
	}
	return fetchesNothing
}

// refusal returns the error about remote names.
func (o *offline) refusal(root, subject string) error {
	lines := []string{fmt.Sprintf("cannot build %s: it needs what is remote, and nothing is fetched from the network", subject)}
	for _, found := range o.remote {
		file := found.file
		if relative, err := filepath.Rel(root, file); err == nil {
			file = relative
		}
		lines = append(lines, fmt.Sprintf("  %s names %s", file, withoutPassword(found.target)))
	}
	lines = append(lines, "  Next: download what is named, check it, and name the downloaded files instead.")
	return fmt.Errorf("%s", strings.Join(lines, "\n"))
}

// credentials matches the credentials in a URL.
var credentials = regexp.MustCompile(`//[^/@]*@`)

func withoutPassword(target string) string { return credentials.ReplaceAllString(target, "//") }

func init() { refuseFetches(http.DefaultTransport.(*http.Transport)) }

// refuseFetches keeps the library off the network, whichever name it meets. The library sends its requests through the default
// transport and accepts no other. The transport first asks for the proxy, in the same goroutine, which shows who is calling:
// requests of other callers go through as before.
func refuseFetches(transport *http.Transport) {
	proxy := transport.Proxy
	transport.Proxy = func(req *http.Request) (*url.URL, error) {
		switch {
		case calledByKustomize():
			return nil, errors.New(fetchesNothing)
		case proxy == nil:
			return nil, nil
		default:
			return proxy(req)
		}
	}
}

// calledByKustomize reports whether the library is among the callers.
func calledByKustomize() bool {
	var callers [64]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers[:])])
	for {
		frame, more := frames.Next()
		if strings.HasPrefix(frame.Function, "sigs.k8s.io/kustomize/") {
			return true
		}
		if !more {
			return false
		}
	}
}
