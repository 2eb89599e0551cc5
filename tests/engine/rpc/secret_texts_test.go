package rpc_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
)

// where lists the places in which a text can be read by whoever may not: everything that the provider has answered for
// this resource since it began, in every process, and what the engine has kept of it; the messages and the status lines
// of these processes, debug ones too; and the events in the namespaces of the resource. What is secret in an input or
// output cannot be read, and what is encoded in base64 can.
func (s *session) where(text string) []string {
	s.t.Helper()
	sought := formsOf(text)
	places := map[string]bool{}
	in := func(place string, texts ...string) {
		if slices.ContainsFunc(texts, sought.in) {
			places[place] = true
		}
	}
	inEach := func(place string, values resource.PropertyMap) {
		for _, key := range readableIn(values, text) {
			places[fmt.Sprintf(place, key)] = true
		}
	}
	inEach("inputs.%s", s.inputs)
	inEach("outputs.%s", s.outputs)
	in("init errors", s.initErrors...)
	in("ID", string(s.id))
	inputs := []resource.PropertyMap{s.inputs}
	for _, p := range s.processes() {
		for _, answer := range p.answers.of(s.urn) {
			inEach("inputs.%s of "+answer.verb, answer.inputs)
			inEach("outputs.%s of "+answer.verb, answer.outputs)
			in("ID of "+answer.verb, string(answer.id))
			in("diff", answer.diff...)
			in("check failure", answer.failures...)
			in("error of "+answer.verb, answer.err)
			inputs = append(inputs, answer.inputs)
		}
		in("log", p.log.where(func(m *pulumirpc.LogRequest) bool { return !m.GetEphemeral() })...)
		in("status", p.log.statuses()...)
	}
	for reason, event := range s.events(inputs) {
		in("event "+reason, event)
	}
	return slices.Sorted(maps.Keys(places))
}

// requireHidden proves that nobody can read the secret in what the engine keeps, displays and logs.
func requireHidden(t testing.TB, s *session) {
	t.Helper()
	require.Empty(t, s.where(hush), "a secret is readable")
}

// processes are those that this resource has been in.
func (s *session) processes() []*process {
	var all []*process
	for _, p := range append(slices.Clone(s.earlier), s.lastRun, s.process) {
		if p != nil && !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all
}

// events are the events of the namespaces that the inputs name, by reason.
func (s *session) events(inputs []resource.PropertyMap) map[string]string {
	s.t.Helper()
	// Those of all namespaces are thousands in the end, which take a tenth of the time in JSON.
	config := shared.Get(s.t).RESTConfig()
	config.ContentType = runtime.ContentTypeProtobuf
	client, err := corev1.NewForConfig(config)
	require.NoError(s.t, err)
	all, err := client.Events(metav1.NamespaceAll).List(context.Background(), listAll)
	require.NoError(s.t, err)
	named := asJSON(slices.Collect(func(yield func(any) bool) {
		for _, in := range inputs {
			if !yield(plain(resource.NewProperty(in))) {
				return
			}
		}
	}))
	events := map[string]string{}
	for _, event := range all.Items {
		if strings.Contains(named, event.GetNamespace()) {
			events[event.Reason] += asJSON(event)
		}
	}
	return events
}

// readableIn lists the keys of a map below which a text is readable: it stands there, in a value or in a name, and is not
// part of a secret.
func readableIn(values resource.PropertyMap, text string) []string {
	sought := formsOf(text)
	var keys []string
	for key, value := range values {
		if sought.in(string(key)) || sought.below(readable(value)) {
			keys = append(keys, string(key))
		}
	}
	slices.Sort(keys)
	return keys
}

// forms are the ways to write a text in which anybody can read it.
type forms []string

func formsOf(text string) forms {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	all := forms{text, string(quoted[1 : len(quoted)-1])}
	// Three bytes are four characters, so there are three ways to begin. The characters at the ends may stand for other
	// bytes, too, and what is short is found by accident.
	for before := range 3 {
		padded := append(make([]byte, before), text...)
		for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			encoded := encoding.EncodeToString(padded)
			if encoded = encoded[(before*8+5)/6 : len(padded)*8/6]; len(encoded) > 6 {
				all = append(all, encoded)
			}
		}
	}
	return all
}

func (f forms) in(text string) bool {
	return slices.ContainsFunc(f, func(form string) bool { return strings.Contains(text, form) })
}

// below reports whether one of the forms is in a value or in the name of a member.
func (f forms) below(value any) bool {
	switch value := value.(type) {
	case map[string]any:
		for key, member := range value {
			if f.in(key) || f.below(member) {
				return true
			}
		}
		return false
	case []any:
		return slices.ContainsFunc(value, f.below)
	default:
		return f.in(fmt.Sprint(value))
	}
}

// answers is everything that a provider has told the engine of resources.
type answers struct {
	mu  sync.Mutex
	all []answer
}

// answer is what the engine keeps or shows of one reply.
type answer struct {
	urn             resource.URN
	verb            string
	id              resource.ID
	inputs, outputs resource.PropertyMap
	diff, failures  []string
	err             string
}

func (a *answers) add(given answer, err error) {
	if err != nil {
		given.err = err.Error()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all = append(a.all, given)
}

func (a *answers) of(urn resource.URN) []answer {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(a.all), func(given answer) bool { return given.urn != urn })
}

// Check is called by the engine, as are the verbs below.
func (p *process) Check(ctx context.Context, req plugin.CheckRequest) (plugin.CheckResponse, error) {
	resp, err := p.Provider.Check(ctx, req)
	given := answer{urn: req.URN, verb: "Check", inputs: received(resp.Properties)}
	for _, failure := range resp.Failures {
		// The engine adds the value of the property.
		value := readable(received(req.NewInputs)[failure.Property])
		given.failures = append(given.failures, string(failure.Property), failure.Reason, asJSON(value), fmt.Sprint(value))
	}
	p.answers.add(given, err)
	return resp, err
}

func (p *process) Diff(ctx context.Context, req plugin.DiffRequest) (plugin.DiffResponse, error) {
	resp, err := p.Provider.Diff(ctx, req)
	paths := slices.Collect(maps.Keys(resp.DetailedDiff))
	for _, keys := range [][]resource.PropertyKey{resp.ChangedKeys, resp.ReplaceKeys, resp.StableKeys} {
		for _, key := range keys {
			paths = append(paths, string(key))
		}
	}
	p.answers.add(answer{urn: req.URN, verb: "Diff", diff: paths}, err)
	return resp, err
}

func (p *process) Create(ctx context.Context, req plugin.CreateRequest) (plugin.CreateResponse, error) {
	resp, err := p.Provider.Create(ctx, req)
	p.answers.add(answer{urn: req.URN, verb: verb("Create", req.Preview), id: resp.ID, outputs: received(resp.Properties)}, err)
	return resp, err
}

func (p *process) Read(ctx context.Context, req plugin.ReadRequest) (plugin.ReadResponse, error) {
	resp, err := p.Provider.Read(ctx, req)
	p.answers.add(answer{urn: req.URN, verb: "Read", id: resp.ID, inputs: receivedAny(resp.Inputs), outputs: receivedAny(resp.Outputs)}, err)
	return resp, err
}

func (p *process) Update(ctx context.Context, req plugin.UpdateRequest) (plugin.UpdateResponse, error) {
	resp, err := p.Provider.Update(ctx, req)
	p.answers.add(answer{urn: req.URN, verb: verb("Update", req.Preview), outputs: received(resp.Properties)}, err)
	return resp, err
}

func (p *process) Delete(ctx context.Context, req plugin.DeleteRequest) (plugin.DeleteResponse, error) {
	resp, err := p.Provider.Delete(ctx, req)
	p.answers.add(answer{urn: req.URN, verb: "Delete"}, err)
	return resp, err
}

func verb(name string, preview bool) string {
	if preview {
		return name + " in a preview"
	}
	return name
}

func TestWhereATextIsReadable(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := start(t, nil).resource(t, "where")
	s.inputs = program(w.configMap("it", m{"a": secret(hush)}))
	require.Empty(t, s.where(hush), "a secret cannot be read")

	values := func(v any) resource.PropertyMap { return resource.NewPropertyMapFromMap(m{"a": []any{m{"b": v}}}) }
	encoded := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	for what, value := range map[string]any{
		"as it is": "x" + hush + "y", "as a name": m{hush: 1.0}, "in base64": encoded(hush), "one behind": encoded("1" + hush + "234"),
		"two behind": encoded("12" + hush), "in the middle of base64": encoded("123" + hush + "4"), "in JSON": asJSON(m{"c": []any{hush}}),
		"in a known output": resource.NewProperty(resource.Output{Element: resource.NewProperty(hush), Known: true}),
	} {
		assert.Equal(t, []string{"a"}, readableIn(values(value), hush), what)
	}
	for what, value := range map[string]any{
		"not at all": "hunter2", "in a secret": secret(m{hush: hush}), "in an output that is secret": resource.NewProperty(resource.Output{
			Element: resource.NewProperty(hush), Known: true, Secret: true,
		}),
	} {
		assert.Empty(t, readableIn(values(value), hush), what)
	}
	assert.Equal(t, []string{"a"}, readableIn(values(`one\ntwo`), "one\ntwo"), "escaped, as in JSON")

	s.in(start(t, nil))
	s.stored = stored{"v1/" + hush, program(w.configMap("it", m{"a": hush})), values(hush), []string{hush}, false}
	p := s.process
	p.answers.add(answer{
		urn: s.urn, verb: "Update", inputs: values(hush), outputs: values(hush), diff: []string{"a." + hush}, failures: []string{hush}, id: hush,
	}, fmt.Errorf("no %s", hush))
	for _, ephemeral := range []bool{true, false} {
		_, err := p.log.Log(t.Context(), &pulumirpc.LogRequest{Severity: pulumirpc.LogSeverity_DEBUG, Message: hush, Ephemeral: ephemeral})
		require.NoError(t, err)
	}
	w.create(object(t, `{apiVersion: v1, kind: Event, metadata: {name: e, namespace: %s}, type: Warning, reason: Told, message: %s,
		involvedObject: {kind: ConfigMap, name: it, namespace: %[1]s}}`, w.namespace, hush))
	s.in(start(t, nil)) // what another process was told is not forgotten
	assert.Equal(t, []string{
		"ID", "ID of Update", "check failure", "diff", "error of Update", "event Told", "init errors", "inputs.a of Update", "inputs.manifest",
		"log", "outputs.a", "outputs.a of Update", "status",
	}, s.where(hush))
}

func TestNamesInASecretMapAreHiddenInConflicts(t *testing.T) {
	t.Parallel()
	const name = "hunter2-hunter2"
	for how, more := range map[string]m{
		"that are forced": nil, "that fail": {"conflictPolicy": "fail"}, "that are handed over": {"takeOverFrom": []any{"intern"}},
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			manifest := w.configMap("web", nil)
			manifest["data"] = secret(m{name: "1", "b": "1"})
			s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(manifest))
			w.apply("intern", w.configMap("web", m{name: "9"}))
			manifest["data"] = secret(m{name: "2", "b": "1"})
			s.in(s.process.again(t))
			_, err := s.up(program(manifest, more))
			assert.Equal(t, how == "that fail", err != nil)
			assert.Empty(t, s.where(name))
		})
	}
}
