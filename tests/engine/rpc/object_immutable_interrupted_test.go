package rpc_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The provider was killed after it had created the second half of a replacement, and the program goes back. The state knows
// of no object then, and the engine only creates: what cannot be changed in place is refused. The refusal says whose object
// it is, and the way that deletes nothing by hand works.
func TestAReplacementThatWasKilledAndTakenBackSaysTheWayOut(t *testing.T) {
	t.Parallel()
	for name, more := range map[string]m{"": {}, " and adopts": adopting} {
		t.Run("a ConfigMap that is immutable"+name+"", func(t *testing.T) {
			t.Parallel()
			w, g := newWorld(t), newGateway(t)
			frozen := func(v string) resource.PropertyMap {
				manifest := w.configMap("it", m{"a": v})
				manifest["immutable"] = true
				return program(manifest, more)
			}
			s := start(t, g.connection()).resource(t, "it").mustUp("create", frozen("1"))
			s.in(s.process.again(t))
			g.next(isRealApply, func(_ http.ResponseWriter, r *http.Request, forward func() *httptest.ResponseRecorder) {
				forward()
				g.always(anything, loseRequest)
				s.process.kill()
				<-r.Context().Done()
				panic(http.ErrAbortHandler)
			})
			_, err := s.up(frozen("2"))
			require.Error(t, err)
			s.process.ended()
			g.heal()
			uid := w.value("ConfigMap", "it", "metadata", "uid")
			_, _, previewed := s.in(s.process.again(t)).preview(frozen("1"))
			_, updated := s.in(s.process.again(t)).up(frozen("1"))
			for _, err := range []error{previewed, updated} {
				require.ErrorContains(t, err, "A run of this resource with another program created it (at ")
				require.ErrorContains(t, err, "and was interrupted before the state had it.")
				require.ErrorContains(t, err, "Next: run `pulumi up` once with the program of that run, which continues with the object, and then with this one; "+
					"or, if the object may be deleted, delete it by hand (lost with it: its data)")
				require.NotContains(t, err.Error(), "write what the object has")
			}
			assert.NotContains(t, s.warned(), "It is updated in place")
			assert.Equal(t, uid, w.value("ConfigMap", "it", "metadata", "uid"))

			_, err = s.in(s.process.again(t)).up(frozen("2"))
			require.NoError(t, err)
			assert.Equal(t, uid, w.value("ConfigMap", "it", "metadata", "uid"), "continued")
			s.in(s.process.again(t)).mustUp("replace", frozen("1"))
			assert.Equal(t, m{"a": "1"}, w.value("ConfigMap", "it", "data"))
		})
	}
}
