package patch

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// TestResuming shows what is concluded from an object to which a JSON patch was sent whose reply was lost.
func TestResuming(t *testing.T) {
	t.Parallel()
	const manager = "k8sconnect-patch-shop.prod.p-12345678"
	appending := "[{op: add, path: /list/-, value: b}]"
	setting := "[{op: add, path: /data/a, value: x}]"
	const (
		again   = "it is carried out"
		done    = "it was carried out"
		unclear = "it is refused"
	)
	cases := map[string]struct {
		patch   string
		live    string
		version string // of live; it was sent to version 1
		traced  bool   // our field manager is on live
		written bool   // the others have written their fields since
		fresh   bool   // the state knows of no try: the process was killed
		changed bool   // the patch has changed since
		killed  bool   // the process was also killed while it carried out the patch
		want    string
	}{
		"the object has its old version": {patch: appending, live: "list: [a]", version: "1", want: again},
		"the object has its old version and looks as after the patch": {
			patch: appending, live: "list: [a, b]", version: "1", traced: true, want: again,
		},
		"the object looks as after the patch":                    {patch: appending, live: "list: [a, b]", version: "2", traced: true, want: done},
		"the object was changed beside it":                       {patch: appending, live: "list: [a]", version: "2", want: again},
		"the object was changed beside it, and looked like that": {patch: appending, live: "list: [a, b]", version: "2", want: again},
		"the object looks otherwise, and others have written it": {
			patch: appending, live: "list: [a, b, c]", version: "2", written: true, want: unclear,
		},
		"the object looks otherwise, and our manager is on it": {
			patch: appending, live: "list: [a, b, c]", version: "2", traced: true, want: unclear,
		},
		"what can be repeated is repeated": {patch: setting, live: "data: {a: z}", version: "2", traced: true, want: again},
		"a changed patch is carried out": {
			patch: appending, live: "list: [a, b]", version: "2", traced: true, changed: true, want: again,
		},
		"a killed process has left its work":   {patch: appending, live: "list: [a, b]", version: "2", traced: true, fresh: true, want: done},
		"a killed process has left other work": {patch: appending, live: "list: [a, c]", version: "2", traced: true, fresh: true, want: again},
		"someone has done the same, or has written over it": {
			patch: appending, live: "list: [a, b]", version: "2", written: true, want: done,
		},
		"a process that was killed in a change has left its work": {
			patch: appending, live: "list: [a, b]", version: "2", traced: true, changed: true, killed: true, want: done,
		},
		"a changed patch that was not carried out is": {
			patch: appending, live: "list: [a]", version: "2", traced: true, changed: true, killed: true, want: again,
		},
		"nobody has been here": {patch: appending, live: "list: [a, b]", version: "2", fresh: true, want: again},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := inputs{kind: keyJSONPatch, document: tree(t, c.patch)}
			w := run{in: in, target: target{tracked.Target{Manager: manager}}, old: state{State: tracked.State{HashKey: "key", Manager: manager}, touched: nothing()}}
			if !c.fresh {
				sum, err := in.hash("key")
				require.NoError(t, err)
				w.old.Pending, w.old.base, w.old.Hash, w.old.Ref.UID = true, "1", sum, "uid"
			}
			if c.changed {
				w.old.Hash = "another"
			}
			if c.killed {
				w.old.Pending, w.old.base = false, ""
			}
			live := &unstructured.Unstructured{Object: object(t, c.live)}
			live.SetResourceVersion(c.version)
			at := metav1.Unix(1, 0)
			entries := []metav1.ManagedFieldsEntry{{Manager: "them", Operation: "Update", Time: &at, FieldsV1: metav1.NewFieldsV1(`{"f:list":{}}`)}}
			if !c.fresh {
				w.old.before = entries
				w.old.touched.nonIdempotent.Insert(fieldpath.MakePathOrDie("list", 1))
			}
			if c.written {
				later := metav1.Unix(2, 0)
				entries = slices.Clone(entries)
				entries[0].Time = &later
			}
			if c.traced {
				entries = append(entries, metav1.ManagedFieldsEntry{
					Manager: manager, Operation: "Update", FieldsV1: metav1.NewFieldsV1(`{"f:list":{}}`),
				})
			}
			live.SetManagedFields(entries)
			fields, held, err := w.resume(live)
			switch {
			case err != nil:
				assert.Equal(t, c.want, unclear, err.Error())
				assert.ErrorContains(t, err, "add /list/-")
			case held:
				assert.Equal(t, c.want, done)
				assert.False(t, fields.all().Empty(), "it is known what was touched")
			default:
				assert.Equal(t, c.want, again)
			}
		})
	}
}
