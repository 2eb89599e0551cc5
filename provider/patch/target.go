package patch

import (
	"context"
	"errors"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracking"
)

// target is the object that is patched, and who we are there.
type target struct {
	cluster *cluster.Cluster
	ref     cluster.Ref
	manager string
	// namespaceIgnored says that a namespace is named for a kind that has none.
	namespaceIgnored bool
}

// managerFor is the field manager of a resource. It stays what it was when the
// resource was created: one that was renamed by an alias goes on under its old name.
func managerFor(urn resource.URN, old state) string {
	if old.manager != "" {
		return old.manager
	}
	return ownership.PatchManager(string(urn.Project()), string(urn.Stack()), urn.Name(), string(urn))
}

// find finds out where the object is. With an error, the target still names it.
func find(ctx context.Context, clu *cluster.Cluster, id manifest.Identity, manager string) (target, error) {
	resolved, err := clu.Find(ctx, id.APIVersion, id.Kind, id.Namespace, id.Name)
	t := target{cluster: clu, ref: resolved.Ref, manager: manager, namespaceIgnored: resolved.NamespaceIgnored}
	if err != nil {
		t.ref = cluster.Ref{APIVersion: id.APIVersion, Kind: id.Kind, Namespace: id.Namespace, Name: id.Name}
	}
	return t, err
}

// identity is where the object is, with the namespace that it is in.
func (t target) identity() manifest.Identity {
	return manifest.Identity{
		APIVersion: t.ref.APIVersion, Kind: t.ref.Kind, Namespace: t.ref.Namespace, Name: t.ref.Name,
	}
}

// explain turns an error of the API server into one for the user.
func (t target) explain(verb string, err error, in inputs) error {
	if refusal := (refusal{}); errors.As(err, &refusal) {
		return err
	}
	return failure.Explain(err, failure.Operation{
		Verb: verb, Subject: t.ref.String(), Server: t.cluster.Server(), Sensitive: tracking.Sensitive(in.document, in.secrets, false),
	})
}

// refusal is a patch that we refuse ourselves. It is complete as it is: what
// happened, why, and what to do.
type refusal struct{ text string }

func (r refusal) Error() string { return r.text }

func refused(format string, args ...any) error { return refusal{fmt.Sprintf(format, args...)} }

// missing says that there is no object to patch.
func (t target) missing(cause error) error {
	if notServed := (*failure.KindNotServedError)(nil); errors.As(cause, &notServed) {
		return refused("%s not found: %v. A Patch changes existing objects.\n"+
			"If its CustomResourceDefinition is made in the same run, let the Patch depend on it and on the object.", t.ref, cause)
	}
	return refused("%s not found. A Patch changes existing objects; to create one, use KubeObject.\n"+
		"If somebody else makes it in the same run, let the Patch depend on that, or on a Wait for the object.", t.ref)
}
