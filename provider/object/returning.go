package object

import (
	"context"
	"fmt"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// sayReturning tells which values an update overwrites because their fields are no longer ignored. Those that others own
// are told with their owners, see [target.applyOnto]. But what an autoscaler sets by way of the subresource scale while
// nobody owns the field, the API server notes under no name, and so it reports no conflict.
func (o outcome) sayReturning(ctx context.Context, in inputs, saved property.Map) error {
	was, err := decodeInputs(saved)
	if err != nil || len(was.ignore) == 0 || o.state.fields == nil {
		return nil // what was ignored is not known
	}
	returned := fieldpath.NewSet()
	ownership.Leaves(o.state.fields).Iterate(func(path fieldpath.Path) {
		if was.ignore.Covers(path) && !in.ignore.Covers(path) {
			returned.Insert(path.Copy())
		}
	})
	if returned.Empty() {
		return nil
	}
	live, err := o.target.Cluster.Get(ctx, o.target.Ref)
	if err != nil {
		return o.target.explain("read", err, in)
	}
	owners, err := ownership.Owners(live, returned, o.target.Manager, o.target.Also)
	if err != nil {
		return err
	}
	var lines []string
	returned.Iterate(func(path fieldpath.Path) {
		is, _, had := ownership.Locate(live.Object, path)
		will, _, has := ownership.Locate(o.state.Live, path)
		name := ownership.Format(path)
		if owners[name] != "" || had == has && ownership.Equal(is, will) {
			return
		}
		_, secret := in.marked().SecretDepth(path)
		secret = secret || tracked.IsKindSecret(manifest.IdentityOf(live.Object), path)
		lines = append(lines, fmt.Sprintf("%s: %s -> %s", name, tracked.Show(is, had, secret, in.sensitive()), tracked.Show(will, has, secret, in.sensitive())))
	})
	if len(lines) > 0 {
		p.GetLogger(ctx).Warningf("%s: an update sets these fields again, which are no longer in ignoreFields. Nobody owns their values:\n  %s",
			o.target.Ref, strings.Join(lines, "\n  "))
	}
	return nil
}
