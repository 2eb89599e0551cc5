package rpc_test

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine/defects"
)

// appliesText matches the applies, dry-runs too, that contain a text.
func appliesText(text string) func(*http.Request) bool {
	return func(r *http.Request) bool {
		if r.Header.Get("Content-Type") != applyPatch {
			return false
		}
		body, err := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		return err == nil && bytes.Contains(body, []byte(text))
	}
}

// A Diff that fails after the read of refresh_before_update fails every command, and no program can do anything about it.
func TestNoStackIsStuckBehindTheReadBeforeTheProgram(t *testing.T) {
	t.Parallel()
	limited := func(w world, cpu string) map[string]any {
		manifest := w.deployment(t, "web")
		container := manifest["spec"].(m)["template"].(m)["spec"].(m)["containers"].([]any)[0].(m)
		container["resources"] = m{"limits": m{"cpu": cpu}}
		return manifest
	}
	t.Run("by a change that cannot be taken back, and whose reply was lost [D3]", func(t *testing.T) {
		t.Parallel()
		for command, run := range map[string]func(*session, resource.PropertyMap) error{
			"preview": func(s *session, in resource.PropertyMap) error { _, _, err := s.preview(in); return err },
			"refresh": func(s *session, _ resource.PropertyMap) error { return s.read() },
			"destroy": func(s *session, _ resource.PropertyMap) error { return s.destroy() },
		} {
			w, g := newWorld(t), newGateway(t)
			in, after := program(w.configMap("it", nil)), program(w.configMap("it", m{"a": "9", "b": "2"}))
			s := start(t, g.connection()).resource(t, "it").mustUp("create", in)
			g.next(isRealApply, loseReply)
			_, err := s.up(after)
			require.Error(t, err)
			s.in(start(t, g.connection()))
			g.always(appliesText(`"a":"1"`), refuse(403, metav1.StatusReasonForbidden, "no downgrade"))
			assert.NoError(t, run(s, after), command)
		}
	})
	for kind, made := range map[string]func(t *testing.T, w world, p *process) (s *session, in, same resource.PropertyMap){
		"KubeObject": func(t *testing.T, w world, p *process) (*session, resource.PropertyMap, resource.PropertyMap) {
			return p.resource(t, "web"), program(limited(w, "1000m"), atOnce), program(limited(w, "1"), atOnce)
		},
		"Patch": func(t *testing.T, w world, p *process) (*session, resource.PropertyMap, resource.PropertyMap) {
			w.apply("owner", w.deployment(t, "web"))
			limit := func(cpu string) m {
				return m{"patch": m{"spec": m{"template": m{"spec": m{"containers": []any{m{"name": "web", "resources": m{"limits": m{"cpu": cpu}}}}}}}}}
			}
			return patched(t, w, p, "web"), patching(w.deployment(t, "web"), limit("1000m")), patching(w.deployment(t, "web"), limit("1"))
		},
	} {
		t.Run(kind+": by a change without effect and a token that has expired since [D3]", func(t *testing.T) {
			t.Parallel()
			w, g, renewed := newWorld(t), newGateway(t), newGateway(t)
			s, in, same := made(t, w, start(t, g.connection()))
			s.mustUp("create", in).mustUp("same", same)
			g.always(anything, refuse(401, metav1.StatusReasonUnauthorized, "expired"))
			s.reconfigured(start(t, renewed.connection()))
			_, _, err := s.preview(same)
			assert.NoError(t, err, "preview")
			_, err = s.up(same)
			assert.NoError(t, err, "up")
		})
		t.Run(kind+": a change without effect is asked for once [D3]", func(t *testing.T) {
			t.Parallel()
			w, g := newWorld(t), newGateway(t)
			s, in, same := made(t, w, start(t, g.connection()))
			s.mustUp("create", in).mustUp("same", same)
			g.takeSeen()
			s.mustUp("same", same)
			assert.Equal(t, []string{"GET"}, g.takeSeen())
		})
	}
}

// Of an update that fails after it has written, the engine keeps the inputs of before beside the new outputs.
func TestAProgramThatIsTakenBackIsAppliedAgain(t *testing.T) {
	t.Parallel()
	t.Run("after an update that re-created the object and whose reply was lost [D3]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		in := program(w.configMap("it", m{"a": "1"}))
		s := start(t, g.connection()).resource(t, "it").mustUp("create", in)
		inputs, err := s.check(program(w.configMap("it", m{"a": "2"})), false)
		require.NoError(t, err)
		w.delete("ConfigMap", "it") // between the read and the update
		g.next(func(r *http.Request) bool { return isRealApply(r) && appliesText(`"resourceVersion":"1"`)(r) }, loseReply)
		require.Error(t, s.update(inputs))
		require.Equal(t, "2", w.value("ConfigMap", "it", "data", "a"))
		s.in(start(t, g.connection())).mustUp("update", in).mustUp("same", in)
		assert.Equal(t, "1", w.value("ConfigMap", "it", "data", "a"))
	})
	t.Run("after a Patch was carried out whose wait failed, also when the wait has come true since [D3]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("owner", w.configMap("it", m{"a": "1"}))
		patch := func(v string, more ...map[string]any) resource.PropertyMap {
			return patching(w.configMap("it", nil), append(more, setting("mergePatch", data("a", v)))...)
		}
		s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", patch("2"))
		_, err := s.up(patch("3", m{"waitFor": m{"field": "data.ready", "timeout": "1s"}}))
		require.Error(t, err)
		require.Equal(t, "3", w.value("ConfigMap", "it", "data", "a"))
		w.patch("ConfigMap", "it", m{"data": m{"ready": "yes"}})
		s.mustUp("update", patch("2")).mustUp("same", patch("2"))
		assert.Equal(t, "2", w.value("ConfigMap", "it", "data", "a"))
	})
}

// What an update applied that was not confirmed, the state does not know until a read has seen it.
func TestWhatIsIgnoredFromNowOnStaysAfterAnUpdateWhoseReplyWasLost(t *testing.T) {
	t.Parallel()
	// The update releases only what the state says was applied, and the apply without the field removes it.
	defects.Open(t, "[D161]", "b is not what it was", func(t testing.TB) {
		w, g, renewed := newWorld(t), newGateway(t), newGateway(t)
		s := start(t, g.connection()).resource(t, "it").mustUp("create", program(w.configMap("it", m{"a": "1", "b": "1"})))
		g.next(isRealApply, loseReply)
		_, err := s.up(program(w.configMap("it", m{"a": "2", "b": "1"})))
		require.Error(t, err)
		// The read before the program has the credentials of the last run.
		g.always(anything, refuse(401, metav1.StatusReasonUnauthorized, "expired"))
		s.reconfigured(start(t, renewed.connection()))
		s.mustUp("update", program(w.configMap("it", m{"a": "2", "b": "1"}), m{"ignoreFields": []any{"data.b"}}))
		assert.Equal(t, "1", w.value("ConfigMap", "it", "data", "b"), "b is not what it was")
	})
}

// The inputs of before do not say what is secret of those that were sent.
func TestASecretOfAnUpdateThatFailedLaterIsHidden(t *testing.T) {
	t.Parallel()
	t.Run("where its reply was lost [D4]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		s := start(t, g.connection()).resource(t, "it").mustUp("create", program(w.configMap("it", m{"a": "1"})))
		after := program(w.configMap("it", m{"a": secret(hush)}))
		g.next(isRealApply, halveReply)
		_, err := s.up(after)
		require.Error(t, err)
		s.mustRead().mustRead()
		requireHidden(t, s)
		s.mustUp("update", after).mustUp("same", after)
		requireHidden(t, s)
		assert.Equal(t, "it", at(t, s.outputs, "manifest.metadata.name"))
	})
	for _, kind := range []string{"patch", "mergePatch", "jsonPatch"} {
		t.Run("where the wait of a Patch failed: "+kind+" [D4]", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.apply("owner", w.configMap("it", m{"a": "1"}))
			s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", patching(w.configMap("it", nil), setting(kind, data("a", "2"))))
			after := patching(w.configMap("it", nil), setting(kind, data("a", secret(hush))), m{"waitFor": m{"field": "data.ready", "timeout": "1s"}})
			_, err := s.up(after)
			require.Error(t, err)
			s.mustRead()
			w.patch("ConfigMap", "it", m{"data": m{"ready": "yes"}})
			s.mustRead()
			requireHidden(t, s)
		})
	}
}
