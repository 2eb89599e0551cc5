package rpc_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// invoke calls a function. Mistakes in the arguments are an error too, as in every program.
func (p *process) invoke(t testing.TB, function string, args map[string]any) (resource.PropertyMap, error) {
	t.Helper()
	resp, err := p.Invoke(t.Context(), plugin.InvokeRequest{
		Tok: tokens.ModuleMember("k8sconnect:index:" + function), Args: sentMap(args),
	})
	if err == nil && len(resp.Failures) > 0 {
		err = invalid{resp.Failures}
	}
	return received(resp.Properties), err
}

// named are the arguments that name an object of the namespace.
func (w world) named(kind, name string, more ...map[string]any) map[string]any {
	args := map[string]any{"apiVersion": "v1", "kind": kind, "name": name, "namespace": w.namespace}
	for _, m := range more {
		maps.Copy(args, m)
	}
	return args
}

func TestGetObjectReadsWhatIsThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	live := w.create(w.configMap("it", map[string]any{"a": "1"}))
	user := newUser(t)
	counts := requests(t, user)
	p := start(t, inline(user))

	t.Run("the object as it is, without managedFields, by two requests [F1]", func(t *testing.T) {
		got, err := p.invoke(t, "getObject", w.named("ConfigMap", "it"))
		require.NoError(t, err)
		assert.Equal(t, map[string]int{"discovery v1": 1, "GET": 1}, tally(counts()))
		assert.False(t, got.ContainsSecrets())
		want := live.DeepCopy()
		want.SetManagedFields(nil)
		assert.Equal(t, want.Object, plain(got["manifest"]))
		assert.Equal(t, string(live.GetUID()), got["uid"].StringValue())
	})
	t.Run("once more, by one request [F1]", func(t *testing.T) {
		w.patch("ConfigMap", "it", map[string]any{"data": map[string]any{"a": "2"}})
		got, err := p.invoke(t, "getObject", w.named("ConfigMap", "it", map[string]any{"optional": true}))
		require.NoError(t, err)
		assert.Equal(t, []string{"GET"}, counts())
		assert.Equal(t, "2", got["manifest"].ObjectValue()["data"].ObjectValue()["a"].StringValue())
	})
	t.Run("in the provider's namespace by default [F1]", func(t *testing.T) {
		config := inline(user)
		config["namespace"] = w.namespace
		got, err := start(t, config).invoke(t, "getObject", map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "name": "it"})
		require.NoError(t, err)
		assert.Equal(t, string(live.GetUID()), got["uid"].StringValue())
	})
	t.Run("an object outside of namespaces, with a warning about a namespace [F1]", func(t *testing.T) {
		got, err := p.invoke(t, "getObject", w.named("Namespace", w.namespace))
		require.NoError(t, err)
		assert.Equal(t, string(w.get("Namespace", w.namespace).GetUID()), got["uid"].StringValue())
		assert.Contains(t, p.log.all(), "Namespace "+w.namespace+" belongs to no namespace")
	})
	t.Run("with a connection of its own, secret or not, instead of the provider's [F1]", func(t *testing.T) {
		elsewhere := start(t, map[string]any{"host": "https://127.0.0.1:1", "token": "x"})
		for _, own := range []any{inline(user), secret(inline(user))} {
			got, err := elsewhere.invoke(t, "getObject", w.named("ConfigMap", "it", map[string]any{"clusterConnection": own}))
			require.NoError(t, err)
			assert.Equal(t, string(live.GetUID()), got["uid"].StringValue())
			assert.False(t, got.ContainsSecrets(), "a secret connection makes no secret of the object")
		}
	})
	t.Run("a secret name stays secret, and so does what is known by it [F1]", func(t *testing.T) {
		got, err := p.invoke(t, "getObject", w.named("ConfigMap", "it", map[string]any{"name": secret("it")}))
		require.NoError(t, err)
		assert.True(t, got["manifest"].IsSecret())
		assert.True(t, got["uid"].IsSecret())
		_, err = p.invoke(t, "getObject", w.named("ConfigMap", "", map[string]any{"name": secret("hush-hush")}))
		require.ErrorContains(t, err, "not found")
		assert.NotContains(t, err.Error()+p.log.all(), "hush-hush")
	})
}

func TestGetObjectKeepsSecrets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const hush = "aHVzaC1odXNo"
	w.create(object(t, `{apiVersion: v1, kind: Secret, metadata: {name: it, namespace: %s, annotations: {a: plain,
		kubectl.kubernetes.io/last-applied-configuration: '{"data":{"k":"%s"}}'}}, data: {k: %s}}`, w.namespace, hush, hush))
	p := start(t, inline(newUser(t)))
	got, err := p.invoke(t, "getObject", w.named("Secret", "it"))
	require.NoError(t, err)
	manifest := got["manifest"].ObjectValue()
	t.Run("the data of a Secret is secret [F1]", func(t *testing.T) {
		assert.True(t, manifest["data"].IsSecret())
		assert.Equal(t, map[string]any{"k": hush}, plain(manifest["data"]))
	})
	t.Run("kubectl's copy of it too, and nothing of it is printed [F1]", func(t *testing.T) {
		assert.NotContains(t, clear(got), hush)
		assert.NotContains(t, p.log.all(), hush)
	})
	t.Run("the rest is not [F1]", func(t *testing.T) {
		metadata := manifest["metadata"].ObjectValue()
		assert.Equal(t, "it", metadata["name"].StringValue())
		assert.Equal(t, "plain", metadata["annotations"].ObjectValue()["a"].StringValue())
		assert.True(t, got["uid"].IsString())
	})
}

func TestGetObjectOfWhatIsAbsent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := start(t, inline(newUser(t)))
	for name, c := range map[string]struct {
		args map[string]any
		want []string
	}{
		"object":                       {w.named("ConfigMap", "none"), []string{"cannot read ConfigMap " + w.namespace + "/none: not found", "check the name"}},
		"namespace":                    {w.named("ConfigMap", "it", map[string]any{"namespace": "none"}), []string{"cannot read ConfigMap none/it: not found"}},
		"kind":                         {w.named("Unheardof", "it"), []string{`the cluster has no kind "Unheardof" in "v1"`}},
		"kind in this group":           {w.named("Deployment", "it"), []string{`the cluster has no kind "Deployment" in "v1"`, "it has it in apps/v1"}},
		"group":                        {w.named("Unheardof", "it", map[string]any{"apiVersion": "none.example/v1"}), []string{"does not know this kind"}},
		"object outside of namespaces": {w.named("ClusterRole", "none", map[string]any{"apiVersion": "rbac.authorization.k8s.io/v1"}), []string{"cannot read ClusterRole", "not found"}},
	} {
		t.Run("a missing "+name+" is an error that says what to do [F1]", func(t *testing.T) {
			_, err := p.invoke(t, "getObject", c.args)
			require.Error(t, err)
			for _, want := range append(c.want, "Next: ", "set optional to true") {
				assert.Contains(t, strings.Join(strings.Fields(err.Error()), " "), want)
			}
		})
		t.Run("a missing "+name+" is null if it is optional [F1]", func(t *testing.T) {
			c.args["optional"] = true
			got, err := p.invoke(t, "getObject", c.args)
			require.NoError(t, err)
			assert.Equal(t, resource.PropertyMap{"manifest": resource.NewNullProperty(), "uid": resource.NewNullProperty()}, got)
		})
	}
}

func TestACallThatIsNotAnsweredIsNeverAnAbsence(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create(w.configMap("it", nil))
	optional := map[string]any{"optional": true}
	for name, c := range map[string]struct {
		match func(*http.Request) bool
		do    func(http.ResponseWriter, *http.Request, func() *httptest.ResponseRecorder)
		want  string
	}{
		"a discovery that fails":     {isDiscovery, replyWith(503, "{}"), "the API server failed"},
		"a discovery that is lost":   {isDiscovery, loseReply, "the connection to the API server failed"},
		"an object that is not sent": {isGet, loseReply, "the connection to the API server failed"},
		"an object that is refused":  {isGet, replyWith(403, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403}`), "403"},
		"a 404 of something else":    {isGet, replyWith(404, "not here"), "404"},
		"an answer that is garbled":  {isGet, replyWith(200, `{"data":`), "it failed"},
	} {
		t.Run(name+" is an error, although the object is optional [F1]", func(t *testing.T) {
			t.Parallel()
			g := newGateway(t)
			g.always(c.match, c.do)
			got, err := start(t, g.connection()).invoke(t, "getObject", w.named("ConfigMap", "it", optional))
			require.ErrorContains(t, err, c.want)
			assert.Contains(t, err.Error(), "cannot read ConfigMap "+w.namespace+"/it: ")
			assert.Empty(t, got)
		})
	}
	t.Run("a cluster that cannot be reached is an error, although the object is optional [F1]", func(t *testing.T) {
		t.Parallel()
		p := start(t, map[string]any{"host": "https://127.0.0.1:1", "token": "x"})
		_, err := p.invoke(t, "getObject", w.named("ConfigMap", "it", optional))
		require.ErrorContains(t, err, "the API server cannot be reached")
	})
}

func TestMistakesInTheArgumentsOfGetObject(t *testing.T) {
	t.Parallel()
	p := start(t, map[string]any{"host": "https://127.0.0.1:1", "token": "x"})
	for name, c := range map[string]struct {
		args map[string]any
		want string
	}{
		"a missing name":      {map[string]any{"apiVersion": "v1", "kind": "Pod"}, "name The value must be set."},
		"a name that is none": {map[string]any{"apiVersion": "v1", "kind": "Pod", "name": 1.0}, "name The value must be a text."},
		"a wrong version":     {map[string]any{"apiVersion": "a/b/c", "kind": "Pod", "name": "x"}, "apiVersion The value must be a version"},
		"another argument":    {map[string]any{"apiVersion": "v1", "kind": "Pod", "name": "x", "uid": "u"}, `uid There is no argument "uid".`},
		"a wrong optional":    {map[string]any{"apiVersion": "v1", "kind": "Pod", "name": "x", "optional": "yes"}, "optional The value must be true or false."},
		"a wrong connection": {map[string]any{"apiVersion": "v1", "kind": "Pod", "name": "x", "clusterConnection": map[string]any{"tokn": "hush-hush"}},
			"clusterConnection.tokn is not a property of a connection"},
	} {
		t.Run(name+" is told by its argument [F1]", func(t *testing.T) {
			_, err := p.invoke(t, "getObject", c.args)
			var wrong invalid
			require.ErrorAs(t, err, &wrong)
			require.Len(t, wrong.failures, 1)
			assert.Contains(t, string(wrong.failures[0].Property)+" "+wrong.failures[0].Reason, c.want)
			assert.NotContains(t, err.Error(), "hush-hush")
		})
	}
}
