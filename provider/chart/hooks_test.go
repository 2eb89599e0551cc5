package chart

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/chart"
)

// hookOf is a hook of a kind that is there since an install.
func hookOf(kind, name string, weight int, when since, events, policies []string) hook {
	apiVersion := map[string]string{"Job": "batch/v1", "Role": "rbac.authorization.k8s.io/v1"}[kind]
	if apiVersion == "" {
		apiVersion = "v1"
	}
	object := map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{"name": name}}
	return hook{
		Hook: chart.Hook{Document: chart.Document{Object: object}, Events: events, Weight: weight, DeletePolicies: policies},
		key:  kind + "." + name, object: kind + "." + name, since: map[stage]since{beforeObjects: when, afterObjects: when},
	}
}

func TestHooksRunByWeightThenNameThenKind(t *testing.T) { // [H6]
	assert.Equal(t, []string{"Job.z", "ServiceAccount.a", "Job.a", "Job.b"}, keys(order([]hook{
		hookOf("Job", "b", 1, atInstall, []string{preInstall}, nil),
		hookOf("Job", "a", 1, atInstall, []string{preInstall}, nil),
		hookOf("ServiceAccount", "a", 1, atInstall, []string{preInstall}, nil),
		hookOf("Job", "z", -5, atInstall, []string{preInstall}, nil),
	})))
}

func TestWhenAHookRuns(t *testing.T) { // [H6]
	for name, c := range map[string]struct {
		since  since
		events []string
		want   []string
	}{
		"one of installs runs when the release is installed":                     {atInstall, []string{preInstall}, []string{onCreate}},
		"one of upgrades runs when the release has changed":                      {atInstall, []string{preUpgrade}, []string{onUpdate}},
		"one of both runs at both":                                               {atInstall, []string{preInstall, preUpgrade}, []string{onCreate, onUpdate}},
		"one of a phase after the objects does not run before them":              {atInstall, []string{postInstall, postUpgrade}, nil},
		"one of installs in a later version of the chart never runs":             {atUpgrade, []string{preInstall}, nil},
		"one of upgrades in a later version runs at once, and after each change": {atUpgrade, []string{preUpgrade}, []string{onCreate, onUpdate}},
		"one of installs does not run in a release that was taken over":          {atAdoption, []string{preInstall}, nil},
		"one of both runs there at the first upgrade [H12]":                      {atAdoption, []string{preInstall, preUpgrade}, []string{onUpdate}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, hookOf("Job", "a", 0, c.since, c.events, nil).runsOn(beforeObjects))
		})
	}
}

func TestWhatBecomesOfHooksThatDoNotRun(t *testing.T) { // [H6]
	both := []string{preInstall, preUpgrade}
	gone := []string{hookSucceeded}
	account := hookOf("ServiceAccount", "a", -1, atInstall, both, gone)
	settings := hookOf("ConfigMap", "settings", -1, atInstall, []string{preInstall}, nil)
	late := hookOf("Role", "late", 5, atInstall, both, gone)
	upgrade := hookOf("ConfigMap", "upgrade", -1, atInstall, []string{preUpgrade}, nil)
	after := hookOf("Role", "after", -1, atInstall, []string{postInstall}, gone)
	job := hookOf("Job", "job", 0, atInstall, both, nil)
	all := []hook{job, late, settings, account, upgrade, after}

	assert.Equal(t, []string{"ServiceAccount.a", "ConfigMap.upgrade"}, keys(job.with(all, beforeObjects)), "what goes after the phase is there for the run alone, if it comes before it")
	assert.True(t, settings.isKept(), "what nothing deletes stays")
	assert.True(t, settings.isOnce(), "and is not updated")
	assert.False(t, hookOf("ConfigMap", "settings", 0, atInstall, both, nil).isOnce(), "unless it is a hook of upgrades, too")
	assert.False(t, upgrade.isKept(), "an install does not make hooks of upgrades")
	assert.False(t, hookOf("ConfigMap", "settings", 0, atUpgrade, []string{preInstall}, nil).isKept(), "nor an upgrade those of installs")
	assert.True(t, hookOf("ConfigMap", "settings", 0, atUpgrade, both, nil).isKept(), "but those that a later version has for upgrades, too")
	left := hookOf("ConfigMap", "left", -1, atAdoption, []string{preInstall}, nil)
	assert.False(t, left.isKept(), "what Helm's install has left is Helm's [H12]")
	assert.Empty(t, hookOf("Job", "job", 0, atAdoption, both, nil).with([]hook{left}, beforeObjects), "and not made for a run")
	assert.False(t, job.isKept())
}

func TestWhatHooksOfAnEventShare(t *testing.T) { // [D93]
	once, both := []string{preInstall}, []string{preInstall, preUpgrade}
	gone := []string{hookSucceeded}
	claim := hookOf("PersistentVolumeClaim", "claim", -5, atInstall, both, gone)
	late := hookOf("Role", "late", 2, atInstall, once, gone)
	first := hookOf("Job", "first", 1, atInstall, both, nil)
	second := hookOf("Job", "second", 3, atInstall, once, nil)
	third := hookOf("Job", "third", 4, atInstall, both, nil)
	all := []hook{third, second, late, claim, first}
	for name, c := range map[string]struct {
		h           hook
		what        happening
		found, left []int
	}{
		"the first hook leaves it":                      {first, installs, nil, []int{0}},
		"the next one finds and leaves it":              {second, installs, []int{0}, []int{0, 1}},
		"the last one finds it":                         {third, installs, []int{0, 1}, nil},
		"one that is not of the event":                  {second, upgrades, []int{0}, []int{0, 1}},
		"the last one of an upgrade":                    {third, upgrades, []int{0}, nil},
		"no event is open: in another cluster, install": {first, nothing, nil, []int{0}},
	} {
		t.Run(name, func(t *testing.T) {
			found, left := c.h.shares(all, c.what, beforeObjects)
			assert.Equal(t, c.found, found)
			assert.Equal(t, c.left, left)
		})
	}
}

func TestTheStepsOfADeletion(t *testing.T) { // [H7]
	deletes := []string{preDelete}
	all := []hook{
		hookOf("Job", "second", 2, atInstall, deletes, nil), hookOf("Job", "first", 1, atInstall, deletes, []string{hookSucceeded, hookFailed}),
		hookOf("Job", "other", 0, atInstall, []string{postDelete}, nil), hookOf("ConfigMap", "kept", 0, atInstall, []string{preInstall, preDelete}, nil),
	}
	assert.Equal(t, []string{"Job.first", "Job.second"}, keys(steps(all, preDelete)), "what is there as an object is no step")
	assert.Equal(t, []string{"succeeded", "failed"}, all[1].deleteAfter())
	assert.Equal(t, []string{"Job.other"}, keys(steps(all, postDelete)))
}
