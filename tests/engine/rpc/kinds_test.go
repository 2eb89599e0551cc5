package rpc_test

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// The flags of the property tests, which go behind the package: go -C tests/engine test ./rpc -run TestEveryKind -soak 10m
var (
	soak = flag.Duration("soak", 0, "how long TestEveryKind and TestEveryLife run, instead of a fixed number of rounds")
	seed = flag.Uint64("seed", 0, "have TestEveryKind or TestEveryLife run once with the seed that a failure printed")
)

// rounds is how often make test tells the story of each kind: once with the whole manifest, then with a part of it.
const rounds = 2

// slow are kinds of which a controller takes its time to let a deleted object go. They begin first.
var slow = []string{"servicecidr", "namespace", "customresourcedefinition"}

// disturbing are kinds whose objects get in the way of others: while an aggregated API does not answer, no namespace
// is deleted. They have their turn before the others.
var disturbing = map[string]bool{"apiservice": true}

// TestEveryKind holds what is promised of any object against every kind that the API server has. Left out is Node,
// whose taints and labels belong to controllers; and reviews and bindings, which are questions and not objects.
//
// testdata/kinds has a full manifest of each kind. A story (see [kindCase.story]) is told of it in each round, with
// fields left out and changed at random. What fails is told again with less, until no less of it fails.
//
// Another version of Kubernetes than the pinned one may lack kinds, which are skipped by name.
func TestEveryKind(t *testing.T) {
	t.Parallel()
	k := newKindWorld(t)
	files, err := filepath.Glob("testdata/kinds/*.yaml")
	require.NoError(t, err)
	base, number := rand.Uint64()&^1, rounds
	if *seed != 0 {
		base, number = *seed, 1
	}
	t.Logf("seed %d", base)
	cases := make([]*kindCase, 0, len(files))
	for _, file := range files {
		if c, served := k.newCase(t, file); served {
			cases = append(cases, c)
		}
	}
	k.awaitNamespaces(t)
	slices.SortStableFunc(cases, func(a, b *kindCase) int {
		return cmp.Compare(slices.Index(slow, b.name), slices.Index(slow, a.name))
	})

	deadline := time.Now().Add(*soak)
	for round := 0; round < number || time.Now().Before(deadline); round++ {
		t.Run(fmt.Sprintf("round %d", round), func(t *testing.T) {
			for i, c := range cases {
				t.Run(c.name, func(t *testing.T) {
					if !disturbing[c.name] {
						t.Parallel()
					}
					if *seed != 0 {
						c.run(t, *seed)
					} else {
						c.run(t, base+uint64(round*len(cases)+i)<<1+uint64(round&1))
					}
				})
			}
		})
		if t.Failed() {
			break
		}
	}
	reportReach(t, cases)
}

// metadataOnly are kinds of which the API server lets nobody change anything but metadata. (What may be changed of a
// claim is its size, and that can only grow.)
var metadataOnly = []string{
	"certificatesigningrequest", "ipaddress", "namespace", "persistentvolumeclaim", "resourceclaim", "resourceclaimtemplate",
	"servicecidr", "volumeattachment", "volumeattributesclass",
}

// enough is after how many stories of a kind any field of it should have been changed.
const enough = 12

// reportReach says how far the changes of someone else went, and fails if they do not reach all kinds that they could.
func reportReach(t *testing.T, cases []*kindCase) {
	t.Helper()
	stories, changed, refused := 0, 0, 0
	for _, c := range cases {
		stories += c.stories
		changed += c.changed
		refused += c.refused
		if immutable := slices.Contains(metadataOnly, c.name); immutable && c.reachedBeyondMetadata {
			t.Errorf("%s: more than metadata can be changed", c.name)
		} else if !immutable && !c.reachedBeyondMetadata && c.stories >= enough {
			t.Errorf("%s: only metadata could be changed in %d stories", c.name, c.stories)
		}
	}
	t.Logf("%d stories of %d manifests: %d fields were changed, %d tries were refused or changed more than the one field",
		stories, len(cases), changed, refused)
	t.Logf("only metadata can be changed of: %s", strings.Join(metadataOnly, ", "))
}

// kindCase is one manifest of testdata/kinds.
type kindCase struct {
	name  string
	world *kindWorld
	// full is the manifest, in the namespace of the case.
	full map[string]any

	stories, changed, refused int
	reachedBeyondMetadata     bool
}

// run tells the story once: with the whole manifest if the seed is even, else with a part of it.
func (c *kindCase) run(t *testing.T, seed uint64) {
	sayHowToRepeat(t, fmt.Sprintf("TestEveryKind/.*/^%s$", c.name), seed)
	random := rand.New(rand.NewPCG(seed, 0))
	manifest := c.full
	if seed%2 == 1 {
		manifest = c.prune(t, random, manifest)
	}
	told := c.tell(t, manifest, func(units []unit, live *unstructured.Unstructured) []change {
		return c.meddle(t, random, units, live)
	})
	c.stories++
	if told.err == nil {
		return
	}
	smallest := c.shrink(t, told)
	text, err := yaml.Marshal(smallest.manifest)
	require.NoError(t, err)
	t.Errorf("%s\n\nThe same with the least that still fails:\n\n%s\n%s%s",
		told.err, text, describeChanges(smallest.changes), smallest.err)
}

// sayHowToRepeat has a test say how to repeat it, in whatever way it fails.
func sayHowToRepeat(t *testing.T, pattern string, seed uint64) {
	t.Helper()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("Again: go -C tests/engine test ./rpc -run '%s' -seed %d", pattern, seed)
		}
	})
}

// failure is where a story went wrong.
type failure struct {
	step string
	err  error
}

func (f *failure) Error() string { return f.step + ": " + f.err.Error() }

// told is a story that has been told: what it was about, and what went wrong.
type told struct {
	manifest map[string]any
	changes  []change
	err      *failure
}

// tell tells the story of a manifest and tidies up. choose decides what someone else changes.
func (c *kindCase) tell(
	t *testing.T, manifest map[string]any, choose func([]unit, *unstructured.Unstructured) []change,
) told {
	t.Helper()
	result := told{manifest: manifest}
	err := c.story(t, manifest, func(units []unit, live *unstructured.Unstructured) []change {
		result.changes = choose(units, live)
		return result.changes
	})
	if err != nil {
		if !errors.As(err, &result.err) {
			t.Fatal(err)
		}
		c.remove(t)
	}
	return result
}

// story is what is promised of any object: up, second preview empty, refresh, preview empty; someone changes
// fields of ours, the preview shows exactly those, an up puts them right; what someone adds is none of our
// business; and destroy removes it all.
func (c *kindCase) story(
	t *testing.T, manifest map[string]any, choose func([]unit, *unstructured.Unstructured) []change,
) error {
	t.Helper()
	in := program(manifest)
	process := start(t, inline(c.world.user))
	s := process.resource(t, "subject")
	s.timeout = 60
	// act wants an up or a preview to do this.
	act := func(step, want string, act func(resource.PropertyMap) (string, error)) error {
		if did, err := act(in); err != nil {
			return &failure{step, err}
		} else if did != want {
			diff, _ := s.diff(in)
			return &failure{step, fmt.Errorf("it is %q, not %q: %v", did, want, diff.DetailedDiff)}
		}
		return nil
	}
	preview := func(in resource.PropertyMap) (string, error) {
		did, _, err := s.preview(in)
		return did, err
	}
	look := func(step string) (*unstructured.Unstructured, error) {
		live, err := c.get(t)
		if err != nil {
			return nil, &failure{step, err}
		}
		return live, nil
	}

	c.removeMadeAgain(t)
	c.accepts(t, manifest) // so that it is known what the API server warns everybody of
	if err := act("create", "create", s.up); err != nil {
		return err
	}
	first, err := look("first look")
	if err != nil {
		return err
	}
	if err := act("second preview", "same", preview); err != nil {
		return err
	}
	if err := s.read(); err != nil {
		return &failure{"refresh", err}
	}
	if err := act("preview after refresh", "same", preview); err != nil {
		return err
	}

	units, err := unitsOf(first, manifest, fmt.Sprint(plain(s.outputs["__fieldManager"])))
	if err != nil {
		return &failure{"owned fields", err}
	}
	if changes := choose(units, first); len(changes) > 0 {
		if err := c.disturb(t, changes); err != nil {
			return &failure{"changes of someone else", err}
		}
		disturbed, err := look("look after the changes")
		if err != nil {
			return err
		}
		if err := s.read(); err != nil {
			return &failure{"read after the changes", err}
		}
		diff, err := s.diff(in)
		if err != nil {
			return &failure{"preview of the changes", err}
		}
		if err := sameDiff(expectedDiff(units, changes, disturbed), diff.DetailedDiff, units, first, disturbed); err != nil {
			return &failure{"preview of the changes", err}
		}
		if err := act("repair", "update", s.up); err != nil {
			return err
		}
		repaired, err := look("look after the repair")
		if err != nil {
			return err
		}
		if err := sameObject(first, repaired); err != nil {
			return &failure{"look after the repair", err}
		}
	}

	if err := c.addForeign(t); err != nil {
		return &failure{"label of someone else", err}
	}
	if err := act("preview with a foreign label", "same", preview); err != nil {
		return err
	}
	if err := c.saidNoMore(t, manifest, process.log.warnings()); err != nil {
		return &failure{"warnings", err}
	}
	if err := s.destroy(); err != nil {
		return &failure{"destroy", err}
	}
	if _, err := c.get(t); !apierrors.IsNotFound(err) {
		return &failure{"look after the destroy", fmt.Errorf("the object is still there (%w)", err)}
	}
	return nil
}

// newCase reads a manifest and gives it a namespace, if its kind has them. It returns false where the API server does not
// serve the kind; the pinned version has to.
func (k *kindWorld) newCase(t *testing.T, file string) (*kindCase, bool) {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	namespace := k.cluster.Namespace(t)
	c := &kindCase{name: strings.TrimSuffix(filepath.Base(file), ".yaml"), world: k}
	require.NoError(t, yaml.Unmarshal([]byte(strings.ReplaceAll(string(content), "NAMESPACE", namespace)), &c.full), file)
	object := &unstructured.Unstructured{Object: c.full}
	kind := object.GroupVersionKind()
	mapping, err := k.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if meta.IsNoMatchError(err) && !k.cluster.IsPinned(t) {
		t.Run("not served: "+c.name+" [V3]", func(t *testing.T) {
			t.Skipf("Kubernetes %s has no %s of %s", k.cluster.Version(t), kind.Kind, kind.GroupVersion())
		})
		return nil, false
	}
	require.NoError(t, err)
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		object.SetNamespace(namespace)
		k.namespaces = append(k.namespaces, namespace)
	}
	return c, true
}
