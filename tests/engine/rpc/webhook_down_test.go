package rpc_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// couldNotBeAsked is what is said of a webhook.
func (g *guard) couldNotBeAsked() string {
	return `dmission webhook "` + g.name + `" could not be called`
}

// requireForetold wants a preview that succeeds, with a warning about the webhook and without values.
func requireForetold(t *testing.T, g *guard, s *session, did, output string, in resource.PropertyMap) {
	t.Helper()
	said, outputs, err := s.preview(in)
	require.NoError(t, err, "it may be repaired in the same run")
	assert.Equal(t, did, said)
	assert.Equal(t, unknownText, at(t, outputs, output))
	warnings := s.process.log.warnings()
	require.Len(t, warnings, 1, "it is said once")
	assert.Contains(t, warnings[0], g.couldNotBeAsked())
	assert.Contains(t, warnings[0], "EOF")
	assert.Contains(t, warnings[0], "2m0s")
}

func TestAPreviewBehindAWebhookThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	t.Run("of a create [D34 a]", func(t *testing.T) {
		t.Parallel()
		g := newWorld(t).newGuard("CREATE", "UPDATE")
		s := start(t, inline(newUser(t))).resource(t, "web")
		requireForetold(t, g, s, "create", "manifest", program(g.guarded("web", nil)))
		assert.False(t, g.exists("ConfigMap", "web"))
	})
	t.Run("of an update: Diff answers that something changes, and does not wait [D34 a] [D34 d]", func(t *testing.T) {
		t.Parallel()
		g := newWorld(t).newGuard("CREATE", "UPDATE")
		g.Answers.Store(true)
		in := program(g.guarded("web", nil))
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", in)
		g.Answers.Store(false)
		changed := with(t, in, "manifest.data.a", "changed")
		s.in(start(t, inline(newUser(t))))
		requireForetold(t, g, s, "update", "manifest", changed)
		began := time.Now()
		assert.Equal(t, map[string]string{"manifest": "update"}, s.mustDiff(changed))
		assert.Less(t, time.Since(began), 5*time.Second)
		did, _, err := s.preview(in)
		require.NoError(t, err)
		assert.Equal(t, "same", did, "what does not change asks nothing")
	})
	t.Run("of an adoption [D34 a]", func(t *testing.T) {
		t.Parallel()
		g := newWorld(t).newGuard("CREATE", "UPDATE")
		g.Answers.Store(true)
		g.create(g.guarded("web", m{"a": "theirs"}))
		g.Answers.Store(false)
		s := start(t, inline(newUser(t))).resource(t, "web")
		requireForetold(t, g, s, "create", "manifest", program(g.guarded("web", nil), m{"adopt": true}))
	})
	t.Run("of a change that may need a replacement [D34 d]", func(t *testing.T) {
		t.Parallel()
		g := newWorld(t).newGuard("CREATE")
		g.Answers.Store(true)
		manifest := g.guarded("frozen", nil)
		manifest["immutable"] = true
		in := program(manifest)
		s := start(t, inline(newUser(t))).resource(t, "frozen").mustUp("create", in)
		uid := g.get("ConfigMap", "frozen").GetUID()
		g.Answers.Store(false)
		s.in(start(t, inline(newUser(t))))
		changed := with(t, in, "manifest.data.a", "changed")
		requireForetold(t, g, s, "update", "manifest", changed)
		assert.Equal(t, uid, g.get("ConfigMap", "frozen").GetUID())
		g.Answers.Store(true)
		s.in(start(t, inline(newUser(t)))).mustUp("replace", changed)
	})
	eachKind(t, "of a Patch [D34 a] [D34 d]", func(t *testing.T, kind string) {
		t.Helper()
		g := newWorld(t).newGuard("UPDATE")
		g.Answers.Store(true)
		target := g.create(g.guarded("theirs", m{"a": "1", "b": "1"})).Object
		g.Answers.Store(false)
		s := patchIn(t, start(t, inline(newUser(t))), "ours")
		requireForetold(t, g, s, "create", "managedFields", patchingGuarded(target, kind, "a", "2"))
		g.Answers.Store(true)
		s.mustUp("create", patchingGuarded(target, kind, "a", "2"))
		g.Answers.Store(false)
		s.in(start(t, inline(newUser(t))))
		requireForetold(t, g, s, "update", "managedFields", patchingGuarded(target, kind, "a", "3"))
	})
	t.Run("is shown what the API server says, whatever is wrong [D34 c]", func(t *testing.T) {
		t.Parallel()
		g := newWorld(t).newGuard("CREATE")
		other := httptest.NewTLSServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { http.Error(rw, "no", http.StatusServiceUnavailable) }))
		t.Cleanup(other.Close)
		absent := httptest.NewTLSServer(http.NotFoundHandler())
		t.Cleanup(absent.Close)
		for what, client := range map[string]map[string]any{
			"connection refused":      g.at("https://127.0.0.1:1/"),
			`"absent" not found`:      {"service": m{"namespace": g.namespace, "name": "absent"}, "caBundle": g.CABundle},
			"x509: certificate":       {"url": g.URL}, // to be trusted by the authorities of the machine
			"unable to handle":        g.at(other.URL),
			"could not find the requ": g.at(absent.URL),
		} {
			g.configure(client)
			s := start(t, inline(newUser(t))).resource(t, "web")
			eventually(t, func() bool {
				_, outputs, err := s.preview(program(g.guarded("web", nil)))
				return err == nil && outputs["manifest"].IsComputed() && strings.Contains(s.warned(), what)
			}, what)
		}
	})
}

func errorOf(_ string, err error) error { return err }

func TestAnApplyBehindAWebhookThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	says := func(t *testing.T, g *guard, s *session) {
		t.Helper()
		statuses := s.process.log.statuses()
		assert.True(t, slices.ContainsFunc(statuses, func(status string) bool {
			return strings.Contains(status, g.name) && strings.Contains(status, "EOF") && strings.Contains(status, "2m0s")
		}), "it says what it waits for: %q", statuses)
		assert.Empty(t, statuses[len(statuses)-1], "and nothing once that is over")
	}
	t.Run("waits: a create, an update and a delete are made when it answers [D34 b]", func(t *testing.T) {
		t.Parallel()
		g := newWorld(t).newGuard("CREATE", "UPDATE", "DELETE")
		in := program(g.guarded("web", nil))
		s := start(t, inline(newUser(t))).resource(t, "web")
		require.NoError(t, g.whileUnasked(func() error { return s.create(in) }, nothingElse))
		says(t, g, s)
		uid := g.get("ConfigMap", "web").GetUID()
		assert.EqualValues(t, uid, at(t, s.outputs, "resourceRef.uid"))
		assert.Nil(t, at(t, s.outputs, "__pendingProjection"))
		s.mustUp("same", in)

		g.Answers.Store(false)
		changed := with(t, in, "manifest.data.a", "changed")
		s.in(start(t, inline(newUser(t))))
		require.NoError(t, g.whileUnasked(func() error { return errorOf(s.up(changed)) }, nothingElse))
		says(t, g, s)
		assert.Equal(t, "changed", g.value("ConfigMap", "web", "data", "a"))
		assert.Equal(t, uid, g.get("ConfigMap", "web").GetUID())

		g.Answers.Store(false)
		s.in(start(t, inline(newUser(t))))
		require.NoError(t, g.whileUnasked(s.destroy, nothingElse))
		says(t, g, s)
		assert.False(t, g.exists("ConfigMap", "web"))
	})
	eachKind(t, "a Patch waits, when it is made, changed and destroyed [D34 b]", func(t *testing.T, kind string) {
		t.Helper()
		g := newWorld(t).newGuard("UPDATE")
		g.Answers.Store(true)
		target := g.create(g.guarded("theirs", m{"a": "1"})).Object
		s := patchIn(t, start(t, inline(newUser(t))), "ours")
		for _, step := range []func() error{
			func() error { return s.create(patchingGuarded(target, kind, "a", "2")) },
			func() error { return errorOf(s.up(patchingGuarded(target, kind, "a", "3"))) },
		} {
			g.Answers.Store(false)
			s.in(start(t, inline(newUser(t))))
			require.NoError(t, g.whileUnasked(step, nothingElse))
			says(t, g, s)
		}
		assert.Equal(t, "3", g.value("ConfigMap", "theirs", "data", "a"))
		g.Answers.Store(false)
		s.in(start(t, inline(newUser(t))))
		require.NoError(t, g.whileUnasked(s.destroy, nothingElse))
		says(t, g, s)
		assert.NotContains(t, strings.Join(g.managers("ConfigMap", "theirs"), " "), "k8sconnect-patch")
	})
	t.Run("gives up when customTimeouts says so, and nothing was written or saved [D34 b]", func(t *testing.T) {
		t.Parallel()
		g := newWorld(t).newGuard("CREATE", "UPDATE", "DELETE")
		in := program(g.guarded("web", nil))
		s := start(t, inline(newUser(t))).resource(t, "web")
		s.timeout = 2
		err := s.create(in)
		require.ErrorContains(t, err, g.couldNotBeAsked())
		require.ErrorContains(t, err, "EOF")
		assert.Empty(t, s.id)
		assert.False(t, g.exists("ConfigMap", "web"))
		g.Answers.Store(true)
		s.mustUp("create", in)
		before := g.get("ConfigMap", "web").GetResourceVersion()
		g.Answers.Store(false)
		_, err = s.up(with(t, in, "manifest.data.a", "changed"))
		require.ErrorContains(t, err, g.couldNotBeAsked())
		require.ErrorContains(t, s.destroy(), g.couldNotBeAsked())
		assert.NotEmpty(t, s.id)
		assert.Equal(t, before, g.get("ConfigMap", "web").GetResourceVersion())
		g.Answers.Store(true)
		require.NoError(t, s.destroy())
	})
	t.Run("an object that others have made meanwhile is not touched [D34]", func(t *testing.T) {
		t.Parallel()
		g := newWorld(t).newGuard("CREATE")
		s := start(t, inline(newUser(t))).resource(t, "web")
		err := g.whileUnasked(func() error { return s.create(program(g.guarded("web", nil))) }, func() {
			g.create(g.configMap("web", m{"a": "theirs"}))
		})
		require.ErrorContains(t, err, "already exists")
		assert.Empty(t, s.id)
		assert.Equal(t, "theirs", g.value("ConfigMap", "web", "data", "a"))
	})
	t.Run("an object that others have put in its place meanwhile is neither updated nor deleted [D34]", func(t *testing.T) {
		t.Parallel()
		for what, write := range map[string]struct {
			operation string
			run       func(t *testing.T, s *session, changed func() error) error
		}{
			"update": {"UPDATE", func(_ *testing.T, _ *session, changed func() error) error { return changed() }},
			"delete": {"DELETE", func(_ *testing.T, s *session, _ func() error) error { return s.destroy() }},
		} {
			t.Run(what, func(t *testing.T) {
				t.Parallel()
				g := newWorld(t).newGuard("CREATE", write.operation) // so that an update does not create it between the two others
				g.Answers.Store(true)
				in := program(g.guarded("web", nil))
				s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", in)
				g.Answers.Store(false)
				err := g.whileUnasked(func() error {
					return write.run(t, s, func() error { return errorOf(s.up(with(t, in, "manifest.data.a", "changed"))) })
				}, func() {
					if write.operation == "DELETE" {
						// Nobody is asked about it from here on, so the destroy may be the first to delete it.
						g.patch("ConfigMap", "web", m{"metadata": m{"labels": m{"guarded": nil}}})
					}
					if err := g.objects("ConfigMap").Delete(t.Context(), "web", metav1.DeleteOptions{}); !apierrors.IsNotFound(err) {
						require.NoError(t, err)
					}
					g.create(g.configMap("web", m{"a": "theirs"}))
				})
				if what == "update" {
					require.ErrorContains(t, err, "already exists")
				} else {
					require.NoError(t, err, "ours is gone")
				}
				assert.Equal(t, "theirs", g.value("ConfigMap", "web", "data", "a"))
			})
		}
	})
	t.Run("with failurePolicy Ignore nothing is waited for", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		g := &guard{world: w, Webhook: cluster.NewWebhook(t), name: "ignored." + w.group()}
		g.install([]string{"CREATE", "UPDATE", "DELETE"}, g.at(g.URL), "Ignore")
		in := program(g.guarded("web", nil))
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", in)
		s.mustUp("update", with(t, in, "manifest.data.a", "changed"))
		require.NoError(t, s.destroy())
		assert.Empty(t, s.process.log.statuses())
		assert.Empty(t, s.warned())
	})
}
