package chart

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/chart"
)

func TestSinceWhenAReleaseHasAHook(t *testing.T) { // [H6] [H12]
	t.Parallel()
	job := hookOf("Job", "migrate", 0, "", []string{preInstall, preUpgrade}, nil)
	settings := hookOf("ConfigMap", "settings", 0, "", []string{preInstall}, nil)
	remembered := map[string]since{job.key: atInstall, settings.key: atInstall}
	for name, c := range map[string]struct {
		memory memory
		adopt  bool
		want   since
		of     hook
	}{
		"a new release":                                     {of: job, want: atInstall},
		"a release that is taken over":                      {of: job, adopt: true, want: atAdoption},
		"a later version":                                   {of: job, memory: memory{HashKey: "k"}, want: atUpgrade},
		"a later version of what was taken over":            {of: job, memory: memory{HashKey: "k", Adopted: true}, adopt: true, want: atUpgrade},
		"the repaired chart of an install that has failed":  {of: job, memory: memory{HashKey: "k", Installing: true}, want: atInstall},
		"one that is remembered":                            {of: job, memory: memory{HashKey: "k", Hooks: remembered, Tasks: []string{job.key}}, want: atInstall},
		"one that was in another stage":                     {of: job, memory: memory{HashKey: "k", Hooks: remembered, Tasks: []string{job.key + afterSuffix}}, want: atUpgrade},
		"one that was skipped meanwhile":                    {of: job, memory: memory{HashKey: "k", Hooks: remembered}, want: atUpgrade},
		"one that was skipped before the install has ended": {of: job, memory: memory{HashKey: "k", Hooks: remembered, Installing: true}, want: atInstall},
		"one of a later version, in another namespace":      {of: job, memory: memory{HashKey: "k", Hooks: map[string]since{job.key: atUpgrade}, Tasks: []string{job.key}, Name: "shop", Namespace: "test"}, want: atInstall},
		"one of a later version, under another name":        {of: job, memory: memory{HashKey: "k", Name: "web", Namespace: "prod"}, want: atInstall},
		"one of a later version, in the same place":         {of: job, memory: memory{HashKey: "k", Name: "shop", Namespace: "prod"}, want: atUpgrade},
		"one of a later version, back from a failed move": {of: job, want: atUpgrade, memory: memory{
			HashKey: "k", Name: "shop", Namespace: "test", Installing: true, Left: &left{Name: "shop", Namespace: "prod"},
		}},
		"one of the install, back from a failed move": {of: job, want: atInstall, memory: memory{
			HashKey: "k", Name: "shop", Namespace: "test", Installing: true, Tasks: []string{job.key}, Left: &left{Name: "shop", Namespace: "prod", Hooks: remembered},
		}},
		"one that was taken over, in another namespace":    {of: job, memory: memory{HashKey: "k", Adopted: true, Namespace: "test"}, adopt: true, want: atUpgrade},
		"one that does not run, and was skipped meanwhile": {of: settings, memory: memory{HashKey: "k", Hooks: remembered}, want: atInstall},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, c.memory.at(chart.Release{Name: "shop", Namespace: "prod"}, c.adopt).since(c.of, beforeObjects, c.adopt))
		})
	}
}
