package rpc_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// ruledWith is the schema of ruled with another field mode.
func ruledWith(mode string) string {
	return strings.Replace(ruled, "mode: {type: string, default: fast}", mode, 1)
}

// redefine changes a definition.
func (w world) redefine(definition map[string]any) {
	w.t.Helper()
	body, err := json.Marshal(m{"spec": m{"versions": definition["spec"].(m)["versions"]}})
	require.NoError(w.t, err)
	_, err = w.client.Resource(definitions).Patch(w.t.Context(), name(definition), types.MergePatchType, body, metav1.PatchOptions{})
	require.NoError(w.t, err)
}

// rules are those of the policy in the cluster.
func (w world) rules() []any {
	w.t.Helper()
	live, err := w.client.Resource(customKind(w.group(), "Policy")).Namespace(w.namespace).Get(w.t.Context(), "it", metav1.GetOptions{})
	require.NoError(w.t, err)
	rules, _, err := unstructured.NestedSlice(live.Object, "spec", "rules")
	require.NoError(w.t, err)
	return rules
}

// gains changes the definition of policies, and waits until the rules have this mode.
func (w world) gains(t *testing.T, mode string, want any) {
	t.Helper()
	w.redefine(definitionOf(t, w.group(), "Policy", ruledWith(mode)))
	eventually(t, func() bool { return assert.ObjectsAreEqual(want, w.rules()[0].(m)["mode"]) }, "the API server uses the new definition")
}

// newPlain defines policies with this schema of the mode, which may be empty.
func newPlain(t *testing.T, mode string) world {
	t.Helper()
	w := newWorld(t)
	w.define(definitionOf(t, w.group(), "Policy", ruledWith(mode)))
	w.served(w.group(), "Policy")
	return w
}

// nextSecond waits until the API server gives a write another time than those before.
func nextSecond(t *testing.T) {
	t.Helper()
	before := time.Now().Unix()
	eventually(t, func() bool { return time.Now().Unix() > before }, "the clock goes on")
}

// A value that only the API server has changed, by a default in a list that is replaced as a whole, is no drift.
func TestADefaultThatADefinitionGainsIsNoDrift(t *testing.T) {
	t.Parallel()
	const rules = `[{name: a, weight: 1}, {name: b, weight: 2}]`
	all := setters()
	all["jsonPatch"] = func(t *testing.T, w world, p *process, made map[string]any) (*session, func(map[string]any) resource.PropertyMap) {
		w.applyCustom("owner", made)
		return patchIn(t, p, "it"), func(object map[string]any) resource.PropertyMap { return settingRules(made, object) }
	}
	for form, begin := range all {
		t.Run(form+" [D106]", func(t *testing.T) {
			t.Parallel()
			w := newPlain(t, "")
			s, program := begin(t, w, start(t, inline(newUser(t))), w.ruledBy(t, `[{name: z}]`))
			in := program(w.ruledBy(t, rules))
			s.mustUp("create", in)
			version := w.generation()
			for _, mode := range []string{"fast", "slow"} {
				w.gains(t, "mode: {type: string, default: "+mode+"}", mode)
				s.in(s.process.again(t))
				assert.Empty(t, drifted(s, in))
				assert.NotEmpty(t, readableIn(s.outputs, mode), "no run of ours has written it")
				s.mustUp("same", in)
				assert.Empty(t, s.warned())
			}
			w.gains(t, "mode: {type: string}", nil)
			assert.Empty(t, drifted(s, in), "the default is gone")
			s.mustUp("same", in)
			assert.Equal(t, version, w.generation(), "nothing was written")
		})
		t.Run(form+": a value of others is", func(t *testing.T) {
			t.Parallel()
			w := newPlain(t, "mode: {type: string}")
			s, program := begin(t, w, start(t, inline(newUser(t))), w.ruledBy(t, `[{name: z}]`))
			in := program(w.ruledBy(t, rules))
			s.mustUp("create", in)
			w.applyCustom("intern", w.ruledBy(t, `[{name: a, weight: 1, mode: fast}, {name: b, weight: 2}]`))
			assert.NotEmpty(t, drifted(s, in))
			s.mustUp("update", in).mustUp("same", in)
			assert.Nil(t, w.rules()[0].(m)["mode"])
		})
		t.Run(form+": one of a run that was lost is, and hidden", func(t *testing.T) {
			t.Parallel()
			w := newPlain(t, "mode: {type: string}")
			s, program := begin(t, w, start(t, inline(newUser(t))), w.ruledBy(t, `[{name: z}]`))
			in := program(w.ruledBy(t, rules))
			s.mustUp("create", in)
			nextSecond(t)
			saved := s.stored
			s.mustUp("update", program(w.ruledBy(t, `[{name: a, weight: 1, mode: hunter2}, {name: b, weight: 2}]`)))
			s.stored = saved
			s.in(s.process.again(t))
			assert.NotEmpty(t, drifted(s, in))
			assert.Empty(t, readableIn(s.outputs, "hunter2"), "nothing says whether the lost program had it as a secret")
			s.mustUp("update", in).mustUp("same", in)
			assert.Nil(t, w.rules()[0].(m)["mode"])
		})
	}
}

// generation is that of the policy in the cluster, which each write of its rules changes.
func (w world) generation() int64 {
	w.t.Helper()
	live, err := w.client.Resource(customKind(w.group(), "Policy")).Namespace(w.namespace).Get(w.t.Context(), "it", metav1.GetOptions{})
	require.NoError(w.t, err)
	return live.GetGeneration()
}

// An item that a JSON patch has added to such a list is not gone because the API server has added a default to it.
func TestADefaultThatADefinitionGainsDoesNotHideAnAddedItem(t *testing.T) {
	t.Parallel()
	w := newPlain(t, "")
	made := w.ruledBy(t, `[{name: z}]`)
	w.applyCustom("owner", made)
	in := patching(made, m{"jsonPatch": []any{m{"op": "add", "path": "/spec/rules/-", "value": m{"weight": 5}}}})
	s := patchIn(t, start(t, inline(newUser(t))), "it").mustUp("create", in)
	for _, mode := range []string{"fast", "slow"} {
		w.gains(t, "mode: {type: string, default: "+mode+"}", mode)
		s.in(s.process.again(t))
		assert.Empty(t, drifted(s, in), "[D106]")
		s.mustUp("same", in)
		assert.Len(t, w.rules(), 2)
	}
	w.applyCustom("owner", made)
	assert.NotEmpty(t, drifted(s, in), "an item that its owner drops is gone")
	s.mustUp("update", in)
	assert.Len(t, w.rules(), 2)
	s.mustUp("same", in)
}
