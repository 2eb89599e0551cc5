package waitfor

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/choice"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/fieldtags"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/readiness"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// HTTP is the request that a Service or a Pod must answer.
type HTTP struct {
	Path   *string `pulumi:"path,optional"`
	Port   any     `pulumi:"port,optional"`
	Scheme *Scheme `pulumi:"scheme,optional"`
	Status []int   `pulumi:"status,optional"`
}

// Annotate describes the type for the schema.
func (h *HTTP) Annotate(a infer.Annotator) {
	a.SetToken("index", "WaitForHttp")
	a.Describe(&h, texts.Of("HTTP"))
	texts.Describe(a, "HTTP", h)
}

// Scheme is how to ask.
type Scheme string

// The words.
const (
	schemeHTTP  = "http"
	schemeHTTPS = "https"
)

// Annotate names the type for the schema.
func (s *Scheme) Annotate(a infer.Annotator) { a.SetToken("index", "HttpScheme") }

// Values lists the words for the schema and for Check.
func (Scheme) Values() []infer.EnumValue[Scheme] {
	return []infer.EnumValue[Scheme]{
		{Name: "Http", Value: schemeHTTP, Description: "Ask without TLS. This is the default."},
		{Name: "Https", Value: schemeHTTPS, Description: "Ask with TLS. The certificate is not verified."},
	}
}

// The names of the members.
const (
	keyPath   = "path"
	keyPort   = "port"
	keyScheme = "scheme"
	keyStatus = "status"
)

var httpKeys = fieldtags.Names[HTTP]()

// decodeHTTP reads a request that [checker.http] has passed; nil if there is none.
func decodeHTTP(value property.Value) *readiness.HTTP {
	if !value.IsMap() {
		return nil
	}
	fields := value.AsMap()
	asked := &readiness.HTTP{
		Path: values.Text(fields.Get(keyPath)), Port: values.Scalar(fields.Get(keyPort)), TLS: values.Text(fields.Get(keyScheme)) == schemeHTTPS,
	}
	if asked.Path == "" {
		asked.Path = "/"
	}
	if status := fields.Get(keyStatus); status.IsArray() {
		for _, one := range status.AsArray().All {
			if one.IsNumber() {
				asked.Status = append(asked.Status, int(one.AsNumber()))
			}
		}
	}
	return asked
}

// http finds the mistakes in a request to an object of a kind, which is empty if it is unknown.
func (c *checker) http(value property.Value, kind schema.GroupKind) {
	fail := func(key, reason string) { c.fail(strings.TrimSuffix(readiness.NameHTTP+"."+key, "."), reason) }
	switch {
	case value.IsNull(), value.IsComputed():
		return
	case !value.IsMap():
		fail("", "The value must be an object such as { path: \"/healthz\", port: 8080 }.")
		return
	case kind.Kind != "" && !readiness.AnswersHTTP(kind):
		fail("", "Only Service and Pod of v1 answer HTTP requests. For a "+kind.Kind+", wait for its Service, in a Wait of its own.")
	}
	for name, member := range value.AsMap().AllStable {
		switch {
		case !slices.Contains(httpKeys, name):
			fail(name, fmt.Sprintf("There is no %q in %s. There are %s.", name, readiness.NameHTTP, strings.Join(httpKeys, ", ")))
		case member.IsNull(), member.IsComputed():
		default:
			if reason := wrongInRequest(name, member); reason != "" {
				fail(name, reason)
			}
		}
	}
}

// wrongInRequest says what is wrong with a member of a request; "" if nothing is. It never quotes the value.
func wrongInRequest(name string, member property.Value) string {
	switch name {
	case keyPath:
		if !member.IsString() || !isPath(member.AsString()) {
			return "The value must be a path such as /healthz, without server, port, fragment, and parts that are \".\" or \"..\"."
		}
	case keyPort:
		if port := values.Scalar(member); member.IsBool() || !isPort(port) {
			return "The value must be a number from 1 to 65535, or the name of a port."
		}
	case keyScheme:
		if words := choice.Of[Scheme](); !words.Allow(member) {
			return fmt.Sprintf("The value must be one of %s.", words)
		}
	case keyStatus:
		if !member.IsArray() || member.AsArray().Len() == 0 {
			return "The value must be a list of HTTP statuses, such as [200, 401]."
		}
		for _, status := range member.AsArray().All {
			if !status.IsComputed() && !isStatus(status) {
				return "Each value must be an HTTP status from 200 to 599."
			}
		}
	}
	return ""
}

// isPath reports whether a text is a path that stays below the one to which it is added, perhaps with a query.
func isPath(text string) bool {
	if !strings.HasPrefix(text, "/") || strings.ContainsAny(text, "#\\") || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return false
	}
	escaped, _, _ := strings.Cut(text, "?")
	path, err := url.PathUnescape(escaped)
	if err != nil {
		return false
	}
	for part := range strings.SplitSeq(path, "/") {
		if part == "." || part == ".." {
			return false
		}
	}
	return true
}

func isPort(text string) bool {
	if number, err := strconv.Atoi(text); err == nil {
		return number >= 1 && number <= math.MaxUint16
	}
	return len(validation.IsDNS1123Label(text)) == 0
}

func isStatus(v property.Value) bool {
	return v.IsNumber() && v.AsNumber() >= 200 && v.AsNumber() <= 599 && v.AsNumber() == math.Trunc(v.AsNumber())
}
