package patch

import (
	"maps"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/mutation"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// addedItem records an item that an operation has added to a list. The item itself is in the program.
type addedItem struct {
	// sum is the keyed hash of the item as the API server stored it, if only its position identifies it.
	sum string
	// gone means that the last read did not find it.
	gone bool
}

// additions are the items that a JSON patch has added to lists.
func (in inputs) additions(fields patchedFields) []mutation.Addition {
	if in.kind != keyJSONPatch {
		return nil
	}
	patch, problems := mutation.ParseJSONPatch(in.document)
	if len(problems) > 0 {
		return nil
	}
	return patch.Additions(fields.places)
}

// remembered returns the additions whose items were there after the patch, with the hashes that identify them.
func (s state) remembered(in inputs) []mutation.Addition {
	var known []mutation.Addition
	for _, a := range in.additions(s.touched) {
		item, has := s.added[a.Operation]
		if !has {
			continue
		}
		if item.sum != "" {
			a.Is = func(v any) bool {
				sum, err := tracked.Hash(s.HashKey, v)
				return err == nil && sum == item.sum
			}
		}
		known = append(known, a)
	}
	return known
}

// rememberAdded records the items that an object has right after the patch. An item that the API server dropped is
// not missed later.
func (s state) rememberAdded(in inputs, object map[string]any) (map[int]addedItem, error) {
	additions := in.additions(s.touched)
	found := mutation.Find(object, additions)
	added := map[int]addedItem{}
	for _, a := range additions {
		at, there := found[a.Operation]
		last := a.Place[len(a.Place)-1]
		switch {
		case a.IsNamed() && there:
			added[a.Operation] = addedItem{}
		case there && at == *last.Index:
			item, _, _ := ownership.Locate(object, a.Place)
			sum, err := tracked.Hash(s.HashKey, item)
			if err != nil {
				return nil, err
			}
			added[a.Operation] = addedItem{sum: sum}
		}
	}
	return added, nil
}

// lookForAdded records which items are gone. It cannot tell if the inputs belong to a different patch than the one that
// was sent: after a failed update, the engine keeps the previous inputs.
func (s state) lookForAdded(in inputs, object map[string]any) map[int]addedItem {
	if !s.Upholds(in.content()) {
		return s.added
	}
	seen := maps.Clone(s.added)
	found := mutation.Find(object, s.remembered(in))
	for operation, item := range seen {
		_, there := found[operation]
		item.gone = !there
		seen[operation] = item
	}
	return seen
}

// gone lists the operations that added an item that is now gone.
func (s state) gone() []int {
	var gone []int
	for _, operation := range slices.Sorted(maps.Keys(s.added)) {
		if s.added[operation].gone && operation < len(s.touched.places) {
			gone = append(gone, operation)
		}
	}
	return gone
}

// movedTo returns the same fields with new positions for items without names.
func (t patchedFields) movedTo(places []fieldpath.Path) patchedFields {
	was, is := fieldpath.NewSet(), fieldpath.NewSet()
	for i := range t.places {
		if i < len(places) && places[i] != nil && !t.places[i].Equals(places[i]) {
			was.Insert(t.places[i])
			is.Insert(places[i])
		}
	}
	if is.Empty() {
		return t
	}
	t.nonIdempotent, t.places = t.nonIdempotent.Difference(was).Union(is), places
	return t
}

// encodeAdded writes the records of the items, without any of their names or values.
func encodeAdded(added map[int]addedItem) property.Value {
	var encoded []property.Value
	for _, operation := range slices.Sorted(maps.Keys(added)) {
		item := map[string]property.Value{"operation": property.New(float64(operation))}
		if sum := added[operation].sum; sum != "" {
			item["hash"] = property.New(sum)
		}
		if added[operation].gone {
			item["gone"] = property.New(true)
		}
		encoded = append(encoded, property.New(item))
	}
	return property.New(encoded)
}

// decodeAdded reads what encodeAdded writes; nil if there are no records.
func decodeAdded(v property.Value) map[int]addedItem {
	if !v.IsArray() {
		return nil
	}
	added := map[int]addedItem{}
	for _, item := range v.AsArray().All {
		if !item.IsMap() || !item.AsMap().Get("operation").IsNumber() {
			continue
		}
		members := item.AsMap()
		added[int(members.Get("operation").AsNumber())] = addedItem{
			sum: values.Text(members.Get("hash")), gone: values.Flag(members.Get("gone")),
		}
	}
	return added
}
