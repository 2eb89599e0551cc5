package object

import (
	"sort"
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

func TestDetailedDiff(t *testing.T) {
	const containers = `"f:c":{"k:{\"name\":\"a\"}":{".":{},"f:name":{},"f:v":{}},` +
		`"k:{\"name\":\"b\"}":{".":{},"f:name":{},"f:v":{}},"k:{\"name\":\"c\"}":{".":{},"f:name":{},"f:v":{}}}`
	tests := []struct {
		name               string
		live, want, fields string
		after              string // if that is not want
		secret             []string
		ignore             []string
		diff               map[string]p.DiffKind
	}{
		{
			name: "one field of one item", fields: "{" + containers + "}",
			live: `{c: [{name: a, v: "1"}, {name: b, v: "2"}]}`, want: `{c: [{name: a, v: "1"}, {name: b, v: "3"}]}`,
			diff: map[string]p.DiffKind{"manifest.c[1].v": p.Update},
		},
		{
			name: "an item inserted in the middle is shown where it is written", fields: "{" + containers + "}",
			live: `{c: [{name: a, v: "1"}, {name: c, v: "3"}]}`, want: `{c: [{name: a, v: "1"}, {name: b, v: "2"}, {name: c, v: "3"}]}`,
			diff: map[string]p.DiffKind{"manifest.c[1]": p.Add},
		},
		{
			name: "an item that is no longer wanted is shown where it was", fields: "{" + containers + "}",
			live: `{c: [{name: a, v: "1"}, {name: b, v: "2"}]}`, want: `{c: [{name: b, v: "2"}]}`,
			diff: map[string]p.DiffKind{"manifest.c[0]": p.Delete},
		},
		{
			name: "an item in the place of another shows both [D104]", fields: "{" + containers + "}",
			live: `{c: [{name: a, v: "1"}, {name: b, v: "2"}]}`, want: `{c: [{name: a, v: "1"}, {name: c, v: "3"}]}`,
			diff: map[string]p.DiffKind{"manifest.c[1]": p.Update},
		},
		{
			name: "defaults in an atomic list are not shown as removed [D109]", fields: `{"f:c":{}}`,
			live: `{c: [{name: a, mode: x}]}`, want: `{c: [{name: b}]}`, after: `{c: [{name: b, mode: x}]}`,
			diff: map[string]p.DiffKind{"manifest.c[0].name": p.Update},
		},
		{
			name: "a change in an item that stands elsewhere is shown as a change of the list", fields: "{" + containers + "}",
			live: `{c: [{name: b, v: "2"}, {name: a, v: "1"}]}`, want: `{c: [{name: a, v: "9"}, {name: b, v: "2"}]}`,
			diff: map[string]p.DiffKind{"manifest.c": p.Update},
		},
		{
			name: "a key with dots is quoted [O25]", fields: `{"f:l":{"f:app.kubernetes.io/name":{}}}`,
			live: `{l: {app.kubernetes.io/name: x}}`, want: `{l: {app.kubernetes.io/name: web}}`,
			diff: map[string]p.DiffKind{`manifest.l["app.kubernetes.io/name"]`: p.Update},
		},
		{
			name: "a key that the engine cannot read is shown as a change of its parent", fields: `{"f:l":{"f:a\\":{},"f:b\\c":{}}}`,
			live: `{l: {}}`, want: `{l: {'a\': x, 'b\c': y}}`,
			diff: map[string]p.DiffKind{"manifest.l": p.Update},
		},
		{
			name: "inside a secret map not even the keys are named", fields: `{"f:data":{"f:user":{},"f:pin":{}}}`,
			live: `{data: {user: a, pin: b}}`, want: `{data: {user: a, pin: c}}`, secret: []string{"data"},
			diff: map[string]p.DiffKind{"manifest.data": p.Update},
		},
		{
			name: "the keys of a Secret are named where they are written", fields: `{"f:data":{"f:user":{},"f:pin":{}}}`,
			live:   `{apiVersion: v1, kind: Secret, data: {user: YQ==, pin: Yg==}}`,
			want:   `{apiVersion: v1, kind: Secret, stringData: {user: b}, data: {pin: Yw==}}`,
			secret: []string{"data", "stringData"},
			diff:   map[string]p.DiffKind{"manifest.stringData.user": p.Update, "manifest.data.pin": p.Update},
		},
		{
			name: "all of a Secret's data is missing where they are written", fields: `{"f:data":{"f:user":{},"f:pin":{}}}`,
			live:   `{apiVersion: v1, kind: Secret}`,
			want:   `{apiVersion: v1, kind: Secret, stringData: {user: b}, data: {pin: Yw==}}`,
			secret: []string{"data", "stringData"},
			diff:   map[string]p.DiffKind{"manifest.stringData": p.Add, "manifest.data": p.Add},
		},
		{
			name: "nothing is written in data that are empty", fields: `{"f:data":{"f:user":{}}}`,
			live:   `{apiVersion: v1, kind: Secret}`,
			want:   `{apiVersion: v1, kind: Secret, stringData: {user: b}, data: {}}`,
			secret: []string{"data", "stringData"},
			diff:   map[string]p.DiffKind{"manifest.stringData": p.Add},
		},
		{
			name: "what is inside of a list that is shown as a whole is not shown twice", fields: "{" + containers + "}",
			live: `{c: [{name: b, v: "2"}]}`, want: `{c: [{name: a, v: "1"}, {name: b, v: "3"}]}`,
			diff: map[string]p.DiffKind{"manifest.c": p.Update},
		},
		{
			name: "ignoreChanges covers what is below a path", fields: `{"f:spec":{"f:replicas":{},"f:image":{}}}`,
			live: `{spec: {replicas: 5, image: x}}`, want: `{spec: {replicas: 2, image: y}}`, ignore: []string{"manifest.spec.replicas"},
			diff: map[string]p.DiffKind{"manifest.spec.image": p.Update},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fields, err := ownership.Decode(test.fields)
			require.NoError(t, err)
			in := inputs{written: parse(t, test.want), applied: manifest.FoldStringData(parse(t, test.want))}
			for _, path := range test.secret {
				parsed, err := values.ParsePath(path)
				require.NoError(t, err)
				in.secrets.Add(parsed)
			}
			s := state{State: tracked.State{Live: parse(t, test.live)}, fields: fields}
			after := in.applied
			if test.after != "" {
				after = parse(t, test.after)
			}
			got := detailedDiff(ownership.Compare(s.Live, after, fields), s, in, tracked.ParseIgnored(test.ignore))
			kinds := map[string]p.DiffKind{}
			for path, change := range got.DetailedDiff {
				kinds[path] = change.Kind
			}
			assert.Equal(t, test.diff, kinds)
			assert.Equal(t, len(test.diff) > 0, got.HasChanges)
		})
	}
}

func TestIdentityDiff(t *testing.T) {
	was := state{State: tracked.State{Ref: reference.Object{Identity: manifest.Identity{
		APIVersion: "apps/v1", Kind: "Deployment", Namespace: "prod", Name: "web",
	}}}}
	tests := []struct {
		name, manifest string
		replaces       []string
	}{
		{"the same object", `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: prod}}`, nil},
		{"another version of the group is the same object [O43]", `{apiVersion: apps/v1beta1, kind: Deployment, metadata: {name: web, namespace: prod}}`, nil},
		{"no namespace means the default one", `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}}`, []string{"manifest.metadata.namespace"}},
		{"another name [O42]", `{apiVersion: apps/v1, kind: Deployment, metadata: {name: api, namespace: prod}}`, []string{"manifest.metadata.name"}},
		{"another group [O42]", `{apiVersion: extensions/v1, kind: Deployment, metadata: {name: web, namespace: prod}}`, []string{"manifest.apiVersion"}},
		{"another kind [O42]", `{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: web, namespace: prod}}`, []string{"manifest.kind"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			diff, replaced := identityDiff(inputs{written: parse(t, test.manifest)}, was, "default")
			var paths []string
			for path, change := range diff.DetailedDiff {
				assert.Equal(t, p.UpdateReplace, change.Kind)
				paths = append(paths, path)
			}
			assert.Equal(t, test.replaces, paths)
			assert.Equal(t, test.replaces != nil, replaced)
		})
	}
}

func parse(t *testing.T, text string) map[string]any {
	t.Helper()
	object := map[string]any{}
	require.NoError(t, yaml.Unmarshal([]byte(text), &object))
	clean, _ := manifest.Normalize(object)
	return clean
}

func TestDrift(t *testing.T) {
	fields, err := ownership.Decode(`{"f:spec":{"f:a":{},"f:b":{}}}`)
	require.NoError(t, err)
	wanted := parse(t, `{spec: {a: "1", b: "2"}}`)
	in := inputs{written: wanted, applied: wanted}
	ours := map[string]string{"spec.a": "us", "spec.b": "us"}
	tests := []struct {
		name      string
		live      string
		ownership map[string]string
		want      []string
	}{
		{"nothing", `{spec: {a: "1", b: "2"}}`, ours, nil},
		{"a value that changed under our name, as a webhook does", `{spec: {a: "9", b: "2"}}`, ours, []string{"manifest.spec.a"}},
		{"a field that another manager has taken, value and all [O30]", `{spec: {a: "1", b: "2"}}`,
			map[string]string{"spec.a": "us", "spec.b": "other"}, []string{"manifest.spec.b"}},
		{"both", `{spec: {a: "9", b: "2"}}`, map[string]string{"spec.a": "us", "spec.b": "other"},
			[]string{"manifest.spec.a", "manifest.spec.b"}},
		{"a field that is gone and nobody's", `{spec: {b: "2"}}`, map[string]string{"spec.a": "", "spec.b": "us"}, []string{"manifest.spec.a"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := state{State: tracked.State{Live: parse(t, test.live), Applied: wanted, Ownership: test.ownership, Manager: "us"}, fields: fields}
			diff := s.drift(in, nil)
			var paths []string
			for path := range diff.DetailedDiff {
				paths = append(paths, path)
			}
			sort.Strings(paths)
			assert.Equal(t, test.want, paths)
			assert.Equal(t, test.want != nil, diff.HasChanges)
		})
	}
	t.Run("is none on an imported object that was not applied yet", func(t *testing.T) {
		s := state{State: tracked.State{Live: wanted, Ownership: map[string]string{"spec.a": "kubectl", "spec.b": "kubectl"}}, fields: fields}
		assert.False(t, s.drift(in, nil).HasChanges)
	})
}
