package controller_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// on are the objects whose Environments are on a revision.
func on(all []*instance, revision string) []*instance {
	var found []*instance
	for _, one := range all {
		if one.read().Annotations[v1alpha1.AnnotationRevision] == revision {
			found = append(found, one)
		}
	}
	return found
}

// settle does what runs do that succeed, until the Environment is Ready.
func (i *instance) settle() {
	i.platform.Helper()
	last := int64(0)
	for environment := i.read(); environment.State() != v1alpha1.StateReady; environment = i.read() {
		environment = i.environmentIs(func(e *v1alpha1.Environment) bool {
			return e.State() == v1alpha1.StateReady ||
				e.Status.CurrentOperation != nil && e.Status.CurrentOperation.JobUID != "" && e.Status.CurrentOperation.Serial > last
		})
		if environment.State() != v1alpha1.StateReady {
			last = environment.Status.CurrentOperation.Serial
			i.runs(last)
		}
	}
}

// changeProgram makes a new revision, and returns its name.
func (p *platform) changeProgram(content string) string {
	p.Helper()
	last := p.readClass().Status.Revision
	program := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: "program"}}
	require.NoError(p, p.Patch(p.Context(), program, client.RawPatch(types.MergePatchType, []byte(`{"data":{"Main.yaml":"`+content+`"}}`))))
	p.eventuallyClass(func(of *v1alpha1.EnvironmentClass) bool { return of.Status.Revision != last })
	return p.readClass().Status.Revision
}

// fails does what a run does that fails.
func fails(head *state.Head) {
	head.Record.Outcome, head.Record.Applied = state.Failed, false
	head.Record.Reason, head.Record.Message = "UpdateFailed", "no quota"
}

// What a tenant has done wrong stops nobody else.
func TestAnObjectThatFailedBeforeARevisionDoesNotStopIt(t *testing.T) { // [X62]
	p := newPlatform(t, func(spec *v1alpha1.EnvironmentClassSpec) { spec.Template.Retry.Limit = new(int32(0)) })
	p.served()
	team := p.tenant(nil)
	wrong, right := p.new(team, "a", map[string]any{"image": "shop:1"}, nil), p.new(team, "b", map[string]any{"image": "shop:1"}, nil)
	for _, one := range []*instance{wrong, right} {
		one.runs(1)
		one.says("Applied")
	}
	wrong.set(map[string]any{"image": "nothing"})
	wrong.runs(2, fails)
	wrong.says("UpdateFailed")

	p.changeProgram("second")
	wrong.runs(3, fails)
	right.runs(2)
	right.says("Applied")
	p.eventuallyClass(func(of *v1alpha1.EnvironmentClass) bool {
		rolled := meta.FindStatusCondition(of.Status.Conditions, v1alpha1.ConditionRolledOut)
		return rolled.Message == "1 of 2 are Ready on the newest revision, and "+wrong.of.String()+" fails as before it."
	})
	assert.Equal(t, []string{wrong.of.String()}, p.readClass().Status.Failing)

	t.Run("but one that was Ready in between does", func(t *testing.T) {
		wrong.set(map[string]any{"image": "shop:2"})
		wrong.runs(4)
		wrong.says("Applied")
		p.classSays(v1alpha1.ConditionRolledOut, "RolledOut")
		p.changeProgram("third")
		wrong.runs(5, fails)
		assert.Contains(t, p.classSays(v1alpha1.ConditionRolledOut, "Stopped"), wrong.of.String()+" fails on the newest revision")
		assert.EqualValues(t, 1, p.readClass().Status.Updated)
	})
}

func TestAChangeOfAClassComesInWaves(t *testing.T) { // [X62]
	p := newPlatform(t, func(spec *v1alpha1.EnvironmentClassSpec) {
		spec.Rollout = v1alpha1.Rollout{MaxUnavailable: new(int32(2)), First: &metav1.LabelSelector{MatchLabels: map[string]string{"ring": "canary"}}}
		spec.Template.Retry.Limit = new(int32(0))
	})
	before := p.served()
	team := p.tenant(nil)
	all := make([]*instance, 20)
	for i := range all {
		var ring map[string]string
		if i == 11 {
			ring = map[string]string{"ring": "canary"}
		}
		all[i] = p.new(team, fmt.Sprintf("shop-%02d", i), map[string]any{"image": "shop:1"}, ring)
	}
	for _, one := range all {
		one.runs(1)
	}
	for _, one := range all {
		one.says("Applied")
	}
	assert.Contains(t, p.classSays(v1alpha1.ConditionRolledOut, "RolledOut"), "20 of 20 are Ready")

	// bounded waits for the next wave, which is never larger than it may be.
	bounded := func(revision string, ready int) []*instance {
		t.Helper()
		require.Eventually(t, func() bool {
			now := len(on(all, revision))
			require.LessOrEqual(t, now, ready+2)
			return now > ready
		}, eventually, moment)
		return on(all, revision)
	}
	after := p.changeProgram("second")

	canary := bounded(after, 0)
	require.Len(t, canary, 1, "the canary is alone")
	assert.Equal(t, "shop-11", canary[0].of.Name)
	assert.Contains(t, p.classSays(v1alpha1.ConditionRolledOut, "Progressing"), "19 wait for those that come first")
	canary[0].runs(2)
	canary[0].says("Applied")
	p.eventuallyClass(func(of *v1alpha1.EnvironmentClass) bool { return of.Status.Updated == 3 })
	wave := on(all, after)
	assert.Len(t, wave, 3)

	t.Run("and stops where the third fails", func(t *testing.T) {
		wave[0].runs(2)
		wave[0].says("Applied")
		failing := wave[1]
		failing.runs(2, fails)
		message := p.classSays(v1alpha1.ConditionRolledOut, "Stopped")
		assert.Contains(t, message, failing.of.String()+" fails on the newest revision")
		assert.Contains(t, p.readClass().Status.Failing, failing.of.String())
		assert.LessOrEqual(t, len(on(all, after)), 4)

		t.Run("while those that wait change as their tenants say, on their revision", func(t *testing.T) {
			waiting := on(all, before)[0]
			waiting.set(map[string]any{"image": "shop:2"})
			waiting.runs(2)
			waiting.says("Applied")
			assert.Equal(t, before, waiting.read().Annotations[v1alpha1.AnnotationRevision])
		})
	})
	t.Run("and goes on with another revision, to the end", func(t *testing.T) {
		last := p.changeProgram("third")
		done := map[string]bool{}
		for len(done) < len(all) {
			wave := bounded(last, len(done))
			for _, one := range wave {
				if done[one.of.Name] {
					continue
				}
				done[one.of.Name] = true
				one.settle()
			}
		}
		assert.Contains(t, p.classSays(v1alpha1.ConditionRolledOut, "RolledOut"), "20 of 20 are Ready")
		for _, old := range []string{before, after} {
			require.Eventually(t, func() bool {
				return p.isGone(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: old}})
			}, eventually, moment, "revisions that nobody is on are gone")
		}
		require.NoError(t, p.Get(t.Context(), client.ObjectKey{Namespace: p.namespace, Name: last}, &corev1.ConfigMap{}))
	})
}

// With approval Manual, an Environment whose plan waits counts as under way, and the next one begins when it is approved and Ready.
func TestTheWavesOfAClassWaitForApprovals(t *testing.T) { // [X62]
	p := newPlatform(t, func(spec *v1alpha1.EnvironmentClassSpec) {
		spec.Rollout = v1alpha1.Rollout{MaxUnavailable: new(int32(2))}
		spec.Template.Approval = v1alpha1.ApprovalManual
	})
	p.served()
	team := p.tenant(nil)
	// approved does what a run with a plan does that a person approves.
	approved := func(one *instance, serial int64, plan string) {
		t.Helper()
		one.runs(serial, planned(plan))
		one.says("WaitingForApproval")
		environment := one.read()
		one.environmentIs(func(e *v1alpha1.Environment) bool {
			return e.Status.PendingPlan != nil && e.Status.PendingPlan.Hash == plan
		})
		patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, v1alpha1.AnnotationApprove, plan)
		require.NoError(t, p.Patch(t.Context(), environment, client.RawPatch(types.MergePatchType, []byte(patch))))
		one.runs(serial + 1)
		one.says("Applied")
	}
	all := make([]*instance, 4)
	for i := range all {
		all[i] = p.new(team, fmt.Sprintf("shop-%d", i), map[string]any{"image": "shop:1"}, nil)
		approved(all[i], 1, fmt.Sprint("first-", i))
	}
	p.classSays(v1alpha1.ConditionRolledOut, "RolledOut")

	after := p.changeProgram("second")
	p.eventuallyClass(func(of *v1alpha1.EnvironmentClass) bool { return of.Status.Updated == 2 })
	wave := on(all, after)
	require.Len(t, wave, 2)
	wave[1].runs(3, planned("second-1"))
	wave[1].says("WaitingForApproval")
	approved(wave[0], 3, "second-0")
	p.eventuallyClass(func(of *v1alpha1.EnvironmentClass) bool { return of.Status.Updated == 3 })
	assert.Len(t, on(all, after), 3, "the one that waits is still under way")
	assert.Contains(t, p.classSays(v1alpha1.ConditionRolledOut, "Progressing"), "1 of 4 are Ready")
}
