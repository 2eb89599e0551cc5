package object

import (
	"context"
	"fmt"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// sayReturning reports which values an update overwrites or removes because their fields are no longer ignored. Those
// that others own are reported with their owners, see [write.applyWithPolicy]. But if an autoscaler sets an unowned
// field through the scale subresource, the API server records no field manager, and so reports no conflict.
func (o outcome) sayReturning(ctx context.Context, in inputs, old state, saved property.Map) error {
	was, going, returned := o.returning(in, old, saved)
	if returned.Empty() {
		return nil
	}
	live, err := o.target.Cluster.Get(ctx, o.target.Ref)
	if err != nil {
		return o.target.Explain("read", err, in.sensitive())
	}
	owners, err := ownership.Owners(live, returned, o.target.Manager, o.target.Also)
	if err != nil {
		return err
	}
	var set, removed []string
	ownership.Leaves(returned).Iterate(func(path fieldpath.Path) {
		name := ownership.Format(path)
		owner := owners[name]
		if going.Has(path) && old.ignoredSecret || in.namesSecret(fieldpath.NewSet(path)) {
			name = "[secret]"
		}
		is, _, had := ownership.Locate(live.Object, path)
		will, _, has := ownership.Locate(o.state.Live, path)
		isOurs, changes := owner == o.target.Manager && !o.leaving.stays.Has(path), had != has || !ownership.Equal(is, will)
		switch goes := going.Has(path); {
		case goes && isOurs:
			removed = append(removed, fmt.Sprintf("%s: %s", name, was.show(live.Object, path)))
		case !goes && owner == "" && changes:
			set = append(set, fmt.Sprintf("%s: %s -> %s", name, in.show(live.Object, path), in.show(o.state.Live, path)))
		}
	})
	o.warnOfFields(ctx, "sets these fields again, which are no longer in ignoreFields. Their values have no owner", set)
	o.warnOfFields(ctx, "removes these fields, which only this resource set and which are no longer in ignoreFields", removed)
	return nil
}

func (o outcome) warnOfFields(ctx context.Context, what string, lines []string) {
	if len(lines) > 0 {
		p.GetLogger(ctx).Warningf("%s: an update %s:\n  %s", o.target.Ref, what, strings.Join(lines, "\n  "))
	}
}

// returning are the fields that are no longer ignored, and among them those that no one wants now. was is what the program
// ignored.
func (o outcome) returning(in inputs, old state, saved property.Map) (was inputs, going, returned *fieldpath.Set) {
	none := fieldpath.NewSet()
	was, err := decodeInputs(saved)
	if err != nil || len(was.named) == 0 || o.state.fields == nil {
		return was, none, none // the earlier ignoreFields are unknown
	}
	going = in.unignored(old).Difference(o.state.fields)
	return was, going, going.Union(in.wantedAgain(was, o.state.fields))
}

// wantedAgain are the fields of the program that ignoreFields named, and names no longer.
func (in inputs) wantedAgain(was inputs, fields *fieldpath.Set) *fieldpath.Set {
	again := fieldpath.NewSet()
	ownership.Leaves(fields).Iterate(func(path fieldpath.Path) {
		if was.named.Covers(path) && !in.named.Covers(path) {
			again.Insert(path.Copy())
		}
	})
	return again
}

// unignored returns fields of ours that were ignored until now and no longer are.
func (in inputs) unignored(old state) *fieldpath.Set {
	if old.ignored == nil {
		return fieldpath.NewSet()
	}
	unignored, _ := in.named.Split(old.ignored)
	return unignored
}
