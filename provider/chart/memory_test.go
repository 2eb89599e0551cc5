package chart

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/chart"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
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
			c.memory.adopt = c.adopt
			assert.Equal(t, c.want, c.memory.at(chart.Release{Name: "shop", Namespace: "prod"}).since(c.of, beforeObjects))
		})
	}
}

func TestTheMemoryIsWrittenInTheOrderOfEarlierVersions(t *testing.T) { // [D100]
	t.Parallel()
	m := memory{
		HashKey: "k", Namespace: "prod", Name: "shop", Draws: draws.Values{}, Own: []string{"o"}, LooksUp: true, Hooks: map[string]since{"h": atInstall},
		Tasks: []string{"t"}, Rotated: []string{"r"}, Adopted: true, Installing: true, Left: &left{Namespace: "n", Name: "m"}, Moving: true,
	}
	m.Event, m.Ended, m.Rendered, m.Upgrading, m.Unsure = 3, 2, "digest", true, true
	text, err := m.encode()
	require.NoError(t, err)
	assert.Equal(t, `{"hashKey":"k","namespace":"prod","name":"shop","draws":{"version":2,"values":{}},"own":["o"],"looksUp":true,"hooks":{"h":"install"},"tasks":["t"],"rotated":["r"],`+
		`"adopted":true,"installing":true,"left":{"namespace":"n","name":"m"},"event":3,"ended":2,"rendered":"digest","upgrading":true,"unsure":true,"moving":true}`, text)
	read, err := decodeMemory(text)
	require.NoError(t, err)
	assert.Equal(t, m, read)
}

func TestEventsBeginAndEnd(t *testing.T) { // [D100]
	t.Parallel()
	shop, web := chart.Release{Name: "shop", Namespace: "prod"}, chart.Release{Name: "web", Namespace: "prod"}
	first := memory{}.toward("A")
	assert.Equal(t, installs, first.happens())
	assert.Equal(t, 1, first.Event)
	first.HashKey, first.Installing, first.Name, first.Namespace = "k", true, "shop", "prod"
	repaired := first.toward("B")
	assert.Equal(t, 1, repaired.Event, "an install goes on, also with another chart")
	installed := repaired.atEnd()
	assert.Equal(t, nothing, installed.toward("B").happens())

	upgrade := installed.toward("C")
	assert.Equal(t, upgrades, upgrade.happens())
	assert.Equal(t, 2, upgrade.Event)
	assert.Equal(t, upgrade, upgrade.toward("C"), "it goes on")
	back := upgrade.toward("B")
	assert.Equal(t, upgrades, back.happens(), "nobody knows how much of it was done")
	assert.Equal(t, 3, back.Event)
	assert.Equal(t, 4, back.atEnd().toward("C").Event, "there, back, and there again are three upgrades")

	moving := upgrade.at(web).toward("D")
	assert.Equal(t, installs, moving.happens())
	assert.Equal(t, 3, moving.Event)
	moving.Name = "web"
	again := moving.at(shop).toward("C")
	assert.Equal(t, upgrades, again.happens(), "it was not over when the release moved away")
	assert.Equal(t, 4, again.Event)
	away := installed.at(web).toward("D")
	away.Name = "web"
	assert.Equal(t, nothing, away.at(shop).toward("B").happens(), "it never was away")

	assert.Equal(t, nothing, memory{adopt: true}.toward("A").happens(), "to take a release over is no event")
	older := memory{HashKey: "k"}
	assert.Equal(t, nothing, older.happens())
	assert.True(t, older.isUnsure())
	assert.True(t, older.toward("A").Unsure, "older states do not say what was there before")
	assert.False(t, older.toward("A").toward("B").Unsure)
	assert.Equal(t, 0, memory{HashKey: "k", Installing: true}.toward("A").Event, "what has succeeded in it does not run again")
}
