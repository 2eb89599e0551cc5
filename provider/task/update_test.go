package task

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

func TestWhenAnUpdateRuns(t *testing.T) {
	t.Parallel()
	of := func(image property.Value, runOn ...string) inputs {
		properties := map[string]property.Value{keyManifest: property.New(map[string]property.Value{"image": image})}
		var operations []property.Value
		for _, operation := range runOn {
			operations = append(operations, property.New(operation))
		}
		if len(operations) > 0 {
			properties[keyRunOn] = property.New(operations)
		}
		in, err := decodeInputs(property.NewMap(properties))
		require.NoError(t, err)
		return in
	}
	asHook := func(in inputs, e event) inputs {
		in.hook = &hook{release: "shop", event: &e}
		return in
	}
	after := func(s state, operation string) state {
		s.operation = operation
		return s
	}
	in := func(s state, event int) state {
		s.event = event
		return s
	}
	closed := event{number: 2}
	const dropped = "the last run has not succeeded, but what happens to the release does not ask for it"
	same, other, unknown := of(property.New("1")), of(property.New("2")), of(property.New(property.Computed))
	ran := func(unfinished unfinished) state {
		content, err := tracked.Hash("key", same.content)
		require.NoError(t, err)
		return state{life: life{hashKey: "key"}, content: content, unfinished: unfinished, object: reference.Object{
			Identity: manifest.Identity{APIVersion: "batch/v1", Kind: "Job", Namespace: "shop", Name: "migrate-01234567"},
		}}
	}
	for name, c := range map[string]struct {
		in      inputs
		old     state
		moved   bool
		renamed bool
		runs    bool
		goesOn  bool
		drops   bool
		why     string
	}{
		"nothing has changed":                   {in: same, old: ran("")},
		"the content has changed":               {in: other, old: ran(""), runs: true, why: "what it runs has changed"},
		"the content is not known yet":          {in: unknown, old: ran(""), runs: true, why: "values of it are known only after the apply: manifest.image"},
		"it does not run on updates":            {in: of(property.New("2"), onCreate), old: ran("")},
		"it does not run on updates, but began": {in: of(property.New("1"), onCreate), old: ran(failed), runs: true, why: "the last run has failed"},
		"the last run has failed":               {in: same, old: ran(failed), runs: true, why: "the last run has failed"},
		"it was interrupted": {
			in: same, old: ran(interrupted), runs: true, goesOn: true, why: "it was interrupted, and goes on with Job shop/migrate-01234567",
		},
		"it was interrupted, and has changed": {
			in: other, old: ran(interrupted), runs: true,
			why: "it was interrupted, and what it runs has changed: Job shop/migrate-01234567 is stopped, and another run begins",
		},
		"another cluster":                         {in: same, old: ran(""), moved: true, runs: true, why: "the connection leads to another cluster"},
		"another cluster, and it runs at the end": {in: of(property.New("1"), onDelete), old: ran(""), moved: true},
		"it was for an operation that it does not run on any more": {
			in: of(property.New("1"), onDelete), old: after(ran(failed), onCreate), drops: true,
			why: "the last run has not succeeded, but runOn no longer asks for it",
		},
		"it was for the first of two": {in: same, old: after(ran(failed), onCreate), runs: true, why: "the last run has failed"},
		"it was for the end of an older state": {
			in: of(property.New("1"), onDelete), old: ran(failed), drops: true, why: "the last run has not succeeded, but runOn no longer asks for it",
		},
		"it was for a create, and now runs on updates": {
			in: of(property.New("2"), onUpdate), old: after(ran(failed), onCreate), runs: true, why: "what it runs has changed",
		},
		"another cluster, of an upgrade hook": {in: asHook(of(property.New("1"), onUpdate), closed), old: ran(""), moved: true},
		"another cluster, of an install hook": {
			in: asHook(of(property.New("1"), onCreate), closed), old: ran(""), moved: true, runs: true, why: "the connection leads to another cluster",
		},
		"a hook whose run in another cluster has failed": {in: asHook(of(property.New("1"), onCreate), closed), old: after(ran(failed), onMove), runs: true, why: "the last run has failed"},
		"such a hook, in a release that is upgraded as well": {
			in: asHook(of(property.New("1"), onCreate), event{number: 2, open: true}), old: after(ran(failed), onMove), runs: true, why: "the last run has failed",
		},
		"a hook outside of all events":                           {in: asHook(other, closed), old: ran("")},
		"a hook of the event":                                    {in: asHook(other, event{number: 2, open: true, runs: true}), old: in(ran(""), 1), runs: true, why: "the release has changed"},
		"a hook of the event, whose content has not changed":     {in: asHook(same, event{number: 2, open: true, runs: true}), old: in(ran(""), 1), runs: true, why: "the upgrade of the release has begun, and not come to its end"},
		"a hook of the event, in a release with another name":    {in: asHook(same, event{number: 2, open: true, runs: true}), old: in(ran(""), 1), renamed: true, runs: true, why: "the release has another name or namespace, so it is installed"},
		"a hook that has succeeded in the event":                 {in: asHook(other, event{number: 2, open: true, runs: true}), old: in(ran(""), 2)},
		"a hook that has failed in the event":                    {in: asHook(same, event{number: 2, open: true, runs: true}), old: in(ran(failed), 2), runs: true, why: "the last run has failed"},
		"a hook of another event":                                {in: asHook(other, event{number: 2, open: true}), old: in(ran(""), 1)},
		"a hook that has failed, and is one of another event":    {in: asHook(other, event{number: 2, open: true}), old: in(ran(failed), 2), drops: true, why: dropped},
		"a hook that has failed, and whose event is over":        {in: asHook(same, closed), old: after(ran(failed), onCreate), drops: true, why: dropped},
		"a hook of an install that an older version has begun":   {in: asHook(other, event{open: true, runs: true}), old: ran("")},
		"a hook that has no run in such an install":              {in: asHook(of(property.New("1"), onCreate), event{open: true, runs: true}), old: state{life: life{hashKey: "key"}}, runs: true, why: "it is new"},
		"a hook, after an older version":                         {in: asHook(other, event{unsure: true}), old: ran(""), runs: true, why: "what it runs has changed"},
		"a hook that is the same, after an older version":        {in: asHook(same, event{unsure: true}), old: ran("")},
		"a hook that has failed, in an older version":            {in: asHook(same, event{unsure: true}), old: ran(failed), runs: true, why: "the last run has failed"},
		"a hook that is the same, in the first upgrade after it": {in: asHook(same, event{number: 1, open: true, runs: true, unsure: true}), old: ran("")},
		"a hook whose event is not known yet":                    {in: asHook(unknown, event{unknown: true}), old: ran(""), runs: true, why: "values of it are known only after the apply: manifest.image"},
		"another release, while it was interrupted": {
			in: asHook(of(property.New("1"), onUpdate), event{number: 2, open: true, runs: true}), old: ran(interrupted), renamed: true, runs: true, goesOn: true,
			why: "it was interrupted, and goes on with Job shop/migrate-01234567",
		},
		"it does not run on updates, and is not known":  {in: of(property.New(property.Computed), onCreate), old: ran("")},
		"it runs on updates alone, and has not changed": {in: of(property.New("1"), onUpdate), old: ran("")},
		"it runs on updates alone, and has changed":     {in: of(property.New("2"), onUpdate), old: ran(""), runs: true, why: "what it runs has changed"},
		"another cluster, while it was interrupted":     {in: same, old: ran(interrupted), moved: true, runs: true, why: "the connection leads to another cluster"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := c.in.decide(c.old, change{moved: c.moved, renamed: c.renamed})
			require.NoError(t, err)
			assert.Equal(t, c.runs, d.runs)
			assert.Equal(t, c.goesOn, d.goesOn)
			assert.Equal(t, c.drops, d.drops)
			if c.runs || c.drops {
				assert.Equal(t, c.why, d.why)
			}
		})
	}
}

func TestAStateIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]state{
		"before the first run": {life: life{hashKey: "key"}, content: "digest"},
		"after a run": {
			number: 3, event: 2, life: life{hashKey: "key"}, content: "digest", stays: true,
			object: reference.Object{Identity: manifest.Identity{APIVersion: "batch/v1", Kind: "Job", Namespace: "shop", Name: "migrate"}, UID: "uid"},
			name:   "migrate-01234567", manager: "k8sconnect-shop.dev.migrate-01234567",
			result: result{
				known: true, succeeded: true, startedAt: "2026-01-02T15:04:05Z", completedAt: "2026-01-02T15:05:05Z", attempts: 2, log: "a\nb",
				exitCodes: map[string]int32{"main": 0}, messages: map[string]string{"main": "done"},
			},
		},
		"after one that has left something for others": {
			event: 2, life: life{hashKey: "key"}, content: "digest",
			with: []needed{{
				object:  map[string]any{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": map[string]any{"name": "runner"}},
				madeFor: "event-2-01234567",
			}},
			object: reference.Object{Identity: manifest.Identity{APIVersion: "batch/v1", Kind: "Job", Namespace: "shop", Name: "migrate"}, UID: "uid"},
			name:   "migrate-01234567",
			result: result{known: true, succeeded: true},
		},
		"after one that has failed, with secrets": {
			life: life{hashKey: "key"}, content: "digest", unfinished: failed, operation: onCreate, secret: true,
			with: []needed{{
				object:  map[string]any{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": map[string]any{"name": "smoke", "namespace": "shop"}},
				madeFor: "smoke-01234567", found: true,
			}},
			object: reference.Object{Identity: manifest.Identity{APIVersion: "v1", Kind: "Pod", Namespace: "shop", Name: "smoke-01234567"}},
			name:   "smoke-01234567",
			result: result{known: true, exitCodes: map[string]int32{"main": 3}, messages: map[string]string{}, attempts: 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if s.result.exitCodes == nil {
				s.result.exitCodes, s.result.messages = map[string]int32{}, map[string]string{}
			}
			assert.Equal(t, s, decodeState(s.encode()))
			if s.secret {
				assert.True(t, s.encode().Get(keyLog).Secret())
				assert.True(t, s.encode().Get(keyMessages).Secret())
			}
		})
	}
}
