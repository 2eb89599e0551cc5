package tracked

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// Target is one object in one cluster, and who we are there.
type Target struct {
	Cluster *cluster.Cluster
	Ref     cluster.Ref
	Manager string
	// Also is another field manager of ours; empty if there is none. See [State.OnObject].
	Also string
	// NamespaceIgnored means that a namespace is given for a cluster-scoped kind.
	NamespaceIgnored bool
}

// IsYoung reports whether an object was created within this time, by the API server's clock. If the time is unknown,
// the object is not young.
func (t Target) IsYoung(live *unstructured.Unstructured, within time.Duration) bool {
	now, known := t.Cluster.Now()
	created := live.GetCreationTimestamp()
	return known && !created.IsZero() && now.Sub(created.Time) < within
}

// Resolve finds out where an object with this identity belongs. It asks the API server for the kinds of one
// group-version, once per process. On an error, the target still names the object as written.
func Resolve(ctx context.Context, clu *cluster.Cluster, id manifest.Identity, manager string) (Target, error) {
	resolved, err := clu.Resolve(ctx, id.APIVersion, id.Kind, id.Namespace, id.Name)
	return newTarget(clu, id, manager, resolved, err), err
}

// Find runs [Resolve] for an object that exists already. If a version of an API is no longer served, its objects live
// on in the other versions.
func Find(ctx context.Context, clu *cluster.Cluster, id manifest.Identity, manager string) (Target, error) {
	resolved, err := clu.Find(ctx, id.APIVersion, id.Kind, id.Namespace, id.Name)
	return newTarget(clu, id, manager, resolved, err), err
}

func newTarget(clu *cluster.Cluster, id manifest.Identity, manager string, resolved cluster.Resolved, err error) Target {
	t := Target{Cluster: clu, Ref: resolved.Ref, Manager: manager, NamespaceIgnored: resolved.NamespaceIgnored}
	if err != nil {
		t.Ref = RefOf(id)
	}
	return t
}

// RefOf names an object as written, for messages about an object that was not looked up.
func RefOf(id manifest.Identity) cluster.Ref { return cluster.Ref(id) }

// ObserveLive reads the object once: it finds the cluster that the inputs lead to, the object's place there, and its
// current content. An error of the API server that says there is no such object satisfies [failure.Gone]. The target
// has no cluster if the connection cannot be used.
func ObserveLive(
	ctx context.Context, source *connection.Source, inputs property.Map, id manifest.Identity, manager string,
) (Target, *unstructured.Unstructured, error) {
	clu, err := source.Cluster(inputs)
	if err != nil {
		return Target{}, nil, err
	}
	t, err := Find(ctx, clu, id, manager)
	if err != nil {
		return t, nil, err
	}
	live, err := clu.Get(ctx, t.Ref)
	return t, live, err
}

// Own returns our field managers.
func (t Target) Own() []string {
	if t.Also == "" {
		return []string{t.Manager}
	}
	return []string{t.Manager, t.Also}
}

// Identity returns the identity of the object, with its actual namespace.
func (t Target) Identity() manifest.Identity { return manifest.Identity(t.Ref) }

// Explain turns an error of the API server into one for the user. It must not quote the sensitive texts. It leaves
// errors unchanged that are already complete, or that occurred before there was a cluster.
func (t Target) Explain(verb string, err error, sensitive []string) error {
	if elsewhere := (*ElsewhereError)(nil); IsRefusal(err) || t.Cluster == nil || IsForgotten(err) || errors.As(err, &elsewhere) {
		return err
	}
	return failure.Explain(err, failure.Operation{
		Verb: verb, Subject: t.Ref.String(), Server: t.Cluster.Server(), Sensitive: sensitive,
	})
}

// refusal is an error of our own that is already complete: what happened, why, and what to do.
type refusal struct {
	reason failure.Reason
	text   string
}

func (r refusal) Error() string { return r.text }

// Because marks the error for [failure.ReasonOf].
func (r refusal) Because() failure.Reason { return r.reason }

// Refused returns the error for an operation that we refuse ourselves, before anything is written. The text says what
// happened, why, and what to do next.
func Refused(reason failure.Reason, format string, args ...any) error {
	return refusal{reason, fmt.Sprintf(format, args...)}
}

// IsRefusal reports whether an error was made by [Refused].
func IsRefusal(err error) bool {
	refused := refusal{}
	return errors.As(err, &refused)
}

// HadNoEffect reports whether a write that failed with this error has certainly changed nothing.
func HadNoEffect(err error) bool { return IsRefusal(err) || failure.Outcome(err).Definite() }
