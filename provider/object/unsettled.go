package object

import (
	"context"
	"fmt"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// The names of the hidden outputs about drift that stays.
const (
	keyUnsettled     = "__unsettled"
	keyUnsettledHash = "__unsettledHash"
)

// unsettled is drift that the last update had to leave on the object. The fields are no longer ours, so without this
// record no one would be told about them again. As long as neither the program nor the object changes there, the update
// is not tried again: each attempt would run everything that depends on the object's revision.
type unsettled struct {
	fields *fieldpath.Set
	// hash is the keyed hash of the values that the object had there; empty if the values have changed since.
	hash string
}

// isEmpty reports whether nothing is left to settle.
func (u unsettled) isEmpty() bool { return u.fields == nil || u.fields.Empty() }

// hasMoved reports whether the object has changed there, so that the whole manifest is tried again.
func (u unsettled) hasMoved() bool { return !u.isEmpty() && u.hash == "" }

// unsettledOf records drift on the object that an update has left.
func unsettledOf(drift []drifted, object *unstructured.Unstructured, hashKey string) (unsettled, error) {
	if len(drift) == 0 {
		return unsettled{}, nil
	}
	u := unsettled{fields: pathsOfDrift(drift)}
	var err error
	u.hash, err = u.hashOn(object, hashKey)
	return u, err
}

func (u unsettled) hashOn(object *unstructured.Unstructured, hashKey string) (string, error) {
	found := map[string]any{}
	u.fields.Iterate(func(path fieldpath.Path) {
		if v, _, has := ownership.Locate(object.Object, path); has {
			found[ownership.Format(path)] = v
		}
	})
	return tracked.Hash(hashKey, found)
}

// on returns the record after a look at the live object.
func (u unsettled) on(live *unstructured.Unstructured, hashKey string) (unsettled, error) {
	if u.isEmpty() {
		return u, nil
	}
	hash, err := u.hashOn(live, hashKey)
	if hash != u.hash {
		u.hash = ""
	}
	return u, err
}

// without returns fields without those that are unsettled.
func (u unsettled) without(fields *fieldpath.Set) *fieldpath.Set {
	if u.isEmpty() || fields == nil {
		return fields
	}
	return fields.RecursiveDifference(u.fields)
}

func (u unsettled) encode(out map[string]property.Value, secret bool) error {
	if u.isEmpty() {
		return nil
	}
	out[keyUnsettledHash] = property.New(u.hash)
	return tracked.EncodeFields(out, tracked.SavedFields{Key: keyUnsettled, Fields: u.fields, Secret: secret})
}

func decodeUnsettled(properties property.Map) unsettled {
	return unsettled{fields: tracked.DecodeFields(properties.Get(keyUnsettled)), hash: values.Text(properties.Get(keyUnsettledHash))}
}

// sayUnsettled warns about drift that an update leaves, unless a read has already done so.
func (o outcome) sayUnsettled(ctx context.Context, in inputs, old state) {
	if u := o.state.unsettled; !u.isEmpty() && !old.unsettled.without(u.fields).Empty() {
		o.target.sayUnsettled(ctx, in, o.answer, u.fields)
	}
}

// sayUnsettled warns about drift that stays because the API server does not accept the former values.
func (t target) sayUnsettled(ctx context.Context, in inputs, live *unstructured.Unstructured, fields *fieldpath.Set) {
	if lines, left, controllers := t.unsettledLines(in, live, fields); len(lines) > 0 {
		p.GetLogger(ctx).Warningf("%s: these fields are not as in the manifest, and the API server does not accept them changed back. "+
			"They stay as they are:\n  %s\nTo leave them to whoever has changed them:\n  %s%s",
			t.Ref, strings.Join(lines, "\n  "), in.ignoreLine(left), in.adviseManagers(controllers))
	}
}

// unsettledLines describes drift: the field, its live and its wanted value, and who has changed it. It also returns the
// fields, and the known controllers among those who have.
func (t target) unsettledLines(
	in inputs, live *unstructured.Unstructured, fields *fieldpath.Set,
) (lines []string, left []fieldpath.Path, controllers []string) {
	owners, err := ownership.NewOwnership(live)
	fields.Iterate(func(path fieldpath.Path) {
		wanted, _, has := ownership.Locate(in.applied, path)
		is, _, _ := ownership.Locate(live.Object, path)
		if !has || in.ignore.Covers(path) || ownership.Equal(wanted, is) {
			return
		}
		by := "nobody owns it"
		if managers := owners.ManagersOf(path); len(managers) > 0 {
			by = ownedBy(strings.Join(managers, ", "))
			controllers = append(controllers, controllersAmong(strings.Join(managers, ", "))...)
		} else if err != nil {
			by = "it is not known who owns it"
		}
		name := in.nameOf(path)
		lines = append(lines, fmt.Sprintf("%s: %s instead of %s (%s)", name, in.show(live.Object, path), in.show(in.applied, path), by))
		left = append(left, path.Copy())
	})
	return lines, left, controllers
}
