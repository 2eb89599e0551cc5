package object

import (
	"context"
	"fmt"
	"slices"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// lastApplied is the annotation in which kubectl keeps a copy of the manifest. It belongs to kubectl and may hold a
// Secret's data in clear text.
const lastApplied = corev1.LastAppliedConfigAnnotation

// importObject reads an object that is not in the state, by its ID. The inputs are what people have written of the
// object; the output has all of it that is not a controller's, because looking up a resource by ID (`get`) reads in the
// same way. It writes nothing; our field manager first appears with the first update.
func (r *kubeObject) importObject(ctx context.Context, req p.ReadRequest) (p.ReadResponse, error) {
	id, err := manifest.ParseID(req.ID)
	if err != nil {
		return p.ReadResponse{}, failure.Because(failure.ReasonInvalid, err)
	}
	t, live, err := observeLive(ctx, r.source, property.Map{}, id, tracked.ManagerOf(req.Urn))
	if err != nil { // even if it is absent: the error says which kind, namespace or version was looked up
		return p.ReadResponse{}, t.Explain("read", err, nil)
	}

	r.looks.Note(req.Urn)
	t.warnForeign(ctx, inputs{}, live)
	t.warnPatched(ctx, live)
	if t.Ref.APIVersion != id.APIVersion {
		p.GetLogger(ctx).Warningf("%s: %s is not served. The object is imported as %s.", t.Ref, id.APIVersion, t.Identity())
	}
	t.WarnTerminating(ctx, live)
	if err := t.sayLeftBehind(ctx, inputs{}, live, nil); err != nil {
		return p.ReadResponse{}, err
	}
	whole, fields, err := imported(live)
	if err != nil {
		return p.ReadResponse{}, err
	}
	if err := t.refuseImport(whole, fields); err != nil {
		return p.ReadResponse{}, err
	}
	written, fields, err := t.writtenByPeople(live, whole, fields)
	if err != nil {
		return p.ReadResponse{}, err
	}
	owners, err := ownership.Owners(live, fields, t.Manager)
	if err != nil {
		return p.ReadResponse{}, err
	}
	s := state{State: tracked.State{
		Live:      whole,
		Ownership: owners,
		Ref:       reference.Object{Identity: t.Identity(), UID: string(live.GetUID())},
		Foreign:   tracked.KubeObjectOf(live, t.Own()...),
	}, fields: fields}
	s.Origin = tracked.OriginOf(ctx, t.Cluster)
	if writesProgram(ctx) && len(tracked.KindTexts(written)) > 0 {
		t.warnReadable(ctx)
	}
	return s.imported(t, written)
}

// imported is the answer to an import of an object, of which people have written a part.
func (s state) imported(t target, written map[string]any) (p.ReadResponse, error) {
	s.HashKey = tracked.NewHashKey()
	var err error
	if s.Hash, err = tracked.Hash(s.HashKey, written); err != nil {
		return p.ReadResponse{}, fmt.Errorf("manifest: %w", err)
	}
	s.Ref.Revision = tracked.RevisionOf(s.Hash, "")
	s.Secrets, _ = tracked.SecretPlaces(s.Live, s.fields)
	out, err := s.encode(inputs{asText: isText(written)})
	if err != nil {
		return p.ReadResponse{}, err
	}
	secrets, _ := tracked.SecretPlaces(written, s.fields)
	object, err := values.ToProperty(written, secrets)
	if err != nil {
		return p.ReadResponse{}, fmt.Errorf("%s: %w", t.Ref, err)
	}
	return p.ReadResponse{
		ID:         t.Identity().String(),
		Properties: out,
		Inputs:     property.NewMap(map[string]property.Value{keyManifest: object}),
	}, nil
}

// writtenByPeople returns the part of an imported object that people have written, and its fields. If no tool is known
// to have made the object, that is the whole.
func (t target) writtenByPeople(
	live *unstructured.Unstructured, whole map[string]any, all *fieldpath.Set,
) (map[string]any, *fieldpath.Set, error) {
	fields, known, err := ownership.WrittenByPeople(live)
	if err != nil || !known {
		return whole, all, err
	}
	return t.project(&unstructured.Unstructured{Object: whole}, fields, nil), fields, nil
}

// refuseImport explains why an object cannot be imported as read. The user can adopt it instead, with a program that
// sets fewer fields than the object has.
func (t target) refuseImport(object map[string]any, fields *fieldpath.Set) error {
	if numbers := inexact(object, fields); len(numbers) > 0 {
		return tracked.Refused(failure.ReasonNotImportable, "%s cannot be imported: Pulumi keeps numbers as 64-bit floats, which would change the last digits of %s.\n"+
			"Adopt it instead: write it into the program without these fields, with\n  ignoreFields: [%s]\nand `adopt: true`.",
			t.Ref, strings.Join(numbers, ", "), tracked.QuotedList(numbers))
	}
	if repeated := ownership.Repeated(object, fields); len(repeated) > 0 {
		return tracked.Refused(failure.ReasonNotImportable, "%s cannot be imported: it has more than one %s, and the API server refuses that in an update by server-side apply.\n"+
			"Adopt it instead: write it into the program, each item of a list once, with `adopt: true`.",
			t.Ref, strings.Join(repeated, ", "))
	}
	return nil
}

// inexact names the fields with numbers that Pulumi would change, in the notation of ignoreFields. It names an atomic
// list as a whole.
func inexact(object map[string]any, fields *fieldpath.Set) []string {
	var names []string
	for _, problem := range manifest.ValidateNumbers(object) {
		name := problem.Path
		fields.Leaves().Iterate(func(path fieldpath.Path) {
			_, at, found := ownership.Locate(object, path)
			place := values.FormatSegments(at...)
			rest, inside := strings.CutPrefix(problem.Path, place)
			if found && inside && (rest == "" || rest[0] == '.' || rest[0] == '[') {
				name = ownership.Format(path)
			}
		})
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// imported returns the live object without the parts that only the API server or a controller writes, and the fields
// in it that someone set on purpose.
func imported(live *unstructured.Unstructured) (map[string]any, *fieldpath.Set, error) {
	fields, reported, err := ownership.Imported(live)
	if err != nil {
		return nil, nil, err
	}
	object, _ := manifest.Normalize(live.Object)
	remove(object, reported)
	remove(object, fieldpath.NewSet(fieldpath.MakePathOrDie("metadata", "annotations", lastApplied)))
	if fields.Empty() {
		fields = fieldpath.SetFromValue(value.NewValueInterface(object))
	}
	return object, fields, nil
}

// remove deletes fields from object that are selected by names alone, and maps that become empty as a result.
func remove(object map[string]any, fields *fieldpath.Set) {
	fields.Leaves().Iterate(func(path fieldpath.Path) {
		var names []string
		for _, element := range path {
			if element.FieldName == nil {
				return
			}
			names = append(names, *element.FieldName)
		}
		unstructured.RemoveNestedField(object, names...)
		for n := len(names) - 1; n > 1; n-- {
			parent, ok, err := unstructured.NestedMap(object, names[:n]...)
			if err != nil || !ok || len(parent) > 0 {
				return
			}
			unstructured.RemoveNestedField(object, names[:n]...)
		}
	})
}
