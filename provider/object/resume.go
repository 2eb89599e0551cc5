package object

import (
	"context"
	"fmt"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// recognise continues with an object that carries our field manager although the state does not know of it: an earlier
// run has made it, and was killed or did not get the reply. With the content that is wanted now, that is silent. With
// other content the program has changed since, and the object is updated.
//
// Only what is young is taken for that. The field manager is made of project, stack and name, which another backend may
// have as well, and what its stack made long ago is not to be shared with it.
func (t target) recognise(ctx context.Context, in inputs, live *unstructured.Unstructured, c creation) attempt {
	if !t.isYoung(live, c.resumeWithin) {
		return attempt{err: tracked.Refused(failure.ReasonAlreadyExists, "%s already exists. This resource, or one of the same name in a stack of the same project and name, "+
			"has made it (%s), and the state does not know of it. It was not touched.\n%s\n"+
			"What an interrupted run of this very stack has made is continued without a word for %s, which is the provider's setting resumeWithin.",
			t.Ref, made(live), t.waysIn(), c.resumeWithin)}
	}
	answer, err := t.apply(ctx, in.applied, cluster.ApplyOptions{UID: live.GetUID(), DryRun: true, Force: true})
	if ignoreInvalid(err) != nil {
		return attempt{err: err}
	}
	if err == nil {
		same, err := t.hasApplied(in, live, answer)
		switch {
		case err != nil:
			return attempt{err: err}
		case same:
			return attempt{answer: live}
		}
	}
	p.GetLogger(ctx).Warningf("%s exists: an earlier run of this resource has made it (%s), with other content, and was not finished. "+
		"It is updated in place.", t.Ref, made(live))
	return t.applyOver(ctx, in, live, c.preview)
}

// hasApplied reports whether an apply with this answer has changed nothing of what we own, the order of lists included.
func (t target) hasApplied(in inputs, live, answer *unstructured.Unstructured) (bool, error) {
	fields, _, err := ownership.Applied(live, t.Manager)
	if err != nil {
		return false, err
	}
	wanted, _, err := ownership.Applied(answer, t.Manager)
	if err != nil {
		return false, err
	}
	before, after := t.project(live, fields, in.applied), t.project(answer, wanted, in.applied)
	return fields.Equals(wanted) && len(ownership.Compare(before, after, wanted)) == 0 &&
		len(ownership.Reordered(live.Object, answer.Object, wanted)) == 0, nil
}

// isYoung reports whether an object was made within this time, by the API server's clock. Where that is not known, it is
// not young.
func (t target) isYoung(live *unstructured.Unstructured, within time.Duration) bool {
	now, known := t.Cluster.Now()
	created := live.GetCreationTimestamp()
	return known && !created.IsZero() && now.Sub(created.Time) < within
}

func made(live *unstructured.Unstructured) string {
	created := live.GetCreationTimestamp()
	if created.IsZero() {
		return "at a time that it does not say"
	}
	return fmt.Sprintf("at %s", created.UTC().Format(time.RFC3339))
}
