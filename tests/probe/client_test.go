package probe_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// The content types of requests.
const (
	applyPatch = "application/apply-patch+yaml"
	jsonPatch  = "application/json-patch+json"
	mergePatch = "application/merge-patch+json"
	yamlBody   = "application/yaml"
)

// probe asks the API server for one section of the golden file, in a namespace of its own.
type probe struct {
	t         *testing.T
	cluster   *cluster.Cluster
	user      cluster.User
	client    *http.Client
	namespace string
	text      *strings.Builder
}

func newProbe(t *testing.T, c *cluster.Cluster, title string) *probe {
	t.Helper()
	p := (&probe{t: t, cluster: c, text: &strings.Builder{}}).as(c.Admin())
	p.line("%s%s", heading, title)
	return p.in("probe-" + strings.ReplaceAll(title, " ", "-"))
}

// in is the same probe in another namespace, which it makes.
func (p *probe) in(namespace string) *probe {
	p.t.Helper()
	other := *p
	other.namespace = namespace
	other.make("{apiVersion: v1, kind: Namespace, metadata: {name: %s}}", namespace)
	return &other
}

// as is the same probe as someone else.
func (p *probe) as(user cluster.User) *probe {
	p.t.Helper()
	other := *p
	other.user = user
	var err error
	config := user.RESTConfig()
	config.WarningHandler = rest.NoWarnings{}
	other.client, err = rest.HTTPClientFor(config)
	require.NoError(p.t, err)
	return &other
}

func (p *probe) line(format string, args ...any) {
	fmt.Fprintf(p.text, format+"\n", args...)
}

// topic begins a group of answers.
func (p *probe) topic(format string, args ...any) {
	p.line("\n"+subheading+format, args...)
}

// request is one request. The zero method is that of a patch.
type request struct {
	method, path string
	query        url.Values
	contentType  string
	accept       string
	body         string
}

// answer is what came back.
type answer struct {
	code     int
	header   http.Header
	content  []byte
	warnings []string
}

// object is the answer as an object.
func (a answer) object(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	var object unstructured.Unstructured
	require.NoError(t, json.Unmarshal(a.content, &object.Object), "%s", a.content)
	return &object
}

// send sends a request without writing anything down.
func (p *probe) send(r request) answer {
	p.t.Helper()
	response, err := p.open(r)
	require.NoError(p.t, err)
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	require.NoError(p.t, err)
	return answer{response.StatusCode, response.Header, content, response.Header.Values("Warning")}
}

// open sends a request and leaves the answer to be read.
func (p *probe) open(r request) (*http.Response, error) {
	if r.method == "" {
		r.method = http.MethodPatch
	}
	if r.accept == "" {
		r.accept = "application/json"
	}
	sent, err := http.NewRequestWithContext(p.t.Context(), r.method, p.user.Host+r.path+"?"+r.query.Encode(), strings.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	sent.Header.Set("Accept", r.accept)
	if r.contentType != "" {
		sent.Header.Set("Content-Type", r.contentType)
	}
	return p.client.Do(sent)
}

// ask sends a request and writes down what came back.
func (p *probe) ask(name string, r request) answer {
	p.t.Helper()
	a := p.send(r)
	p.note(name, a)
	return a
}

// note writes an answer down: the code, what an error says, and the warnings.
func (p *probe) note(name string, a answer) {
	p.t.Helper()
	p.line("%s: %d", name, a.code)
	var status metav1.Status
	if a.code >= http.StatusBadRequest && json.Unmarshal(a.content, &status) != nil {
		p.line("  no Status: %s", shortened(string(a.content)))
	} else if a.code >= http.StatusBadRequest {
		message := p.normal(status.Message)
		p.line("  %s: %s", status.Reason, shortened(message))
		var causes []string
		if status.Details != nil {
			for _, cause := range status.Details.Causes {
				text := p.normal(cause.Message)
				if strings.Contains(message, text) {
					text = "as above"
				}
				causes = append(causes, fmt.Sprintf("  - %s %s: %s", cause.Type, cause.Field, shortened(text)))
			}
		}
		// Their order is random where several fields are wrong, and a version may say one twice.
		slices.Sort(causes)
		for _, cause := range slices.Compact(causes) {
			p.line("%s", cause)
		}
	}
	for _, warning := range a.warnings {
		p.line("  warning %s", p.normal(warning))
	}
}

// show writes down what is at a path of an answer, as JSON.
func (p *probe) show(a answer, path ...string) {
	p.t.Helper()
	value, found, err := unstructured.NestedFieldNoCopy(a.object(p.t).Object, path...)
	require.NoError(p.t, err)
	content, err := json.Marshal(value)
	require.NoError(p.t, err)
	if !found {
		content = []byte("absent")
	}
	p.line("  %s: %s", strings.Join(path, "."), p.normal(string(content)))
}

// owners writes down who owns what of an object, an entry of managedFields a line. Their own order is that of their times.
func (p *probe) owners(a answer) {
	p.t.Helper()
	var lines []string
	for _, entry := range a.object(p.t).GetManagedFields() {
		of := entry.APIVersion
		if entry.Subresource != "" {
			of += " " + entry.Subresource
		}
		lines = append(lines, fmt.Sprintf("  owner %q %s %s: %s", entry.Manager, entry.Operation, of, entry.FieldsV1.GetRawString()))
	}
	slices.Sort(lines)
	for _, line := range lines {
		p.line("%s", line)
	}
}

// random is what differs from one run to the next, and what stands for it.
var random = []struct {
	pattern *regexp.Regexp
	name    string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "UID"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`), "TIME"},
	{regexp.MustCompile(`(?m)^(\s*(?:clusterIP: |- ))10\.96\.\d+\.\d+$`), "${1}CLUSTER-IP"},
	{regexp.MustCompile(`\b(resource version: |resourceVersion: )\d+( \(\d+\))?`), "${1}VERSION"},
	{regexp.MustCompile(`(resourceVersion\\?":\\?")\d{2,}`), "${1}VERSION"},
	{regexp.MustCompile(`in record \(\d+\)`), "in record (VERSION)"},
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "ADDRESS"},
}

func (p *probe) normal(text string) string {
	text = strings.ReplaceAll(text, p.namespace, "NAMESPACE")
	text = strings.ReplaceAll(text, "\u00a0", " ") // by which go-cmp makes sure that nobody compares its texts
	for _, r := range random {
		text = r.pattern.ReplaceAllString(text, r.name)
	}
	return text
}

// shortened is a text that may quote a whole object, with its lines set in.
func shortened(text string) string {
	const head, tail = 400, 200
	if len(text) > head+tail {
		text = text[:head] + "…" + text[len(text)-tail:]
	}
	return strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    ")
}

// options are the parameters of a request, as "dryRun=All".
func options(parameters ...string) url.Values {
	values, err := url.ParseQuery(strings.Join(parameters, "&"))
	if err != nil {
		panic(err)
	}
	return values
}

const dryRun = "dryRun=All"

// apply is a server-side apply of a manifest by the manager "probe", as the provider sends it.
func (p *probe) apply(manifest string, parameters ...string) request {
	query := options(append([]string{"fieldManager=probe", "fieldValidation=Strict"}, parameters...)...)
	for _, one := range []string{"fieldManager", "fieldValidation"} {
		query.Set(one, query[one][len(query[one])-1])
	}
	return request{path: p.pathOf(manifest), contentType: applyPatch, query: query, body: manifest}
}

// patch is a patch of the object that a manifest is of.
func (p *probe) patch(contentType, manifest, body string, parameters ...string) request {
	return request{path: p.pathOf(manifest), contentType: contentType, query: options(parameters...), body: body}
}

// post creates an object.
func (p *probe) post(manifest string, parameters ...string) request {
	path := p.pathOf(manifest)
	return request{
		method: http.MethodPost, path: path[:strings.LastIndex(path, "/")], contentType: yamlBody,
		query: options(parameters...), body: manifest,
	}
}

// get reads the object that a manifest is of.
func (p *probe) get(manifest string) request {
	return request{method: http.MethodGet, path: p.pathOf(manifest)}
}

// remove deletes it.
func (p *probe) remove(manifest, body string, parameters ...string) request {
	return request{method: http.MethodDelete, path: p.pathOf(manifest), contentType: "application/json", query: options(parameters...), body: body}
}

// make creates an object that other requests are about, and writes nothing down.
func (p *probe) make(manifest string, args ...any) answer {
	p.t.Helper()
	if len(args) > 0 {
		manifest = fmt.Sprintf(manifest, args...)
	}
	a := p.send(p.apply(manifest))
	require.Less(p.t, a.code, http.StatusBadRequest, "%s\n%s", manifest, a.content)
	return a
}

// clusterScoped are the kinds of the manifests here that live outside of namespaces.
var clusterScoped = []string{
	"Namespace", "CustomResourceDefinition", "PersistentVolume", "StorageClass", "PriorityClass", "RuntimeClass", "CSIDriver",
	"CertificateSigningRequest", "ClusterRoleBinding", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding",
	"ValidatingWebhookConfiguration", "FlowSchema",
}

// plurals are those that are not the kind with an s.
var plurals = map[string]string{
	"Ingress": "ingresses", "NetworkPolicy": "networkpolicies", "Endpoints": "endpoints", "StorageClass": "storageclasses",
	"PriorityClass": "priorityclasses", "RuntimeClass": "runtimeclasses", "ValidatingAdmissionPolicy": "validatingadmissionpolicies",
}

// pathOf is the path of the object that a manifest is of. It knows the few kinds that are asked about here, since
// discovery is what another section asks about.
func (p *probe) pathOf(manifest string) string {
	var object unstructured.Unstructured
	require.NoError(p.t, yaml.Unmarshal([]byte(manifest), &object.Object), manifest)
	return p.path(object.GetAPIVersion(), object.GetKind(), object.GetName())
}

// path is the path of an object, or of a list if the name is empty.
func (p *probe) path(apiVersion, kind, name string) string {
	path := "/apis/" + apiVersion
	if !strings.Contains(apiVersion, "/") {
		path = "/api/" + apiVersion
	}
	if !slices.Contains(clusterScoped, kind) {
		path += "/namespaces/" + p.namespace
	}
	plural, ok := plurals[kind]
	if !ok {
		plural = strings.ToLower(kind) + "s"
	}
	return path + "/" + plural + "/" + name
}
