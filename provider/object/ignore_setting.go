package object

import (
	"context"
	"fmt"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// Ignored is what the provider's setting ignore says of an object.
type Ignored struct {
	Fields   ownership.Ignore
	Managers tracked.IgnoredManagers
}

// sayHidden names what the provider's setting hides on the live object: differences that the preview would show without
// it. No line of the program says that they are ignored.
func (t target) sayHidden(ctx context.Context, in inputs, live *unstructured.Unstructured) {
	if len(in.setting.Fields) == 0 && len(in.setting.Managers) == 0 {
		return
	}
	owned, err := ownership.AllOwned(live)
	if err != nil {
		return
	}
	owners, err := ownership.Owners(live, owned, t.Manager, t.Also)
	if err != nil {
		return
	}
	var lines []string
	ownership.Leaves(owned).Iterate(func(path fieldpath.Path) {
		owner := owners[ownership.Format(path)]
		wanted, _, has := ownership.Locate(in.applied, path)
		is, _, found := ownership.Locate(live.Object, path)
		if !has || !found || ownership.Equal(wanted, is) || !in.isHiddenBySetting(path, owner) {
			return
		}
		lines = append(lines, fmt.Sprintf("%s: %s instead of %s (%s)", in.nameOf(path), in.show(live.Object, path), in.show(in.applied, path), ownedBy(owner)))
	})
	if len(lines) > 0 {
		p.GetLogger(ctx).Infof("%s: the provider's setting ignore leaves these fields as they are:\n  %s", t.Ref, strings.Join(lines, "\n  "))
	}
}

// isHiddenBySetting reports whether a field is ignored only because of the provider's setting.
func (in inputs) isHiddenBySetting(path fieldpath.Path, owner string) bool {
	if in.named.Covers(path) {
		own := in
		own.heed(Ignored{})
		return !own.named.Covers(path)
	}
	return in.theirs != nil && in.theirs.Has(path) && !in.ownManagers.NameAny(owner)
}
