package rpc_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// listing are the arguments that list the ConfigMaps of the namespace which carry the label team=a, and not the one that
// Kubernetes puts into every namespace.
func (w world) listing(more map[string]any) map[string]any {
	args := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "namespace": w.namespace, "labelSelector": "team=a"}
	maps.Copy(args, more)
	return args
}

// labelled makes a ConfigMap with the label team.
func (w world) labelled(name, team string) {
	w.t.Helper()
	w.create(object(w.t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: %s, namespace: %s, labels: {team: %s}}, data: {k: v}}`,
		name, w.namespace, team))
}

func isListOfConfigMaps(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/configmaps")
}

// names are the names of the listed objects.
func names(t *testing.T, result resource.PropertyMap) (names []string) {
	t.Helper()
	for _, manifest := range result["manifests"].ArrayValue() {
		metadata := manifest.ObjectValue()["metadata"].ObjectValue()
		names = append(names, metadata["name"].StringValue())
	}
	return names
}

func TestGetObjectsListsWhatIsThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, name := range []string{"b", "a", "c"} {
		w.labelled(name, "a")
	}
	w.labelled("other", "b")
	user := newUser(t)
	counts := requests(t, user)
	p := start(t, inline(user))

	t.Run("by labels, whole objects without managedFields, by two requests [F6]", func(t *testing.T) {
		got, err := p.invoke(t, "getObjects", w.listing(nil))
		require.NoError(t, err)
		assert.Equal(t, map[string]int{"discovery v1": 1, "LIST": 1}, tally(counts()))
		assert.Equal(t, []string{"a", "b", "c"}, names(t, got))
		assert.False(t, got["truncated"].BoolValue())
		want := w.get("ConfigMap", "a")
		want.SetManagedFields(nil)
		assert.Equal(t, want.Object, plain(got["manifests"].ArrayValue()[0]))
	})
	t.Run("by fields [F6]", func(t *testing.T) {
		got, err := p.invoke(t, "getObjects", w.listing(map[string]any{"fieldSelector": "metadata.name!=b"}))
		require.NoError(t, err)
		assert.Equal(t, []string{"a", "c"}, names(t, got))
	})
	t.Run("no more than the limit, which says that there are more [F6]", func(t *testing.T) {
		got, err := p.invoke(t, "getObjects", w.listing(map[string]any{"limit": 2.0}))
		require.NoError(t, err)
		assert.Equal(t, []string{"a", "b"}, names(t, got))
		assert.True(t, got["truncated"].BoolValue())
		got, err = p.invoke(t, "getObjects", w.listing(map[string]any{"limit": 3.0}))
		require.NoError(t, err)
		assert.Len(t, names(t, got), 3)
		assert.False(t, got["truncated"].BoolValue())
	})
	t.Run("none is an empty list [F6]", func(t *testing.T) {
		got, err := p.invoke(t, "getObjects", w.listing(map[string]any{"labelSelector": "team=nobody"}))
		require.NoError(t, err)
		assert.Equal(t, resource.PropertyMap{
			"manifests": resource.NewArrayProperty([]resource.PropertyValue{}), "truncated": resource.NewBoolProperty(false),
		}, got)
	})
	t.Run("metadata only, where that is asked for [F6]", func(t *testing.T) {
		got, err := p.invoke(t, "getObjects", w.listing(map[string]any{"metadataOnly": true}))
		require.NoError(t, err)
		require.Len(t, names(t, got), 3)
		first := plain(got["manifests"].ArrayValue()[0]).(map[string]any)
		assert.NotContains(t, first, "data")
		assert.NotContains(t, first["metadata"], "managedFields")
		assert.Equal(t, []any{"v1", "ConfigMap"}, []any{first["apiVersion"], first["kind"]})
	})
	t.Run("in all namespaces [F6]", func(t *testing.T) {
		other := newWorld(t)
		other.labelled("elsewhere", "a")
		args := w.listing(map[string]any{"allNamespaces": true})
		delete(args, "namespace")
		got, err := p.invoke(t, "getObjects", args)
		require.NoError(t, err)
		assert.Subset(t, names(t, got), []string{"a", "b", "c", "elsewhere"})
	})
	t.Run("of a cluster-scoped kind, with a warning about a namespace [F6]", func(t *testing.T) {
		got, err := p.invoke(t, "getObjects", map[string]any{
			"apiVersion": "v1", "kind": "Namespace", "namespace": "x", "fieldSelector": "metadata.name=" + w.namespace,
		})
		require.NoError(t, err)
		assert.Equal(t, []string{w.namespace}, names(t, got))
		assert.Contains(t, p.log.all(), "Objects of kind Namespace belong to no namespace")
	})
}

func TestGetObjectsReadsPageAfterPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 7 {
		w.labelled(fmt.Sprintf("n%d", i), "a")
	}
	// The API server may give fewer objects than it is asked for. Here it does.
	threeAtATime := func(g *gateway) {
		g.always(isListOfConfigMaps, func(rw http.ResponseWriter, r *http.Request, forward func() *httptest.ResponseRecorder) {
			query := r.URL.Query()
			if query.Has("limit") {
				query.Set("limit", "3")
			}
			r.URL.RawQuery = query.Encode()
			reply := forward()
			maps.Copy(rw.Header(), reply.Header())
			rw.WriteHeader(reply.Code)
			_, _ = rw.Write(reply.Body.Bytes())
		})
	}
	all := []string{"n0", "n1", "n2", "n3", "n4", "n5", "n6"}
	t.Run("all of them [F6]", func(t *testing.T) {
		g := newGateway(t)
		threeAtATime(g)
		got, err := start(t, g.connection()).invoke(t, "getObjects", w.listing(nil))
		require.NoError(t, err)
		assert.Equal(t, all, names(t, got))
		assert.False(t, got["truncated"].BoolValue())
		assert.Len(t, slices.DeleteFunc(g.takeSeen(), func(request string) bool { return request != "GET" }), 3)
	})
	t.Run("from the beginning, where the API server has forgotten it [F6]", func(t *testing.T) {
		g := newGateway(t)
		g.next(func(r *http.Request) bool { return isListOfConfigMaps(r) && r.URL.Query().Has("continue") },
			replyWith(410, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410}`))
		threeAtATime(g)
		got, err := start(t, g.connection()).invoke(t, "getObjects", w.listing(nil))
		require.NoError(t, err)
		assert.Equal(t, all, names(t, got))
	})
}

func TestGetObjectsOfSecrets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const hush = "aHVzaC1odXNo"
	w.create(object(t, `{apiVersion: v1, kind: Secret, metadata: {name: it, namespace: %s}, data: {k: %s}}`, w.namespace, hush))
	p := start(t, inline(newUser(t)))
	args := map[string]any{"apiVersion": "v1", "kind": "Secret", "namespace": w.namespace}
	t.Run("what they hold is secret, and the rest is not [F6]", func(t *testing.T) {
		got, err := p.invoke(t, "getObjects", args)
		require.NoError(t, err)
		require.Equal(t, []string{"it"}, names(t, got))
		assert.True(t, got["manifests"].ArrayValue()[0].ObjectValue()["data"].IsSecret())
		assert.NotContains(t, clear(got), hush)
		assert.NotContains(t, p.log.all(), hush)
	})
	t.Run("their metadata has nothing that is [F6]", func(t *testing.T) {
		args["metadataOnly"] = true
		got, err := p.invoke(t, "getObjects", args)
		require.NoError(t, err)
		assert.False(t, got.ContainsSecrets())
	})
	t.Run("what is found by a secret is secret [F6]", func(t *testing.T) {
		args["fieldSelector"] = resource.MakeSecret(resource.NewStringProperty("metadata.name=it"))
		got, err := p.invoke(t, "getObjects", args)
		require.NoError(t, err)
		assert.True(t, got["manifests"].IsSecret())
		assert.True(t, got["truncated"].IsSecret())
	})
}

func TestAListThatCannotBeReadIsNeverEmpty(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.labelled("it", "a")
	for name, c := range map[string]struct {
		match func(*http.Request) bool
		do    func(http.ResponseWriter, *http.Request, func() *httptest.ResponseRecorder)
		want  string
	}{
		"a discovery that fails":   {isDiscovery, replyWith(503, "{}"), "the API server failed"},
		"a list that is not sent":  {isListOfConfigMaps, loseReply, "the connection to the API server failed"},
		"a list that is forbidden": {isListOfConfigMaps, replyWith(403, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403}`), "403"},
		"an answer of another URL": {isListOfConfigMaps, replyWith(200, `{"kind":"Status","apiVersion":"v1","status":"Success"}`), "it failed"},
		"an answer that is cut":    {isListOfConfigMaps, replyWith(200, `{"kind":"ConfigMapList","items":[`), "it failed"},
	} {
		t.Run(name+" [F6]", func(t *testing.T) {
			t.Parallel()
			g := newGateway(t)
			g.always(c.match, c.do)
			got, err := start(t, g.connection()).invoke(t, "getObjects", w.listing(nil))
			require.ErrorContains(t, err, c.want)
			assert.Contains(t, err.Error(), "cannot read the ConfigMap objects of v1 in namespace "+w.namespace+": ")
			assert.Empty(t, got)
		})
	}
	t.Run("an unknown kind [F6]", func(t *testing.T) {
		t.Parallel()
		_, err := start(t, inline(newUser(t))).invoke(t, "getObjects", w.listing(map[string]any{"kind": "Deployment"}))
		require.ErrorContains(t, err, `the cluster has no kind "Deployment" in "v1"`)
		assert.Contains(t, strings.Join(strings.Fields(err.Error()), " "), "it has it in apps/v1")
	})
	t.Run("a field that the kind cannot be selected by [F6]", func(t *testing.T) {
		t.Parallel()
		_, err := start(t, inline(newUser(t))).invoke(t, "getObjects", w.listing(map[string]any{"fieldSelector": "data.k=v"}))
		require.ErrorContains(t, err, "the API server refuses the selector")
		assert.ErrorContains(t, err, `"data.k" is not a known field selector: only "metadata.name", "metadata.namespace"`)
	})
}

func TestMistakesInTheArgumentsOfGetObjects(t *testing.T) {
	t.Parallel()
	p := start(t, map[string]any{"host": "https://127.0.0.1:1", "token": "x"})
	with := func(more map[string]any) map[string]any {
		args := map[string]any{"apiVersion": "v1", "kind": "Pod"}
		maps.Copy(args, more)
		return args
	}
	for name, c := range map[string]struct {
		args map[string]any
		want string
	}{
		"a missing kind":         {map[string]any{"apiVersion": "v1"}, "kind The value must be set."},
		"a kind that is none":    {map[string]any{"apiVersion": "v1", "kind": 1.0}, "kind The value must be a text."},
		"a wrong version":        {with(map[string]any{"apiVersion": "a/b/c"}), "apiVersion The value must be a version"},
		"another argument":       {with(map[string]any{"name": "x"}), `name There is no argument "name".`},
		"a wrong label selector": {with(map[string]any{"labelSelector": "a in b"}), "labelSelector The value is not a label selector: "},
		"a wrong field selector": {with(map[string]any{"fieldSelector": "a"}), "fieldSelector The value is not a field selector: "},
		"a limit of nothing":     {with(map[string]any{"limit": 0.0}), "limit The value must be a whole number of at least 1."},
		"half an object":         {with(map[string]any{"limit": 1.5}), "limit The value must be a whole number of at least 1."},
		"a wrong flag":           {with(map[string]any{"metadataOnly": "yes"}), "metadataOnly The value must be true or false."},
		"one and all namespaces": {with(map[string]any{"namespace": "x", "allNamespaces": true}), "allNamespaces Set either namespace or allNamespaces."},
	} {
		t.Run(name+" is told by its argument [F6]", func(t *testing.T) {
			_, err := p.invoke(t, "getObjects", c.args)
			var wrong invalid
			require.ErrorAs(t, err, &wrong)
			require.Len(t, wrong.failures, 1)
			assert.Contains(t, string(wrong.failures[0].Property)+" "+wrong.failures[0].Reason, c.want)
		})
	}
}
