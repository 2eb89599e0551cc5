package e2e

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// resource is one resource of the state. Secrets in it are ciphertexts.
type resource struct {
	URN                  string         `json:"urn"`
	Type                 string         `json:"type"`
	ID                   string         `json:"id"`
	Inputs               map[string]any `json:"inputs"`
	Outputs              map[string]any `json:"outputs"`
	InitErrors           []string       `json:"initErrors"`
	RefreshBeforeUpdate  bool           `json:"refreshBeforeUpdate"`
	Dependencies         []string       `json:"dependencies"` // URNs
	PropertyDependencies map[string]any `json:"propertyDependencies"`
}

// name is the resource's name in the program.
func (r resource) name() string { return r.URN[strings.LastIndex(r.URN, "::")+2:] }

// named are the names of the resources of a type, sorted.
func (s state) named(token string) []string {
	var names []string
	for _, r := range s.all {
		if r.Type == token {
			names = append(names, r.name())
		}
	}
	slices.Sort(names)
	return names
}

// uid is the uid of the object, "" where the state does not know it.
func (r resource) uid() string {
	uid, _ := at(r.Outputs, "resourceRef", "uid").(string)
	return uid
}

// pending says that the state knows of an apply whose effect was not seen.
func (r resource) pending() bool { return r.Outputs["__pendingProjection"] == true }

// pinned are the inputs and outputs of all our resources, but for the keys of the hashes, which are
// encrypted again every time.
func (s state) pinned() map[string][2]map[string]any {
	values := map[string][2]map[string]any{}
	for name, r := range s.resources {
		outputs := maps.Clone(r.Outputs)
		delete(outputs, "__hashKey")
		if origin, ok := outputs["__cluster"].(map[string]any); ok {
			origin = maps.Clone(origin)
			delete(origin, "server") // a secret, which Pulumi encrypts in another way every time
			outputs["__cluster"] = origin
		}
		values[name] = [2]map[string]any{r.Inputs, outputs}
	}
	return values
}

// operationNote is what the engine notes of an operation that has not ended.
type operationNote struct {
	Resource resource `json:"resource"`
	Type     string   `json:"type"` // creating, updating, deleting …
}

// waits says that the state knows of a failed wait.
func (r resource) waits() bool { return r.Outputs["__pendingWait"] == true }

// state is what "pulumi stack export" says.
type state struct {
	resources map[string]resource // our resources, by name
	all       []resource
	// operations are those in which the engine was interrupted.
	operations []operationNote
	text       string
}

// deployment is the part of a state that is the same in the backend and in what is exported.
type deployment struct {
	Resources  []resource      `json:"resources"`
	Operations []operationNote `json:"pending_operations"`
}

// export exports the state, by way of the backend's file: that has what "pulumi stack export" says (see
// [stack.requireExported]), and the looks at a state are hundreds. A command costs a fifth of a second.
func (s *stack) export(t testing.TB) state {
	t.Helper()
	saved, text, err := s.checkpoint()
	if err != nil {
		t.Fatalf("the saved state is not what it should be: %v\n%s", err, text)
	}
	return stateOf(saved, text)
}

// exported is what "pulumi stack export" prints.
func (s *stack) exported(t testing.TB) string {
	t.Helper()
	return s.succeed(t, "stack", "export", "--stack="+s.name).stdout
}

// requireExported wants "pulumi stack export" to say what the backend has.
func (s *stack) requireExported(t testing.TB, saved state) {
	t.Helper()
	exported := parseState(t, s.exported(t))
	require.Equal(t, saved.all, exported.all)
	require.Equal(t, saved.operations, exported.operations)
}

// parseState reads what "pulumi stack export" has printed.
func parseState(t testing.TB, text string) state {
	t.Helper()
	var exported struct{ Deployment deployment }
	if err := json.Unmarshal([]byte(text), &exported); err != nil {
		t.Fatalf("the exported state is not what it should be: %v\n%s", err, text)
	}
	return stateOf(exported.Deployment, text)
}

func stateOf(d deployment, text string) state {
	result := state{resources: map[string]resource{}, all: d.Resources, operations: d.Operations, text: text}
	for _, r := range result.all {
		if strings.HasPrefix(r.Type, "k8sconnect:") {
			result.resources[r.name()] = r
		}
	}
	return result
}

// get returns a resource of the state, which must be in it.
func (s state) get(t testing.TB, name string) resource {
	t.Helper()
	r, ok := s.resources[name]
	if !ok {
		t.Fatalf("resource %q is not in the state:\n%s", name, s.text)
	}
	return r
}

// tidy deletes the objects that are still in the state. It needs no Pulumi, so it works
// whatever the test has done to provider, program and connection.
func (s *stack) tidy(t testing.TB, k *kube) {
	saved, _, err := s.checkpoint()
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // without a stack nothing was made
		t.Errorf("tidying up: %v", err)
	}
	for _, r := range saved.Resources {
		if r.Type == "k8sconnect:index:KubeObject" {
			k.remove(t, r.ID)
		}
	}
}

// checkpoint is the state as the backend has it.
func (s *stack) checkpoint() (saved deployment, text string, err error) {
	content, err := os.ReadFile(filepath.Join(s.backend, ".pulumi", "stacks", s.project, s.name+".json"))
	if err != nil {
		return deployment{}, "", err
	}
	var file struct{ Checkpoint struct{ Latest deployment } }
	err = json.Unmarshal(content, &file)
	return file.Checkpoint.Latest, string(content), err
}

// everythingSaved is the content of all files of the backend: the state, its backups, and the
// history of updates.
func (s *stack) everythingSaved(t testing.TB) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(s.backend, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		all.Write(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// at follows keys and indexes into a tree of maps and lists; it returns nil where there is
// nothing.
func at(tree any, path ...any) any {
	for _, segment := range path {
		switch segment := segment.(type) {
		case string:
			object, _ := tree.(map[string]any)
			tree = object[segment]
		case int:
			list, _ := tree.([]any)
			if segment >= len(list) {
				return nil
			}
			tree = list[segment]
		}
	}
	return tree
}
