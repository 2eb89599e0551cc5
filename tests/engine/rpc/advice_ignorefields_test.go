package rpc_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// oddNames are names of fields that a free-form map may have.
var oddNames = []string{
	"plain", "a.b/c", "with space", "it's", `quo"te`, `back\slash`, "br[ack]et", "{brace}", "new\nline", "tab\t", "bell\a", "ünï", "*", "$root", "=x", "?", "a,b", "0",
	"true", "null", "#hash", "- dash", "colon: x", "%s", "&anchor", "\u2028", "😀", "[=\"x\"]", "..", "@", "`tick`", "secret",
}

// TestTheLineForIgnoreFieldsWorksWhereItIsPasted takes the line out of the message that offers it.
func TestTheLineForIgnoreFieldsWorksWhereItIsPasted(t *testing.T) {
	t.Parallel()
	t.Run("of a conflict, with every name that a field may have", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.define(definitionOf(t, w.group(), "Box", "{type: object, x-kubernetes-preserve-unknown-fields: true}"))
		w.served(w.group(), "Box")
		box := func(by string) m {
			values := m{}
			for _, name := range oddNames {
				values[name] = by
			}
			return m{
				"apiVersion": w.group() + "/v1", "kind": "Box", "metadata": m{"name": "it", "namespace": w.namespace},
				"spec": m{"values": values},
			}
		}
		s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", program(box("ours")))
		w.applyCustom("other", box("theirs"))
		in := program(box("changed"), failing)
		_, err := s.up(in)
		require.ErrorContains(t, err, `conflictPolicy is "fail"`)
		lines := pasted(t, err.Error(), "ignoreFields")
		require.Len(t, lines["ignoreFields"], len(oddNames))
		in = program(box("changed"), failing, lines)
		s.mustUp("update", in).mustUp("same", in)
		live, err := w.client.Resource(customKind(w.group(), "Box")).Namespace(w.namespace).Get(t.Context(), "it", metav1.GetOptions{})
		require.NoError(t, err)
		assert.Equal(t, box("theirs")["spec"], live.Object["spec"])
	})
	t.Run("of a conflict, with items of lists", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		service := func(by string, port int) m {
			return object(t, `
apiVersion: v1
kind: Service
metadata: {name: dns, namespace: %s, annotations: {a.b/c: %s}}
spec:
  ports:
  - {name: tcp, port: 53, targetPort: %[3]d}
  - {name: udp, port: 53, protocol: UDP, targetPort: %[3]d}
`, w.namespace, by, port)
		}
		s := start(t, inline(newUser(t))).resource(t, "dns").mustUp("create", program(service("ours", 1)))
		w.apply("other", service("theirs", 2))
		in := program(service("changed", 3), failing)
		_, err := s.up(in)
		lines := pasted(t, err.Error(), "ignoreFields")
		require.Len(t, lines["ignoreFields"], 3)
		in = program(service("changed", 3), failing, lines)
		s.mustUp("update", in).mustUp("same", in)
		for _, port := range w.value("Service", "dns", "spec", "ports").([]any) {
			assert.EqualValues(t, 2, port.(m)["targetPort"])
		}
		assert.Equal(t, "theirs", w.get("Service", "dns").GetAnnotations()["a.b/c"])
	})
	t.Run("of a conflict, where something is ignored already", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		made := func(a, b string) m { return w.configMap("web", m{"a": a, "b": b, "c": "1"}) }
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(made("1", "1"), ignoring("data.a")))
		w.apply("other", made("theirs", "theirs"))
		_, err := s.up(program(made("2", "2"), failing, ignoring("data.a")))
		in := program(made("2", "2"), failing, pasted(t, err.Error(), "ignoreFields"))
		s.mustUp("update", in).mustUp("same", in)
		assert.Equal(t, m{"a": "theirs", "b": "theirs", "c": "1"}, w.value("ConfigMap", "web", "data"))
	})
	t.Run("of an adoption that conflicts", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.apply("other", w.configMap("web", m{"a": "theirs", "b": "1"}))
		made := w.configMap("web", m{"a": "ours", "b": "1"})
		s := start(t, inline(newUser(t))).resource(t, "web")
		_, err := s.up(program(made, adopting, failing))
		require.ErrorContains(t, err, `conflictPolicy is "fail"`)
		in := program(made, adopting, failing, pasted(t, err.Error(), "ignoreFields"))
		s.mustUp("create", in).mustUp("same", in)
		assert.Equal(t, m{"a": "theirs", "b": "1"}, w.value("ConfigMap", "web", "data"))
	})
	t.Run("of drift that stays, where something is ignored already", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		job := func(rev string) resource.PropertyMap {
			return program(object(t, `{apiVersion: batch/v1, kind: Job, metadata: {name: work, namespace: %s, labels: {rev: "%s"}}, spec: {suspend: true,
				parallelism: 1, template: {spec: {restartPolicy: Never, nodeSelector: {pool: batch}, containers: [{name: main, image: "app:1"}]}}}}`,
				w.namespace, rev), ignoring("spec.parallelism"))
		}
		s := start(t, inline(newUser(t))).resource(t, "work").mustUp("create", job("1"))
		w.patch("Job", "work", m{"spec": m{"template": m{"spec": m{"nodeSelector": m{"zone": "a"}}}}})
		w.patch("Job", "work", m{"spec": m{"suspend": false, "parallelism": 2}})
		in := job("2")
		s.mustUp("update", in)
		lines := pasted(t, s.told("the API server does not accept them changed back"), "ignoreFields")
		ignored := program(in["manifest"], lines) // in the place of what was there
		s = s.in(s.process.again(t)).mustUp("same", ignored)
		s = s.in(s.process.again(t)).mustUp("same", ignored)
		assert.NotContains(t, s.warned(), "the API server does not accept them changed back")
		assert.EqualValues(t, 2, w.value("Job", "work", "spec", "parallelism"))
	})
	t.Run("where what is ignored is secret already, it is what to add", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		made := func(a, b string) m { return w.configMap("web", m{"a": a, "b": b, "c": "1"}) }
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(made("1", "1"), ignoring(secret("data.a"))))
		w.apply("other", made("theirs", "theirs"))
		_, err := s.up(program(made("2", "2"), failing, ignoring(secret("data.a"))))
		require.ErrorContains(t, err, "\n  add to ignoreFields: \"data.b\"\n")
		in := program(made("2", "2"), failing, ignoring(secret("data.a"), "data.b"))
		s.mustUp("update", in).mustUp("same", in)
		assert.Equal(t, m{"a": "theirs", "b": "theirs", "c": "1"}, w.value("ConfigMap", "web", "data"))
	})
	t.Run("whose names are secret, it is none", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		made := func(a string) resource.PropertyMap {
			return program(w.configMap("web", nil), m{"manifest": m{
				"apiVersion": "v1", "kind": "ConfigMap", "metadata": m{"name": "web", "namespace": w.namespace},
				"data": secret(m{hush: a}),
			}}, failing)
		}
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", made("1"))
		w.apply("other", w.configMap("web", m{hush: "theirs"}))
		_, err := s.up(made("2"))
		require.ErrorContains(t, err, `conflictPolicy is "fail"`)
		assert.NotContains(t, err.Error(), "ignoreFields: [")
		assert.Empty(t, s.where(hush))
	})
}
