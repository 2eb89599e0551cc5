package object

import (
	"context"
	"crypto/hmac"
	"errors"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracking"
)

// Diff compares what is wanted with what was applied and with what is live. While
// the inputs are those that were applied, and the last read went well, it makes no
// request: the engine calls it serially, and again after every read.
func (r *kubeObject) Diff(ctx context.Context, req p.DiffRequest) (p.DiffResponse, error) {
	in, err := decodeInputs(req.Inputs)
	if err != nil {
		return p.DiffResponse{}, err
	}
	old, err := decodeState(req.State)
	if err != nil {
		return p.DiffResponse{}, err
	}
	in.stay(old)
	r.standing.See(req.Urn, old.ref.uid, old.hashKey)
	ignored := tracking.ParseIgnored(req.IgnoreChanges)
	clu, err := r.source.Cluster(req.Inputs)
	clusterUnknown := errors.Is(err, connection.ErrUnknown)
	// The engine also calls Diff right after the read that failed, with the connection of the last run. Where that cannot
	// be used any more, what is known is compared: the program that runs now may bring another one.
	if err != nil && !clusterUnknown {
		if !old.stale || !old.pending && !old.unchanged(in) {
			return p.DiffResponse{}, err
		}
		r.source.WarnUnread(ctx, clu, err)
	}
	r.source.WarnIfMoved(ctx, req.OldInputs, req.Inputs)

	namespace := ""
	if clu != nil {
		namespace = clu.Namespace()
		in.warnStay(ctx, namespace)
	}
	if diff, replaced := identityDiff(in, old, namespace); replaced {
		return diff, nil
	}
	if old.pending {
		// The whole manifest is shown: nothing is known of what is live.
		return changed(keyManifest, p.Update), nil
	}
	// Asking the same connection again would fail again, and with it the operation.
	if old.stale && clu != nil && !r.source.Warned(clu) {
		if old, err = r.lookAgain(ctx, req, old, in); err != nil {
			return p.DiffResponse{}, err
		}
	}
	if old.unchanged(in) {
		return old.drift(in, ignored), nil
	}
	if clusterUnknown || in.unknown > 0 {
		return writtenDiff(req.OldInputs, req.Inputs, ignored), nil
	}

	result, err := r.update(r.source.Listen(ctx, req.Urn), clu, in, old, managerFor(req.Urn, old), true)
	if refused := (*refusedUpdate)(nil); errors.As(err, &refused) {
		return refused.replacement(ctx, in, old, ignored)
	}
	if err != nil {
		return p.DiffResponse{}, err
	}
	if result.unresolved {
		return changed(keyManifest, p.Update), nil
	}
	r.answers.keep(req.Urn, old, result)
	diff := detailedDiff(in.compare(old, result.state), old, in, ignored)
	switch {
	case diff.HasChanges:
	case old.hash == "":
		// An earlier update was not confirmed. Applying again settles it.
		return changed(keyManifest, p.Update), nil
	case old.manager != "" && !in.newlyIgnored(old).Empty():
		// Nothing to apply, but fields to release.
		return p.DiffResponse{HasChanges: true, DetailedDiff: map[string]p.PropertyDiff{
			keyIgnoreFields: {Kind: p.Update, InputDiff: true},
		}}, nil
	}
	return diff, nil
}

// compare lists what an update would change, ignored fields aside.
func (in inputs) compare(old, wanted state) []ownership.Change {
	fields := wanted.fields
	if old.fields != nil {
		fields = fields.Union(old.fields)
	}
	fields, _ = in.ignore.Split(fields)
	return ownership.Compare(old.live, wanted.live, fields)
}

// newlyIgnored are fields that were compared until now and are ignored from now on.
func (in inputs) newlyIgnored(old state) *fieldpath.Set {
	if old.fields == nil {
		return fieldpath.NewSet()
	}
	_, ignored := in.ignore.Split(old.fields)
	return ignored
}

// identityDiff reports a replacement where the object would be another one. A new
// version of the same API group is not. The default namespace is empty while the
// cluster is not known.
func identityDiff(in inputs, old state, defaultNamespace string) (p.DiffResponse, bool) {
	id, known := in.identity()
	was := old.ref.identity
	if !known || was.Name == "" {
		return p.DiffResponse{}, false
	}
	// Whether the kind has namespaces is not known here without a request, but the
	// state knows where the object went.
	switch {
	case was.Namespace == "":
		id.Namespace = ""
	case id.Namespace == "" && defaultNamespace == "":
		id.Namespace = was.Namespace
	case id.Namespace == "":
		id.Namespace = defaultNamespace
	}
	diff := p.DiffResponse{DetailedDiff: map[string]p.PropertyDiff{}}
	replace := func(path string, differs bool) {
		if differs {
			diff.HasChanges = true
			diff.DetailedDiff[path] = p.PropertyDiff{Kind: p.UpdateReplace}
		}
	}
	replace(keyManifest+".apiVersion", id.Group() != was.Group())
	replace(keyManifest+".kind", id.Kind != was.Kind)
	replace(keyManifest+".metadata.name", id.Name != was.Name)
	replace(keyManifest+".metadata.namespace", id.Namespace != was.Namespace)
	return diff, diff.HasChanges
}

// lookAgain reads the live object from inside Diff, because the read before it
// failed. That read used the connection of the last run; this one uses the
// connection of the program that runs now.
func (r *kubeObject) lookAgain(ctx context.Context, req p.DiffRequest, old state, in inputs) (state, error) {
	live, t, err := r.look(ctx, req.Inputs, old.ref.identity, managerFor(req.Urn, old))
	if failure.Gone(err) {
		old.applied, old.live = old.wanted(), map[string]any{}
		return old, nil
	}
	if err != nil {
		return state{}, t.explain("read", err, in)
	}
	return old.observe(t, live, in)
}

// unchanged reports whether in is what was applied last. A manifest with values
// that are not known yet never is.
func (s state) unchanged(in inputs) bool {
	if s.hash == "" || in.unknown > 0 || in.applied == nil {
		return false
	}
	sum, err := tracking.Hash(s.hashKey, in.sent())
	return err == nil && hmac.Equal([]byte(sum), []byte(s.hash))
}

// drift compares what was applied with what is live. A field that another manager
// has taken has drifted also if its value is the same.
func (s state) drift(in inputs, ignored tracking.IgnoredPaths) p.DiffResponse {
	if s.fields == nil {
		return p.DiffResponse{}
	}
	s.fields, _ = in.ignore.Split(s.fields)
	var changes []ownership.Change
	if s.applied != nil {
		changes = ownership.Compare(s.live, s.applied, s.fields)
	}
	if s.manager != "" {
		changes = append(changes, s.lost(changes)...)
	}
	return detailedDiff(changes, s, in, ignored)
}

// changed is a diff of one path.
func changed(path string, kind p.DiffKind) p.DiffResponse {
	return p.DiffResponse{HasChanges: true, DetailedDiff: map[string]p.PropertyDiff{path: {Kind: kind}}}
}

// writtenDiff compares the inputs as they are written, for where the API server
// cannot be asked: the cluster or a value is not known yet.
func writtenDiff(olds, news property.Map, ignored tracking.IgnoredPaths) p.DiffResponse {
	written := func(in property.Map) property.Map {
		compared := property.Map{}
		for _, key := range []string{keyManifest, keyIgnoreFields} {
			if v, ok := in.GetOk(key); ok {
				compared = compared.Set(key, v)
			}
		}
		return compared
	}
	diff := p.DiffResponse{DetailedDiff: map[string]p.PropertyDiff{}}
	for path, kind := range values.Differences(written(olds), written(news)) {
		if !ignored.Covers(path) {
			diff.DetailedDiff[path] = p.PropertyDiff{Kind: p.DiffKind(kind.String()), InputDiff: true}
		}
	}
	diff.HasChanges = len(diff.DetailedDiff) > 0
	return diff
}
