package waitfor

import (
	"context"
	"errors"
	"fmt"

	p "github.com/pulumi/pulumi-go-provider"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/readiness"
)

// Many is one wait for many objects. The Object of its request is their kind and namespace.
type Many struct {
	Request

	// LabelSelector selects the objects; empty selects all of the kind in the namespace.
	LabelSelector string
	Count         readiness.Count
}

// RunAll waits until as many objects as necessary have reached the goal. Its error is complete, like that of [Run].
func RunAll(ctx context.Context, many Many) error {
	many.modes = &bindingModes{known: map[string]string{}}
	gathering := readiness.Gather(many.Spec.Goal, many.Count, many.excuse)
	status := newStatusLine(ctx, many.Request, func() []string {
		if tally, seen := gathering.Tally(); seen {
			return many.behind(tally)
		}
		return nil
	})
	defer status.clear()
	reached, warnings, err := gathering.Await(ctx, many.budget(ctx), many.follow(status))
	if err == nil {
		for _, warning := range few(warnings) {
			p.GetLogger(ctx).Warning(warning)
		}
		many.sayGuesses(ctx, reached)
		return nil
	}
	status.clear()
	notReady := (*readiness.NotReadyError)(nil)
	errors.As(err, &notReady)
	trouble := status.trouble()
	return &Error{text: many.report(ctx, notReady, trouble), Err: notReady, unread: trouble != nil && notReady.Among == nil}
}

// follow passes the states of the objects to see.
func (m *Many) follow(status *statusLine) readiness.FollowAll {
	return func(ctx context.Context, see func(map[string]*unstructured.Unstructured) (bool, error)) error {
		ref, err := m.resolve(ctx, status)
		if failure.Gone(err) && m.Spec.Goal.ForDeletion() {
			_, err = see(nil) // no kind, no objects
			return err
		}
		if err != nil {
			return err
		}
		m.Object = manifest.Identity(ref)
		options := cluster.FollowOptions{
			Polling: func(error) {
				p.GetLogger(ctx).Infof("%s may be listed but not watched, so the list is read once a second. Watching it requires the "+
					"permission \"watch\".", m.subject())
			},
			Trouble: status.troubled,
		}
		return m.Cluster.FollowAll(ctx, m.list(ref), options, func(all map[string]*unstructured.Unstructured) (bool, error) {
			status.troubled(nil)
			return see(all)
		})
	}
}

func (m *Many) list(ref cluster.Ref) cluster.ListOptions {
	return cluster.ListOptions{APIVersion: ref.APIVersion, Kind: ref.Kind, Namespace: ref.Namespace, LabelSelector: m.LabelSelector}
}

// Look lists the objects once.
func (m *Many) Look(ctx context.Context) (readiness.Tally, error) {
	var objects []*unstructured.Unstructured
	resolved, err := m.Cluster.Find(ctx, m.Object.APIVersion, m.Object.Kind, m.Object.Namespace, "")
	if err == nil {
		var all []unstructured.Unstructured
		if all, _, err = m.Cluster.ListAll(ctx, resolved.Resource, m.list(resolved.Ref)); err == nil {
			err = m.Spec.learn(ctx, m.Cluster, resolved.APIVersion, resolved.Kind)
		}
		for i := range all {
			objects = append(objects, &all[i])
		}
	}
	if failure.Gone(err) {
		err = nil // no kind, no objects
	}
	return m.Spec.Goal.JudgeAll(objects, m.Count), err
}

// of is the request for one of the objects.
func (m *Many) of(live *unstructured.Unstructured) Request {
	one := m.Request
	one.Object = manifest.IdentityOf(live.Object)
	return one
}

// excuse decides about the doubt about one of the objects.
func (m *Many) excuse(ctx context.Context, live *unstructured.Unstructured, doubt readiness.Doubt) (warning string, excused bool) {
	return m.of(live).excuse(ctx, live, doubt)
}

// sayGuesses says so if objects have reached the goal by no more than a guess.
func (m *Many) sayGuesses(ctx context.Context, reached []readiness.Member) {
	var guesses []string
	for _, member := range reached {
		if member.Guessed != "" {
			guesses = append(guesses, m.Spec.guess(member.Live, member.Guessed, m.Sensitive))
		}
	}
	for _, guess := range few(guesses) {
		p.GetLogger(ctx).Info(guess)
	}
}

// few returns the first of the texts that are all about the same, and a text that says how many are left out.
func few(texts []string) []string {
	if len(texts) <= maxMissing {
		return texts
	}
	return append(texts[:maxMissing:maxMissing], fmt.Sprintf("The same is true of %d more objects.", len(texts)-maxMissing))
}
