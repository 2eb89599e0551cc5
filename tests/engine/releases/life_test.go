package releases_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
)

// life is a stack with the namespaces that its releases are in.
type life struct {
	testing.TB
	*engine.Stack

	cluster *cluster.Cluster
	project string
	space   string
	charts  string // the folder of its charts
}

var projects atomic.Int32

func newLife(t testing.TB) *life {
	t.Helper()
	c := connected(t)
	return &life{
		TB: t, Stack: engine.NewStack(t, "dev"), cluster: c,
		project: fmt.Sprintf("life-%d", projects.Add(1)), space: c.Namespace(t), charts: t.TempDir(),
	}
}

// files are the files of a chart by their names. Empty ones are not there.
type files map[string]string

// with returns the files with some of them changed.
func (f files) with(changes files) files {
	all := maps.Clone(f)
	maps.Copy(all, changes)
	return all
}

// chart writes a chart and returns its folder. Chart.yaml is made if it is not among the files.
func (l *life) chart(name, version string, content files) string {
	l.Helper()
	folder := filepath.Join(l.charts, name)
	require.NoError(l, os.RemoveAll(folder))
	all := files{"Chart.yaml": fmt.Sprintf("apiVersion: v2\nname: %s\nversion: %s\n", name, version)}.with(content)
	for file, text := range all {
		if text == "" {
			continue
		}
		path := filepath.Join(folder, file)
		require.NoError(l, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(l, os.WriteFile(path, []byte(text), 0o600))
	}
	return folder
}

// resource is a resource of a program.
type resource struct {
	Type       string         `json:"type"`
	Properties map[string]any `json:"properties"`
	Options    map[string]any `json:"options,omitempty"`
	// DefaultProvider makes a provider the one of all resources without another.
	DefaultProvider bool `json:"defaultProvider,omitempty"`
}

// program is what is under "resources" in a program.
type program map[string]resource

func (l *life) declare(resources program) {
	l.Helper()
	text, err := yaml.Marshal(map[string]any{"name": l.project, "runtime": "yaml", "resources": resources})
	require.NoError(l, err)
	require.NoError(l, l.WriteProject(string(text)))
}

// release is a Chart in the namespace of the life, with these inputs beside.
func (l *life) release(folder string, inputs map[string]any) resource {
	properties := map[string]any{"chart": folder, "namespace": l.space}
	maps.Copy(properties, inputs)
	return resource{Type: "k8sconnect:Chart", Properties: properties}
}

func (l *life) up(options engine.Options) engine.Result {
	l.Helper()
	return l.succeeds(engine.Up, options)
}

func (l *life) succeeds(kind engine.Kind, options engine.Options) engine.Result {
	l.Helper()
	result := l.Do(l.Context(), kind, options)
	require.NoError(l, result.Err, "%s:\n%s", kind, result.Output)
	return result
}

func (l *life) fails(kind engine.Kind, options engine.Options) engine.Result {
	l.Helper()
	result := l.Do(l.Context(), kind, options)
	require.Error(l, result.Err, "%s:\n%s", kind, result.Output)
	return result
}

// killedBefore runs an update, which is killed before the provider serves this call about a resource.
func (l *life) killedBefore(call, about string) {
	l.Helper()
	var running atomic.Pointer[engine.Operation]
	l.Intercept(func(ctx context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
		of, _ := request.(interface{ GetUrn() string })
		if o := running.Load(); o != nil && of != nil && strings.HasSuffix(info.FullMethod, call) && strings.Contains(of.GetUrn(), about) {
			o.Kill()
			return nil, context.Canceled
		}
		return handle(ctx, request)
	})
	o := l.Start(l.Context(), engine.Up, engine.Options{})
	running.Store(o)
	require.ErrorIs(l, o.Wait().Err, engine.ErrKilled)
	l.Intercept(nil)
	require.NoError(l, l.Unlock(l.Context()))
}

// live are the objects of a namespace, by kind and name.
func (l *life) live(space string) map[string]*unstructured.Unstructured { return played.objects(space) }

// get reads an object of the namespace of the life, such as Secret/admin.
func (l *life) get(id string) *unstructured.Unstructured {
	l.Helper()
	found := l.live(l.space)[id]
	require.NotNil(l, found, "%s is not there", id)
	return found
}

// drawn is what a field of a Secret holds.
func (l *life) drawn(secret, field string) string {
	l.Helper()
	return dataOf(l.get("Secret/" + secret))[field]
}

// dataOf are the data of a ConfigMap or a Secret, decoded.
func dataOf(object *unstructured.Unstructured) map[string]string {
	data, _, _ := unstructured.NestedStringMap(object.Object, "data")
	if object.GetKind() != "Secret" {
		return data
	}
	decoded := map[string]string{}
	for key, value := range data {
		text, err := base64.StdEncoding.DecodeString(value)
		if err != nil {
			panic(err)
		}
		decoded[key] = string(text)
	}
	return decoded
}

// runs are the runs in the namespace of the life, after so many.
func (l *life) runs(after int) []run { return played.ran(l.space, after) }

// urn finds the URN of a resource by the end of it, in the state.
func (l *life) urn(suffix string) string {
	l.Helper()
	for _, urn := range l.urns() {
		if strings.HasSuffix(urn, suffix) {
			return urn
		}
	}
	require.Fail(l, "no resource has a URN with this end", "%s: %v", suffix, l.urns())
	return ""
}

// urns are those of the state.
func (l *life) urns() []string {
	l.Helper()
	state := l.state()
	urns := []string{}
	for _, r := range state.Checkpoint.Latest.Resources {
		urns = append(urns, r["urn"].(string))
	}
	return slices.Clip(urns)
}

// checkpoint is the file of a state, as far as tests know it.
type checkpoint struct {
	Version    int `json:"version"`
	Checkpoint struct {
		Latest struct {
			Resources []map[string]any `json:"resources"`
		} `json:"latest"`
	} `json:"checkpoint"`
}

func (l *life) stateFile() string {
	return l.Stack.StateFile(l.project)
}

func (l *life) state() checkpoint {
	l.Helper()
	text, err := os.ReadFile(l.stateFile())
	if os.IsNotExist(err) {
		return checkpoint{}
	}
	require.NoError(l, err)
	var state checkpoint
	require.NoError(l, yaml.Unmarshal(text, &state))
	return state
}

// forget removes a resource from the state, as "pulumi state delete" does it.
func (l *life) forget(urn string) {
	l.Helper()
	text, err := os.ReadFile(l.stateFile())
	require.NoError(l, err)
	var state map[string]any
	require.NoError(l, yaml.Unmarshal(text, &state))
	latest := state["checkpoint"].(map[string]any)["latest"].(map[string]any)
	left := []any{}
	for _, r := range latest["resources"].([]any) {
		entry := r.(map[string]any)
		if entry["urn"] == urn {
			continue
		}
		if depends, is := entry["dependencies"].([]any); is {
			entry["dependencies"] = slices.DeleteFunc(depends, func(on any) bool { return on == urn })
		}
		left = append(left, entry)
	}
	latest["resources"] = left
	body, err := json.Marshal(state)
	require.NoError(l, err)
	require.NoError(l, os.WriteFile(l.stateFile(), body, 0o600))
}
