package e2e

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
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

// uid is the uid of the object, "" where the state does not know it.
func (r resource) uid() string {
	uid, _ := at(r.Outputs, "resourceRef", "uid").(string)
	return uid
}

// pending says that the state knows of an apply whose effect was not seen.
func (r resource) pending() bool { return r.Outputs["__pendingProjection"] == true }

// pinned are the inputs and outputs of all our resources, but for the keys of the hashes, which are
// encrypted anew every time.
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

// waits says that the state knows of a wait in vain.
func (r resource) waits() bool { return r.Outputs["__pendingWait"] == true }

// state is what "pulumi stack export" says.
type state struct {
	resources map[string]resource // our resources, by name
	all       []resource
	// operations are those in which the engine was interrupted.
	operations []operationNote
	text       string
}

// export exports the state.
func (s *stack) export(t testing.TB) state {
	t.Helper()
	return parseState(t, s.succeed(t, "stack", "export", "--stack="+s.name).stdout)
}

func parseState(t testing.TB, text string) state {
	t.Helper()
	var exported struct {
		Deployment struct {
			Resources  []resource      `json:"resources"`
			Operations []operationNote `json:"pending_operations"`
		} `json:"deployment"`
	}
	if err := json.Unmarshal([]byte(text), &exported); err != nil {
		t.Fatalf("the exported state is not what it should be: %v\n%s", err, text)
	}
	result := state{
		resources: map[string]resource{}, all: exported.Deployment.Resources,
		operations: exported.Deployment.Operations, text: text,
	}
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
	resources, err := s.saved()
	if err != nil {
		t.Errorf("tidying up: %v", err)
	}
	for _, r := range resources {
		if r.Type == "k8sconnect:index:KubeObject" {
			k.remove(t, r.ID)
		}
	}
}

// saved are the resources of the state as the backend has them; none if there is no stack.
func (s *stack) saved() ([]resource, error) {
	text, err := os.ReadFile(filepath.Join(s.backend, ".pulumi", "stacks", s.project, s.name+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var saved struct {
		Checkpoint struct {
			Latest struct {
				Resources []resource `json:"resources"`
			} `json:"latest"`
		} `json:"checkpoint"`
	}
	err = json.Unmarshal(text, &saved)
	return saved.Checkpoint.Latest.Resources, err
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
