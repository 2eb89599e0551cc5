package object

import (
	"context"
	"fmt"
	"slices"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// findExtras finds list items and data keys that others have set on an object that is taken over, and that the manifest
// lacks. They stay: if the manifest gives a container another name, both containers run. after is the object after the
// update. findExtras excludes what the cluster adds to every new object.
func (w *write) findExtras(ctx context.Context, after *unstructured.Unstructured) error {
	w.extras = nil
	if !w.migrates && !w.takes {
		return nil
	}
	ours, _, err := ownership.Applied(after, w.Manager)
	if err != nil {
		return err
	}
	extras, err := w.extrasOn(after, unionOf(ours, w.old.fields, w.old.left))
	if err != nil {
		return err
	}
	var fresh *unstructured.Unstructured
	for _, extra := range extras {
		if _, _, found := ownership.Locate(after.Object, extra.Path); !found || w.in.ignore.Covers(extra.Path) {
			continue
		}
		if fresh == nil {
			if fresh, err = w.tryAsNew(ctx, w.in, after); err != nil {
				fresh = &unstructured.Unstructured{} // then more than necessary is named
			}
		}
		if _, _, given := ownership.Locate(fresh.Object, extra.Path); !given {
			w.extras = append(w.extras, extra)
		}
	}
	return nil
}

// extrasOn lists what others have set on an object and known lacks. It returns nothing for a Pod: admission adds
// volumes and containers to every Pod, which no manifest has, and they cannot be removed.
func (t target) extrasOn(object *unstructured.Unstructured, known *fieldpath.Set) ([]ownership.Extra, error) {
	if t.Identity().GroupKind() == kinds.Pod {
		return nil, nil
	}
	return ownership.Extras(object, known)
}

func fieldsOf(extras []ownership.Extra) *fieldpath.Set {
	fields := fieldpath.NewSet()
	for _, extra := range extras {
		fields.Insert(extra.Path)
	}
	return fields
}

// sayExtras warns about what [write.findExtras] has found.
func (w *write) sayExtras(ctx context.Context) {
	if len(w.extras) == 0 {
		return
	}
	hide := w.old.hidesNames() || w.in.namesSecret(fieldsOf(w.extras))
	var lines, managers []string
	for _, extra := range w.extras {
		name, owners := ownership.Format(extra.Path), []string{}
		if hide {
			name = "[secret]"
		}
		for _, owner := range extra.Owners {
			if ownership.IsNobody(owner) {
				owners = append(owners, "nobody")
			} else {
				owners, managers = append(owners, owner), append(managers, owner)
			}
		}
		lines = append(lines, fmt.Sprintf("%s (%s)", name, strings.Join(owners, ", ")))
	}
	p.GetLogger(ctx).Warningf("%s: the manifest does not have these, and they stay on the object:\n  %s\n%s",
		w.Ref, strings.Join(shortened(slices.Compact(lines)), "\n  "), w.toRemoveExtras(tracked.Unique(managers)))
}

// toRemoveExtras explains how to remove what these managers have set.
func (w *write) toRemoveExtras(managers []string) string {
	switch named := slices.ContainsFunc(managers, w.in.takeOver.Names); {
	case len(managers) == 0:
		return "To remove them: write them into the manifest for one `pulumi up`, and take them out in the next."
	case named && !w.preview:
		return "To remove them: run `pulumi up` once with them in the manifest and without takeOverFrom, once with both, and once without them."
	default:
		return "To remove them, if their manager no longer manages the object: write them into the manifest for one `pulumi up`, with " +
			w.in.takeOver.Line(managers...) + ", and take them out in the next."
	}
}
