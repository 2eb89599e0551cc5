package patch

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

// say reports what stays in the object, and why.
func (r run) say(ctx context.Context, done removal) {
	var ours, others []string
	for _, kept := range done.kept {
		line := fmt.Sprintf("%s: %s", r.leftName(kept.path), kept.why)
		if kept.former {
			others = append(others, line)
		} else {
			ours = append(ours, line)
		}
	}
	refusal := ""
	if done.refusal != "" {
		refusal = "\nWhat the API server says: " + done.refusal
	}
	if len(ours) > 0 {
		p.GetLogger(ctx).Warningf("%s: these values stay in the object, although onDestroy is \"%s\". The Patch no longer owns them.\n  %s%s",
			r.target.Ref, r.in.onDestroy, strings.Join(tracked.Unique(ours), "\n  "), refusal)
	}
	if left := r.leftFields(done); len(left.restored) > 0 {
		p.GetLogger(ctx).Infof("%s: these fields have got back what was there before the Patch: %s", r.target.Ref, strings.Join(left.restored, ", "))
	}
	if len(others) > 0 {
		p.GetLogger(ctx).Infof("%s: these values stay in the object, because the Patch did not add them. It no longer owns them.\n  %s",
			r.target.Ref, strings.Join(tracked.Unique(others), "\n  "))
	}
}

// sayReleased reports which values stay in an object when its fields are released, and which of them then have no
// owner. live is the object before the release.
func (r run) sayReleased(ctx context.Context, live *unstructured.Unstructured) {
	owners, err := ownership.NewOwnership(live)
	if err != nil {
		return // the release is already done
	}
	var nobodys, shared []string
	for _, leaf := range leaves(r.old.present()) {
		if _, _, has := ownership.Locate(live.Object, leaf); !has {
			continue
		}
		if others := r.others(owners.Of(leaf)); others != "" {
			shared = append(shared, fmt.Sprintf("%s (%s)", r.leftName(leaf), others))
		} else {
			nobodys = append(nobodys, r.leftName(leaf))
		}
	}
	text := ""
	if len(nobodys) > 0 {
		text += "\n  Nobody owns: " + strings.Join(tracked.Unique(nobodys), ", ")
	}
	if len(shared) > 0 {
		text += "\n  Others own: " + strings.Join(tracked.Unique(shared), ", ")
	}
	if text != "" {
		p.GetLogger(ctx).Infof("%s: the values of this Patch stay in the object, and it no longer owns them.%s", r.target.Ref, text)
	}
}

// leftName names a field of the previous patch.
func (r run) leftName(path fieldpath.Path) string {
	if r.old.NamesSecret {
		return ownership.Format(path[:1]) + "[secret]"
	}
	return r.old.name(path)
}
