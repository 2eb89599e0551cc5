package object

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// pinNamespace keeps an object that holds data in the namespace that it is in, if the
// manifest names none. The default namespace may be that of a kubeconfig's context,
// which someone changes for other reasons, and a move deletes: nobody has asked.
//
// It is no error, since the engine calls Diff after every read: a refresh and a
// destroy would fail as well, and with them every way out.
func (in *inputs) pinNamespace(old state) {
	if old.Ref.UID != "" && in.onImmutable(old.Ref.Identity) == immutableFail {
		in.namespace = old.Ref.Identity.Namespace
	}
}

// warnNamespacePinned says that another namespace is the default by now.
func (in inputs) warnNamespacePinned(ctx context.Context, defaultNamespace string) {
	if in.namespace == "" || in.namespace == defaultNamespace || manifest.IdentityOf(in.written).Namespace != "" {
		return
	}
	id, _ := in.identity()
	p.GetLogger(ctx).Warningf("%s stays in namespace %q. The default namespace is now %q, but the manifest "+
		"sets none, and objects that hold data are never moved implicitly. Write the namespace into the manifest; or, if it may be deleted, "+
		"set onImmutable to \"replace\".", tracked.RefOf(id), in.namespace, defaultNamespace)
}
