package rpc_test

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestAnUpdateThatIsRefusedLeavesWhatOthersOwn is about updates that change who owns what before they apply, are refused, and are
// given up by the program.
func TestAnUpdateThatIsRefusedLeavesWhatOthersOwn(t *testing.T) {
	t.Parallel()
	refuseApplies := func(g *gateway) {
		g.always(isRealApply, refuse(http.StatusForbidden, metav1.StatusReasonForbidden, "not on Fridays"))
	}
	for name, test := range map[string]struct{ first, theirs, second, live, more m }{
		"a takeover of what the program had left to another": {m{"a": "1"}, m{"b": "1"}, m{"a": "2"}, m{"a": "1", "b": "1"}, takingOver("intern")},
		"a takeover of what the program sets now":            {m{"a": "1"}, m{"b": "9", "c": "9"}, m{"a": "2", "b": "2"}, m{"a": "1", "b": "9", "c": "9"}, takingOver("intern")},
		"a field that is ignored now":                        {m{"a": "1", "b": "1"}, nil, m{"a": "2", "b": "1"}, m{"a": "1", "b": "1"}, ignoring("data.b")},
	} {
		t.Run(name+" [O87]", func(t *testing.T) {
			t.Parallel()
			w, g := newWorld(t), newGateway(t)
			before := program(w.configMap("web", test.first))
			s := start(t, g.connection()).resource(t, "web").mustUp("create", before)
			if test.theirs != nil {
				w.apply("intern", w.configMap("web", test.theirs))
			}
			was := w.get("ConfigMap", "web")
			refuseApplies(g)
			_, err := s.in(s.process.again(t)).up(program(w.configMap("web", test.second), test.more))
			require.ErrorContains(t, err, "not on Fridays")
			g.heal()
			assert.ElementsMatch(t, fieldsOf(was), fieldsOf(w.get("ConfigMap", "web")), "each owns what it owned")
			s.in(s.process.again(t)).mustUp("same", before)
			assert.Equal(t, map[string]any(test.live), w.value("ConfigMap", "web", "data"))
		})
	}
	t.Run("an adoption [O83]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		theirs := w.configMap("web", m{"a": "1", "b": "1"})
		theirs["metadata"].(m)["annotations"] = m{
			"kubectl.kubernetes.io/last-applied-configuration": `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"web"},"data":{"a":"1","b":"1"}}`,
		}
		w.create(theirs)
		was := w.get("ConfigMap", "web")
		refuseApplies(g)
		s := start(t, g.connection()).resource(t, "web")
		_, err := s.up(program(w.configMap("web", m{"a": "2"}), adopting))
		require.Error(t, err)
		g.heal()
		assert.ElementsMatch(t, fieldsOf(was), fieldsOf(w.get("ConfigMap", "web")))
		_, err = s.in(s.process.again(t)).up(program(w.configMap("web", m{"a": "2"})))
		require.ErrorContains(t, err, "already exists", "it is adopted only where the program says so")
		s.in(s.process.again(t)).mustUp("create", program(w.configMap("web", m{"a": "2"}), adopting))
	})
	t.Run("a create whose reply was lost, under another name [O83] [O89]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		before := program(w.configMap("web", m{"a": "1"}))
		s := start(t, g.connection()).resource(t, "web")
		g.next(isRealApply, loseReply)
		requirePending(t, s, s.create(before))
		former, was := s.urn, w.get("ConfigMap", "web")
		s.refresh = false
		s.moved(resource.URN("urn:pulumi:dev::bakery::" + string(objectType) + "::web"))
		var applies atomic.Int64 // the first one finds the object
		g.always(func(r *http.Request) bool { return isRealApply(r) && applies.Add(1) > 1 }, refuse(http.StatusForbidden, metav1.StatusReasonForbidden, "not on Fridays"))
		_, err := s.up(program(w.configMap("web", m{"a": "2"})))
		require.ErrorContains(t, err, "not on Fridays")
		assert.ElementsMatch(t, fieldsOf(was), fieldsOf(w.get("ConfigMap", "web")))
		g.heal()
		s.urn = former
		_, err = s.in(s.process.again(t)).up(before)
		require.NoError(t, err)
		requireSettled(t, s)
		require.NoError(t, s.in(s.process.again(t)).destroy())
		assert.False(t, w.exists("ConfigMap", "web"))
	})
}

// fieldsOf are the entries of managedFields without their times.
func fieldsOf(live *unstructured.Unstructured) (entries []string) {
	for _, entry := range live.GetManagedFields() {
		entries = append(entries, fmt.Sprint(entry.Manager, " ", entry.Operation, " ", entry.FieldsV1))
	}
	return entries
}
