package object

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// planned remembers what a preview is going to create. If that includes the namespace, the account or the kind of an
// object, nothing is reported as missing for the object.
type planned struct {
	objects    sync.Map // plannedObject -> the URN of its resource
	namespaces sync.Map // of plannedNamespace
	kinds      sync.Map // of plannedKind
	accounts   sync.Map // of plannedAccount
}

type plannedNamespace struct {
	cluster *cluster.Cluster
	name    string
}

type plannedKind struct {
	cluster *cluster.Cluster
	kind    schema.GroupVersionKind
}

// checkPrerequisites looks, before the apply, for the ServiceAccount of a token: an update requires it, and a preview warns
// if it does not exist. A preview also records what it is going to create, which then is not missing for another object.
// The apply itself finds out whether the namespace and the kind exist.
func (r *kubeObject) checkPrerequisites(ctx context.Context, clu *cluster.Cluster, in inputs, preview bool) error {
	if !preview {
		return r.requireAccount(ctx, clu, in)
	}
	r.planned.add(clu, in)
	r.warnNoAccount(ctx, clu, in)
	return nil
}

// add records what a preview creates or changes. clu is nil if the cluster is not known yet.
func (p *planned) add(clu *cluster.Cluster, in inputs) {
	if clu == nil {
		return
	}
	if id := manifest.IdentityOf(in.written); id.GroupKind() == kinds.Namespace {
		p.namespaces.Store(plannedNamespace{clu, id.Name}, true)
	}
	p.addAccount(clu, manifest.IdentityOf(in.written))
	for _, kind := range manifest.Served(in.written) {
		p.kinds.Store(plannedKind{clu, kind}, true)
	}
}

// defines reports whether the same preview defines the kind of an object.
func (p *planned) defines(clu *cluster.Cluster, id manifest.Identity) bool {
	_, ok := p.kinds.Load(plannedKind{clu, schema.FromAPIVersionAndKind(id.APIVersion, id.Kind)})
	return ok
}

// explainNotServed finds out whether a kind that is not served can ever be, unless the same preview defines it.
func (r *kubeObject) explainNotServed(ctx context.Context, clu *cluster.Cluster, id manifest.Identity, err error) error {
	if r.planned.defines(clu, id) {
		return err
	}
	return clu.ExplainNotServed(ctx, err)
}

// warnPrerequisite warns in a preview what is missing, unless the same preview creates it.
func (r *kubeObject) warnPrerequisite(ctx context.Context, clu *cluster.Cluster, id manifest.Identity, err error) {
	if failure.NamespaceMissing(err) {
		namespace := cmp.Or(id.Namespace, clu.Namespace())
		if _, ok := r.planned.namespaces.Load(plannedNamespace{clu, namespace}); ok {
			return
		}
		p.GetLogger(ctx).Warningf("Namespace %q does not exist yet. The values of this object are known only after the apply, "+
			"which waits up to %s for it.", namespace, prerequisiteTimeout)
		return
	}
	if r.planned.defines(clu, id) {
		return
	}
	elsewhere, notServed := "", (*failure.KindNotServedError)(nil)
	switch {
	case !errors.As(err, &notServed):
	case notServed.IsDefined():
		p.GetLogger(ctx).Warningf("Kind %q of %q is not served, although %s defines it. The values of this object are known only "+
			"after the apply, which waits up to %s for a version to be served again.", id.Kind, id.APIVersion, notServed.DefinedBy, prerequisiteTimeout)
		return
	case len(notServed.ServedAs) > 0:
		elsewhere = " The cluster has a kind of this name in " + notServed.ServedAs[0] + "; is that what is meant?"
	}
	p.GetLogger(ctx).Warningf("Kind %q of %q is not known to the API server yet. The values of this object are known only after "+
		"the apply, which waits up to %s for its CustomResourceDefinition.%s", id.Kind, id.APIVersion, prerequisiteTimeout, elsewhere)
}

// isPrerequisiteMissing reports whether a namespace or a kind is missing, possibly because the same run creates it.
func isPrerequisiteMissing(err error) bool {
	if notServed, ok := errors.AsType[*failure.KindNotServedError](err); ok {
		return !notServed.Permanent
	}
	return failure.NamespaceMissing(err)
}

// retryPrerequisite retries while a prerequisite is missing.
func retryPrerequisite(
	ctx context.Context, err error, apply func() (*unstructured.Unstructured, error),
) (*unstructured.Unstructured, error) {
	var answer *unstructured.Unstructured
	cluster.Patiently(ctx, prerequisiteTimeout, func() bool {
		answer, err = apply()
		return isPrerequisiteMissing(err)
	})
	return answer, err
}

// prerequisiteTimeout bounds how long an apply waits for a namespace or a kind that the same run may be creating.
const prerequisiteTimeout = 30 * time.Second
