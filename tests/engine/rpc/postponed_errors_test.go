package rpc_test

import (
	"net/http"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/resource/deploy/deploytest"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
)

// An error that is found while a resource is compared concerns that resource alone.

func TestAnErrorWhileOneIsComparedLeavesTheOthersToBeUpdated(t *testing.T) { // [D113]
	t.Parallel()
	w := newWorld(t)
	p := start(t, inline(newUser(t)))
	fixed := func(v string) resource.PropertyMap {
		return program(with(t, program(w.configMap("fixed", m{"a": v})), "manifest.immutable", true)["manifest"].ObjectValue().Mappable(), onImmutable("fail"))
	}
	other := func(name, v string) resource.PropertyMap { return program(w.configMap(name, m{"a": v})) }
	refused, dependent, first, last := p.resource(t, "fixed"), p.resource(t, "dependent"), p.resource(t, "first"), p.resource(t, "last")
	of := map[resource.PropertyKey][]resource.URN{"manifest": {refused.urn}}
	run := func(kind engine.Kind, v, immutable string, options engine.Options) *engineOperation {
		return newOperation(kind, options, func(o *engineOperation) error {
			for _, register := range []func() error{
				func() error { return o.register(first, other("first", v), nil) },
				func() error { return o.register(refused, fixed(immutable), nil) },
				func() error { return o.register(dependent, other("dependent", v), of) },
				func() error { return o.register(last, other("last", v), nil) },
			} {
				if err := register(); err != nil {
					return err
				}
			}
			return nil
		}, first, refused, dependent, last).run()
	}
	value := func(name string) any { return w.value("ConfigMap", name, "data", "a") }
	require.NoError(t, run(engine.Up, "1", "1", engine.Options{}).err)
	uid, before := w.value("ConfigMap", "fixed", "metadata", "uid"), refused.stored

	for _, options := range []engine.Options{{}, {ContinueOnError: true}} {
		o := run(engine.Preview, "2", "2", options)
		require.Error(t, o.err, "a preview fails")
		require.ErrorContains(t, o.of(refused.urn).cause(), "cannot be changed")
	}
	assert.Equal(t, "1", value("first"))

	o := run(engine.Up, "2", "2", engine.Options{ContinueOnError: true})
	require.Error(t, o.err)
	failed := o.of(refused.urn)
	require.ErrorContains(t, failed.cause(), "cannot be changed")
	require.ErrorContains(t, failed.cause(), "was not touched")
	assert.Equal(t, "update", failed.did())
	assert.True(t, o.of(dependent.urn).isBlocked())
	assert.Equal(t, []any{"2", "1", "1", "2"}, []any{value("first"), value("fixed"), value("dependent"), value("last")})
	assert.Equal(t, uid, w.value("ConfigMap", "fixed", "metadata", "uid"))
	assert.Equal(t, before.inputs, refused.inputs, "the state has what is applied")
	assert.Equal(t, before.id, refused.id)
	assert.Empty(t, refused.initErrors)

	require.Error(t, run(engine.Up, "3", "2", engine.Options{}).err, "it does not go unnoticed in the next command")
	require.NoError(t, run(engine.Up, "3", "1", engine.Options{}).err)
	assert.Equal(t, []any{"3", "1", "3", "3"}, []any{value("first"), value("fixed"), value("dependent"), value("last")})
	assert.Equal(t, uid, w.value("ConfigMap", "fixed", "metadata", "uid"))
}

// What a user asks for with replaceOnChanges begins with deletions, so no error may lead there.
func TestAnErrorWhileOneIsComparedIsNoChangeThatReplaces(t *testing.T) { // [D113]
	t.Parallel()
	replacing := func(s *session, in resource.PropertyMap, continues bool) *watched {
		first := true
		return newOperation(engine.Up, engine.Options{ContinueOnError: continues}, func(o *engineOperation) error {
			_, err := o.monitor.RegisterResource(s.urn.Type(), s.urn.Name(), true, deploytest.ResourceOptions{
				Inputs: in, Provider: o.provider, DeleteBeforeReplace: &first, ReplaceOnChanges: []string{"*"}, SupportsResultReporting: true,
			})
			return err
		}, s).run().resources[0]
	}
	for name, continues := range map[string]bool{"": false, " with --continue-on-error": true} {
		t.Run("of a healthy resource"+name, func(t *testing.T) {
			t.Parallel()
			w, g := newWorld(t), newGateway(t)
			in := program(w.configMap("it", nil))
			s := start(t, g.connection()).resource(t, "it").mustUp("create", in)
			uid := w.value("ConfigMap", "it", "metadata", "uid")
			s.in(start(t, g.connection()))
			g.always(func(r *http.Request) bool { return isGet(r) || isApplyOrTrial(r) }, refuse(403, metav1.StatusReasonForbidden, "not now"))
			did := replacing(s, with(t, in, "manifest.data.a", "2"), continues)
			require.ErrorContains(t, did.cause(), "not now")
			assert.Equal(t, "update", did.did())
			assert.NotContains(t, did.calls, "delete")
			g.heal()
			assert.Equal(t, uid, w.value("ConfigMap", "it", "metadata", "uid"))
			s.in(start(t, g.connection())).mustUp("update", with(t, in, "manifest.data.a", "2"))
			assert.Equal(t, uid, w.value("ConfigMap", "it", "metadata", "uid"))
		})
		t.Run("of one whose last apply is not confirmed"+name, func(t *testing.T) {
			t.Parallel()
			w, g := newWorld(t), newGateway(t)
			in := program(w.configMap("it", nil))
			s := start(t, g.connection()).resource(t, "it").mustUp("create", in)
			uid := w.value("ConfigMap", "it", "metadata", "uid")
			g.next(isRealApply, loseReply)
			_, err := s.up(with(t, in, "manifest.data.a", "2"))
			require.Error(t, err)
			require.NotEmpty(t, s.initErrors)
			s.in(start(t, g.connection()))
			g.always(func(r *http.Request) bool { return isGet(r) || isApplyOrTrial(r) }, refuse(403, metav1.StatusReasonForbidden, "not now"))
			did := replacing(s, with(t, in, "manifest.data.a", "3"), continues)
			require.ErrorContains(t, did.cause(), "not now")
			assert.Equal(t, "diff", did.did(), "the engine would make a replacement of an update")
			assert.NotContains(t, did.calls, "delete")
			g.heal()
			assert.Equal(t, uid, w.value("ConfigMap", "it", "metadata", "uid"))
			s.in(start(t, g.connection())).mustUp("update", with(t, in, "manifest.data.a", "3"))
			assert.Equal(t, uid, w.value("ConfigMap", "it", "metadata", "uid"))
		})
	}
}

func isApplyOrTrial(r *http.Request) bool { return r.Method == http.MethodPatch }
