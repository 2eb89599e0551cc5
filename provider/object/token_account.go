package object

import (
	"cmp"
	"context"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

type plannedAccount struct {
	cluster *cluster.Cluster
	ref     cluster.Ref
}

// requireAccount refuses to apply a token of a ServiceAccount that does not exist: the API server accepts it, and a
// controller deletes it. The same run may be creating the account, so an update waits for it. An account that may not
// be read is taken to exist.
func (r *kubeObject) requireAccount(ctx context.Context, clu *cluster.Cluster, in inputs) error {
	ref, isToken := accountOf(clu, in)
	if !isToken {
		return nil
	}
	gone := isGone(ctx, clu, ref)
	if gone {
		cluster.Patiently(ctx, prerequisiteTimeout, func() bool {
			gone = isGone(ctx, clu, ref)
			return gone
		})
	}
	if !gone {
		return nil
	}
	id, _ := in.identity()
	token := tracked.RefOf(id)
	token.Namespace = ref.Namespace
	return tracked.Refused(failure.ReasonNotFound, "%s was not applied: it is a token of %s, which does not exist, and Kubernetes deletes such a token.\n"+
		"Next: correct the annotation kubernetes.io/service-account.name; or create the account first, and let the token depend on it (dependsOn).",
		token, ref)
}

// warnNoAccount warns in a preview that the account of a token does not exist, unless the same preview creates it.
func (r *kubeObject) warnNoAccount(ctx context.Context, clu *cluster.Cluster, in inputs) {
	ref, isToken := accountOf(clu, in)
	if !isToken {
		return
	}
	if _, planned := r.planned.accounts.Load(plannedAccount{clu, ref}); !planned && isGone(ctx, clu, ref) {
		p.GetLogger(ctx).Warningf("%s does not exist yet. Kubernetes deletes the token of an account that does not exist, so the "+
			"update waits up to %s for it.", ref, prerequisiteTimeout)
	}
}

// accountOf names the ServiceAccount of a token. isToken is false for any other object.
func accountOf(clu *cluster.Cluster, in inputs) (account cluster.Ref, isToken bool) {
	id, known := in.identity()
	name := kinds.TokenOf(in.applied)
	if !known || name == "" || id.GroupKind() != kinds.Secret {
		return cluster.Ref{}, false
	}
	return accountIn(clu, id.Namespace, name), true
}

func isGone(ctx context.Context, clu *cluster.Cluster, account cluster.Ref) bool {
	_, err := clu.Get(ctx, account)
	return failure.Gone(err)
}

// accountIn names a ServiceAccount. An empty namespace is the default one of the connection.
func accountIn(clu *cluster.Cluster, namespace, name string) cluster.Ref {
	return cluster.Ref{APIVersion: "v1", Kind: kinds.ServiceAccount.Kind, Namespace: cmp.Or(namespace, clu.Namespace()), Name: name}
}

// addAccount records an account that a preview creates or changes.
func (p *planned) addAccount(clu *cluster.Cluster, id manifest.Identity) {
	if id.GroupKind() == kinds.ServiceAccount {
		p.accounts.Store(plannedAccount{clu, accountIn(clu, id.Namespace, id.Name)}, true)
	}
}
