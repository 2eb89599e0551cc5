package controller_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// eventsAbout are those of an object, by their reasons.
func (p *place) eventsAbout(namespace string, uid types.UID) map[string][]eventsv1.Event {
	p.Helper()
	var all eventsv1.EventList
	require.NoError(p, p.List(p.Context(), &all, client.InNamespace(namespace)))
	about := map[string][]eventsv1.Event{}
	for _, event := range all.Items {
		if event.Regarding.UID == uid {
			about[event.Reason] = append(about[event.Reason], event)
		}
	}
	return about
}

func TestWhatATenantHearsOf(t *testing.T) { // [X59]
	p := newPlatform(t, func(spec *v1alpha1.EnvironmentClassSpec) { spec.Template.Retry.Limit = new(int32(0)) })
	p.served()
	team := p.tenant(nil)
	shop := p.new(team, "shop", map[string]any{"image": "shop:1"}, nil)
	hears := func(reason, kind string) string {
		t.Helper()
		var heard []eventsv1.Event
		require.Eventually(t, func() bool {
			heard = p.eventsAbout(team, shop.readInstance().GetUID())[reason]
			return len(heard) > 0
		}, eventually, moment, "the tenant hears "+reason)
		assert.Len(t, heard, 1)
		assert.Equal(t, kind, heard[0].Type)
		assert.Equal(t, p.class.Spec.Kind.Kind, heard[0].Regarding.Kind)
		return heard[0].Note
	}
	shop.runs(1, func(head *state.Head) { head.Record.Summary = v1alpha1.Summary{"create": 2} })
	shop.says("Applied")
	assert.Equal(t, "Run 1: 2 create.", hears("UpdateSucceeded", "Normal"))
	shop.set(map[string]any{"image": "nothing"})
	shop.runs(2, fails)
	shop.says("UpdateFailed")
	assert.Equal(t, "no quota", hears("UpdateFailed", "Warning"))
	assert.Empty(t, p.eventsAbout(team, shop.readInstance().GetUID())["UpdateStarted"], "which Job that is, is nothing to a tenant")
	of := p.eventsAbout(p.namespace, shop.read().UID)
	assert.Len(t, of["UpdateSucceeded"], 1, "nor are there two for the platform team")
	assert.Len(t, of["UpdateStarted"], 2)

	stalled := meta.FindStatusCondition(shop.status().Conditions, v1alpha1.ConditionStalled)
	require.NotNil(t, stalled)
	assert.Equal(t, "1 attempt failed, see the condition Ready. Change spec of the "+p.class.Spec.Kind.Kind+" "+team+"/shop, or let the platform team change its class, "+
		"or try the same once more: kubectl annotate --overwrite --namespace "+team+" "+p.class.DefinitionName()[:len(p.class.Spec.Kind.Plural)-1]+
		` shop platform.example.com/retry="$(date)"`, stalled.Message)

	t.Run("but an Environment that only says that it is of an object does not speak to it", func(t *testing.T) {
		forged := p.and("forged")
		environment := forged.environmentOf()
		environment.Labels, environment.Annotations = shop.read().Labels, shop.read().Annotations
		require.NoError(t, p.Create(t.Context(), environment))
		forged.runs(1)
		forged.becomes("Applied")
		require.Eventually(t, func() bool { return len(p.eventsAbout(p.namespace, forged.read().UID)["UpdateSucceeded"]) == 1 }, eventually, moment)
		assert.Len(t, p.eventsAbout(team, shop.readInstance().GetUID())["UpdateSucceeded"], 1)
	})
}

func TestATenantWithManyObjectsDoesNotHoldUpAnother(t *testing.T) { // [X48] [X60]
	p := newPlatform(t)
	p.served()
	team, other := p.tenant(nil), p.tenant(nil)
	image := map[string]any{"image": "shop:1"}
	var running []*instance
	for i := range runsAtOnce {
		running = append(running, p.new(team, fmt.Sprintf("shop-%d", i), image, nil))
	}
	for _, one := range running {
		one.job(1)
	}
	next := p.new(team, "next", image, nil)
	next.says("Queued")
	first := p.new(other, "first", image, nil)
	first.says("Queued")
	running[0].runs(1)
	first.job(1)
	next.says("Queued")
	first.runs(1)
	next.job(1)
}
