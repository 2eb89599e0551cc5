package mutation

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"unicode/utf8"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kubejson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

func FuzzJSONPointer(f *testing.F) {
	for _, seed := range []string{"", "/", "/a", "/a~1b/~0/~01", "/a~", "/a~2", "a", "/0/-/", "/é//"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, reason := parsePointer(text)
		if (reason == "") != (p != nil) {
			t.Fatalf("%q: %q is neither a pointer nor a reason", text, p)
		}
		if reason == "" && p.String() != text {
			t.Fatalf("%q is written as %q", text, p)
		}
		if reason == "" {
			// A pointer leads to what it is made for.
			var tree any = "found"
			for _, name := range slices.Backward(p) {
				tree = map[string]any{name: tree}
			}
			if found, at, reason := p.find(tree); found != "found" || !reflect.DeepEqual(pointerTo(at), p) {
				t.Fatalf("%q leads to %v: %s", text, found, reason)
			}
		}
	})
}

// liveSeeds are objects to patch.
var liveSeeds = []string{
	`{"metadata":{"uid":"u","resourceVersion":"1","managedFields":[{"manager":"m","operation":"Apply","fieldsV1":{"f:l":{"k:{\"name\":\"a\"}":{"f:name":{},"f:m":{"k:{\"p\":1,\"q\":\"T\"}":{"f:p":{}}}}},"f:s":{"v:\"x\"":{},"v:1":{}}}}]},` +
		`"l":[{"name":"a","m":[{"p":1},{"p":1,"q":"U"}]},{"name":"b"},{"name":"a"}],"s":["x","y",1,"x"],"t":[1,[2,null],{"k":null}],"n":null,"i":9007199254740993,"f":1.5}`,
	`{"metadata":{},"a":{"b":{"c":"d"}},"":{"":1}}`,
}

func FuzzJSONPatch(f *testing.F) {
	for _, live := range liveSeeds {
		for _, patch := range []string{
			`[{"op":"add","path":"/l/-","value":{"name":"c"}},{"op":"replace","path":"/l/0/m/0/p","value":2},{"op":"remove","path":"/s/0"}]`,
			`[{"op":"move","from":"/l/0","path":"/l/1"},{"op":"copy","from":"/l/0","path":"/s/0"},{"op":"replace","path":"/l/1/name","value":"z"}]`,
			`[{"op":"test","path":"/t","value":[1,[2,null],{"k":null}]},{"op":"add","path":"/t/1/0","value":null},{"op":"remove","path":"/n"}]`,
			`[{"op":"add","path":"/a/b/x","value":{"y":[]}},{"op":"add","path":"/a/b/x/y/0","value":1},{"op":"replace","path":"/a/b/c","value":"e"}]`,
			`[{"op":"replace","path":"/s/1","value":"z"},{"op":"add","path":"/s/0","value":"w"},{"op":"replace","path":"/t/0","value":5},{"op":"remove","path":"/t/1"}]`,
			`[{"op":"add","path":"/metadata","value":3},{"op":"test","path":"/zz","value":null}]`,
		} {
			f.Add(live, patch)
		}
	}
	f.Fuzz(func(t *testing.T, object, text string) {
		live, operations := decodeObject(object), any(nil)
		if live == nil || kubejson.Unmarshal([]byte(text), &operations) != nil {
			return
		}
		checkJSONPatch(t, live, operations)
	})
}

// failing is a test, also one with random data.
type failing interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// checkJSONPatch checks the laws of one patch, and reports whether it can be carried out.
func checkJSONPatch(t failing, live *unstructured.Unstructured, operations any) bool {
	t.Helper()
	patch, problems := ParseJSONPatch(operations)
	if len(problems) > 0 {
		return false
	}
	patch.CheckContent()
	patch.OnceOperations(func(int) bool { return false })
	before := live.DeepCopy()
	patch.Held(live)
	effect, err := patch.Evaluate(live)
	if !reflect.DeepEqual(before, live) {
		t.Fatal("the live object is changed")
	}
	body, encodingErr := patch.Encode("u", "1")
	if encodingErr != nil {
		t.Fatal(encodingErr)
	}
	decoded, decodingErr := jsonpatch.DecodePatch(body)
	if decodingErr != nil {
		t.Fatalf("%s is not a patch: %v", body, decodingErr)
	}
	if err != nil {
		return false
	}
	checkSteps(t, before, decoded[2:], patch, effect)
	checkEffect(t, before.Object, effect)
	if len(effect.Operations) != len(patch.operations) {
		t.Fatal("not every operation has a touch")
	}
	for _, touch := range effect.Operations {
		if touch.Path != nil && !covered(touch.Path, effect.Set) && !covered(touch.Path, effect.Once) {
			t.Fatalf("%s is in no set", touch.Path)
		}
	}
	places := make([]fieldpath.Path, len(effect.Operations))
	for i, touch := range effect.Operations {
		places[i] = touch.Place
	}
	if err := patch.CheckTests(&unstructured.Unstructured{Object: effect.Object}, places); err != nil {
		t.Fatalf("a test that guards does not hold on what the patch has left: %v", err)
	}
	left := Left{Values: ownership.Project(effect.Object, effect.Set, nil), Fields: effect.Set, Places: places, Unchanged: func(List) bool { return true }}
	left.Added = patch.Additions(places)
	if found := Find(effect.Object, left.Added); len(found) != len(left.Added) {
		t.Fatalf("of %v only %v are found where the patch has put them", left.Added, found)
	}
	restoring, err := patch.Restore(before, left, "u", "1")
	if err == nil && restoring.Body != nil {
		if _, err := jsonpatch.DecodePatch(restoring.Body); err != nil {
			t.Fatalf("%s is not a patch: %v", restoring.Body, err)
		}
	}
	if again, err := patch.Restore(&unstructured.Unstructured{Object: effect.Object}, left, "u", "1"); err != nil || again.Body != nil {
		t.Fatalf("there is something to put right on what the patch has left: %s, %v", again.Body, err)
	}
	return true
}

// checkSteps compares the evaluation with that of the library, which does all operations in one go. It cannot do
// tests of lists with null in them.
func checkSteps(t failing, before *unstructured.Unstructured, decoded jsonpatch.Patch, patch JSONPatch, effect Effect) {
	t.Helper()
	var operations jsonpatch.Patch
	for i, operation := range patch.operations {
		if operation.name != opTest {
			operations = append(operations, decoded[i])
		}
	}
	document, err := json.Marshal(before.Object)
	if err != nil {
		t.Fatal(err)
	}
	patched, err := operations.Apply(document)
	if err != nil {
		t.Fatalf("the library cannot do what the evaluation does: %v", err)
	}
	var want any
	if err := kubejson.Unmarshal(patched, &want); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(want, any(effect.Object)) {
		t.Fatalf("%v is not %v", effect.Object, want)
	}
}

func FuzzMergePatch(f *testing.F) {
	for _, live := range liveSeeds {
		for _, patch := range []string{
			`{"a":{"b":null,"x":{}},"l":[1,{"a":{}}]}`, `{"n":1,"i":null,"metadata":{"labels":{"x":"y"}}}`, `{"a":{"b":{"c":null,"d":{"e":null}}}}`, `{"f":{},"t":{"u":{}}}`,
		} {
			f.Add(live, patch)
		}
	}
	f.Fuzz(func(t *testing.T, object, text string) {
		live, document := decodeObject(object), any(nil)
		if live == nil || kubejson.Unmarshal([]byte(text), &document) != nil {
			return
		}
		patch, problems := ParseMergePatch(document)
		if len(problems) > 0 {
			return
		}
		before := live.DeepCopy()
		effect, err := patch.Evaluate(live)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(before, live) {
			t.Fatal("the live object is changed")
		}
		if want := reference(before.Object, normalized(document)); !reflect.DeepEqual(want, any(effect.Object)) {
			t.Fatalf("%v is not %v", effect.Object, want)
		}
		checkEffect(t, before.Object, effect)
		if body, err := patch.Encode("u", "1"); err == nil && !json.Valid(body) {
			t.Fatalf("%s is not JSON", body)
		}
	})
}

// decodeObject reads an object as the API server would send it.
func decodeObject(text string) *unstructured.Unstructured {
	var tree map[string]any
	if !utf8.ValidString(text) || kubejson.Unmarshal([]byte(text), &tree) != nil || tree == nil {
		return nil
	}
	// Whole numbers that are written as fractions become what the server would write.
	document, err := json.Marshal(tree)
	if err != nil || kubejson.Unmarshal(document, &tree) != nil {
		return nil
	}
	return &unstructured.Unstructured{Object: tree}
}

// checkEffect checks that the projection holds what the patch has set, that it does not differ from itself, and that
// every difference is accounted for.
func checkEffect(t failing, before map[string]any, effect Effect) {
	t.Helper()
	projection := ownership.Project(effect.Object, effect.Set, nil)
	if changes := ownership.Compare(projection, projection, effect.Set); len(changes) > 0 {
		t.Fatalf("a projection differs from itself: %v", changes)
	}
	effect.Set.Leaves().Iterate(func(path fieldpath.Path) {
		value, _, has := ownership.Locate(effect.Object, path)
		if !has {
			t.Fatalf("%s is not in the object", path)
		}
		projected, _, has := ownership.Locate(projection, path)
		if value != nil && (!has || !reflect.DeepEqual(value, projected)) {
			t.Fatalf("%s is %v in the object, %v in the projection", path, value, projected)
		}
	})
	effect.Removed.Iterate(func(path fieldpath.Path) {
		if _, _, has := ownership.Locate(effect.Object, path); has {
			t.Fatalf("%s is not removed", path)
		}
	})
	touched := effect.Set.Union(effect.Removed).Union(effect.Once)
	differences(before, effect.Object, nil, func(path fieldpath.Path) {
		if !covered(path, touched) {
			t.Fatalf("%s has changed, but is not touched: %s", path, touched)
		}
	})
}

// differences lists where two objects differ, down to lists.
func differences(a, b map[string]any, above fieldpath.Path, report func(fieldpath.Path)) {
	names := map[string]bool{}
	for name := range a {
		names[name] = true
	}
	for name := range b {
		names[name] = true
	}
	for name := range names {
		path := append(slices.Clip(above), fieldpath.FieldNameElement(name))
		old, had := a[name]
		now, has := b[name]
		oldMap, wasMap := old.(map[string]any)
		nowMap, isMap := now.(map[string]any)
		switch {
		case wasMap && isMap:
			differences(oldMap, nowMap, path, report)
		case had != has || !reflect.DeepEqual(old, now):
			report(path)
		}
	}
}

// covered reports whether a path of the set is at, above or below path.
func covered(path fieldpath.Path, set *fieldpath.Set) bool {
	found := false
	set.Iterate(func(other fieldpath.Path) {
		n := min(len(path), len(other))
		found = found || path[:n].Equals(other[:n])
	})
	return found
}
