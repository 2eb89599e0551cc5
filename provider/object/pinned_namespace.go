package object

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/policy"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// pinNamespace keeps an object that holds data in its current namespace if the manifest names none. The default
// namespace may come from a kubeconfig's context, which people change for other reasons, and a move would delete the
// object although no one asked for that.
//
// This is not an error, because the engine calls Diff after every read: refresh and destroy would fail as well, and
// leave no way out.
func (in *inputs) pinNamespace(old state) {
	if old.Ref.UID != "" && in.onImmutable(old.Ref.Identity) == policy.ImmutableFail {
		in.namespace = old.Ref.Identity.Namespace
	}
}

// warnNamespacePinned warns that the default namespace has changed.
func (in inputs) warnNamespacePinned(ctx context.Context, defaultNamespace string) {
	if in.namespace == "" || in.namespace == defaultNamespace || manifest.IdentityOf(in.written).Namespace != "" {
		return
	}
	id, _ := in.identity()
	p.GetLogger(ctx).Warningf("%s stays in namespace %q. The default namespace is now %q, but the manifest "+
		"sets none, and objects that hold data are never moved implicitly. Write the namespace into the manifest; or, if it may be deleted %s, "+
		"set onImmutable to \"replace\".", tracked.RefOf(id), in.namespace, defaultNamespace, kinds.LostWith(id.GroupKind()))
}

// warnNamespaceIgnored warns that the manifest of a cluster-scoped object sets a namespace. If the namespace comes from
// the object's set instead, the preview shows it among the inputs, and this says that it has no effect.
func (t target) warnNamespaceIgnored(ctx context.Context, in inputs) {
	switch {
	case !t.NamespaceIgnored:
	case in.namespaceAssumed:
		p.GetLogger(ctx).Infof("%s belongs to no namespace, so that of its set or release does not apply to it.", t.Ref)
	default:
		p.GetLogger(ctx).Warningf("%s belongs to no namespace; metadata.namespace is ignored.", t.Ref)
	}
}
