package cluster_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

var manager = cluster.ApplyOptions{FieldManager: "test", Force: true}

func TestApplyTellsCreatedFromUpdatedAndChecksItsPreconditions(t *testing.T) {
	ctx, c, ns := t.Context(), admin(t), shared.Get(t).Namespace(t)
	object := configMap(ns, "web", nil)
	createOnly := cluster.ApplyOptions{FieldManager: "test", CreateOnly: true}

	dry := createOnly
	dry.DryRun = true
	result, err := c.Apply(ctx, object, dry)
	require.NoError(t, err)
	assert.True(t, result.Created)
	_, err = c.Get(ctx, cluster.RefOf(object))
	require.True(t, apierrors.IsNotFound(err), "a dry-run writes nothing")

	result, err = c.Apply(ctx, object, createOnly)
	require.NoError(t, err)
	assert.True(t, result.Created)
	uid := result.Object.GetUID()

	_, err = c.Apply(ctx, object, createOnly)
	require.True(t, apierrors.IsConflict(err), "%v", err)
	assert.Equal(t, failure.Refused, failure.Outcome(err))
	assert.Empty(t, object.GetResourceVersion(), "the given object is not changed")

	result, err = c.Apply(ctx, configMap(ns, "web", map[string]any{"a": "2"}), cluster.ApplyOptions{FieldManager: "test", UID: uid})
	require.NoError(t, err)
	assert.False(t, result.Created)
	assert.Equal(t, uid, result.Object.GetUID())

	_, err = c.Apply(ctx, object, cluster.ApplyOptions{FieldManager: "test", UID: "other"})
	assert.Equal(t, failure.Refused, failure.Outcome(err), "%v", err)
	_, err = c.Apply(ctx, configMap(ns, "absent", nil), cluster.ApplyOptions{FieldManager: "test", UID: uid})
	assert.Equal(t, failure.Refused, failure.Outcome(err), "%v", err)

	other := configMap(ns, "web", map[string]any{"a": "3"})
	_, err = c.Apply(ctx, other, cluster.ApplyOptions{FieldManager: "other"})
	assert.Equal(t, failure.ClassFieldConflict, failure.Classify(err))
	assert.Len(t, failure.FieldConflicts(err), 1)
}

func TestApplyIsStrictAndSendsOneRequest(t *testing.T) {
	requests := &counter{}
	ctx, c, ns := t.Context(), admin(t, cluster.WithTransport(requests.wrap)), shared.Get(t).Namespace(t)
	_, err := c.Apply(ctx, configMap(ns, "web", nil), manager)
	require.NoError(t, err)
	assert.Equal(t, []string{"GET /api/v1", "PATCH /api/v1/namespaces/" + ns + "/configmaps/web"}, requests.take())

	typo := configMap(ns, "web", nil)
	typo.Object["dataa"] = map[string]any{}
	_, err = c.Apply(ctx, typo, manager)
	assert.Equal(t, failure.Refused, failure.Outcome(err), "%v", err)
	assert.Equal(t, failure.ClassInvalid, failure.Classify(err))
	assert.Contains(t, failure.Explain(err, failure.Operation{Verb: "apply", Subject: "ConfigMap web"}).Error(), "dataa")

	_, err = c.Apply(ctx, configMap("no-such-namespace", "web", nil), manager)
	assert.True(t, failure.NamespaceMissing(err), "%v", err)
	_, err = c.Apply(ctx, configMap("", "web", nil), manager)
	assert.Equal(t, failure.NotSent, failure.Outcome(err))
}

func TestPatchAndListAreOneRequestEach(t *testing.T) {
	ctx, c, ns := t.Context(), admin(t), shared.Get(t).Namespace(t)
	_, err := c.Apply(ctx, configMap(ns, "web", nil), manager)
	require.NoError(t, err)
	ref := cluster.Ref{APIVersion: "v1", Kind: "ConfigMap", Namespace: ns, Name: "web"}
	patched, err := c.Patch(ctx, ref, []byte(`[{"op":"add","path":"/data/b","value":"2"}]`), cluster.PatchOptions{Type: types.JSONPatchType, FieldManager: "x"})
	require.NoError(t, err)
	b, _, _ := unstructured.NestedString(patched.Object, "data", "b")
	assert.Equal(t, "2", b)
	list, err := c.List(ctx, cluster.ListOptions{APIVersion: "v1", Kind: "ConfigMap", Namespace: ns, FieldSelector: "metadata.name=web"})
	require.NoError(t, err)
	assert.Len(t, list.Items, 1)
}

func TestWarningsReachTheCaller(t *testing.T) {
	ctx, c, ns := t.Context(), admin(t), shared.Get(t).Namespace(t)
	var heard []string
	ctx = cluster.WithWarnings(ctx, func(text string) { heard = append(heard, text) })
	ingress := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "networking.k8s.io/v1", "kind": "Ingress",
		"metadata": map[string]any{"name": "web", "namespace": ns, "annotations": map[string]any{"kubernetes.io/ingress.class": "x"}},
		"spec": map[string]any{"defaultBackend": map[string]any{"service": map[string]any{
			"name": "web", "port": map[string]any{"number": int64(80)}}}},
	}}
	_, err := c.Apply(ctx, ingress, manager)
	require.NoError(t, err)
	require.Len(t, heard, 1)
	assert.Contains(t, heard[0], "deprecated")
}

func TestDeleteTellsGoneFromTerminating(t *testing.T) {
	requests := &counter{}
	ctx, c, ns := t.Context(), admin(t, cluster.WithTransport(requests.wrap)), shared.Get(t).Namespace(t)
	make := func(object *unstructured.Unstructured) (cluster.Ref, types.UID) {
		result, err := c.Apply(ctx, object, manager)
		require.NoError(t, err)
		requests.take()
		return cluster.RefOf(object), result.Object.GetUID()
	}

	ref, uid := make(configMap(ns, "plain", nil))
	result, err := c.Delete(ctx, ref, cluster.DeleteOptions{UID: uid, Propagation: metav1.DeletePropagationBackground})
	require.NoError(t, err)
	assert.True(t, result.Gone)
	assert.Len(t, requests.take(), 1)
	result, err = c.Delete(ctx, ref, cluster.DeleteOptions{UID: uid})
	require.NoError(t, err)
	assert.True(t, result.Gone, "absent is gone")

	ref, _ = make(configMap(ns, "plain", nil))
	result, err = c.Delete(ctx, ref, cluster.DeleteOptions{UID: uid})
	require.NoError(t, err)
	assert.True(t, result.Gone && result.Replaced, "another object of the name is left alone")
	_, err = c.Get(ctx, ref)
	require.NoError(t, err)

	account := configMap(ns, "account", nil)
	account.SetKind("ServiceAccount")
	delete(account.Object, "data")
	ref, uid = make(account)
	result, err = c.Delete(ctx, ref, cluster.DeleteOptions{UID: uid})
	require.NoError(t, err)
	assert.True(t, result.Gone, "an answer with the object is not taken for an object that is still there")

	result, err = c.Delete(ctx, cluster.Ref{APIVersion: "example.com/v1", Kind: "Gone", Name: "x"}, cluster.DeleteOptions{})
	require.NoError(t, err)
	assert.True(t, result.Gone, "a kind that is not served has no objects")
}

func held(ns, name string) *unstructured.Unstructured {
	object := configMap(ns, name, nil)
	object.SetFinalizers([]string{"example.com/hold"})
	return object
}

func release(t *testing.T, c *cluster.Cluster, ref cluster.Ref) {
	t.Helper()
	_, err := c.Patch(context.Background(), ref, []byte(`{"metadata":{"finalizers":null}}`), cluster.PatchOptions{Type: types.MergePatchType})
	assert.NoError(t, err)
}

func TestAwaitDeletedEndsWhenTheFinalizerGoes(t *testing.T) {
	requests := &counter{}
	ctx, c, ns := within(t, 20*time.Second), admin(t, cluster.WithTransport(requests.wrap)), shared.Get(t).Namespace(t)
	object := held(ns, "web")
	_, err := c.Apply(ctx, object, manager)
	require.NoError(t, err)
	ref := cluster.RefOf(object)
	requests.take()
	result, err := c.Delete(ctx, ref, cluster.DeleteOptions{})
	require.NoError(t, err)
	require.False(t, result.Gone)
	require.Equal(t, []string{"example.com/hold"}, result.Object.GetFinalizers())

	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	err = c.AwaitDeleted(short, ref, result.Object, nil)
	var still *cluster.StillThereError
	require.ErrorAs(t, err, &still)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Equal(t, []string{"example.com/hold"}, still.Last.GetFinalizers())

	requests.take()
	var released time.Time
	go func() {
		time.Sleep(300 * time.Millisecond)
		released = time.Now()
		release(t, admin(t), ref)
	}()
	progress := 0
	require.NoError(t, c.AwaitDeleted(ctx, ref, result.Object, func(*unstructured.Unstructured) { progress++ }))
	assert.Less(t, time.Since(released), 250*time.Millisecond, "a watch is not a poll")
	assert.GreaterOrEqual(t, progress, 1)
	assert.Equal(t, []string{"GET /api/v1/namespaces/" + ns + "/configmaps"}, requests.take(), "one watch and nothing else")
}

func TestAwaitDeletedSurvivesEveryEndOfAWatch(t *testing.T) {
	t.Run("closed at once, refused, gone (410), then real [W25]", func(t *testing.T) {
		var watches atomic.Int32
		trouble := func(next http.RoundTripper) http.RoundTripper {
			return roundTripper(func(r *http.Request) (*http.Response, error) {
				if r.URL.Query().Get("watch") != "true" {
					return next.RoundTrip(r)
				}
				switch watches.Add(1) {
				case 1:
					return answer(r, 200, ""), nil
				case 2:
					return nil, errors.New("connection lost")
				case 3:
					return answer(r, 200, `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","code":410,"reason":"Expired"}}`), nil
				case 4:
					return answer(r, 503, `{"kind":"Status","apiVersion":"v1","status":"Failure","code":503,"reason":"ServiceUnavailable"}`), nil
				case 5:
					return answer(r, 410, `{"kind":"Status","apiVersion":"v1","status":"Failure","code":410,"reason":"Expired"}`), nil
				}
				return next.RoundTrip(r)
			})
		}
		ctx, c, ns := within(t, 30*time.Second), admin(t, cluster.WithTransport(trouble)), shared.Get(t).Namespace(t)
		object := held(ns, "web")
		_, err := c.Apply(ctx, object, manager)
		require.NoError(t, err)
		result, err := c.Delete(ctx, cluster.RefOf(object), cluster.DeleteOptions{})
		require.NoError(t, err)
		go func() {
			for watches.Load() < 6 {
				time.Sleep(10 * time.Millisecond)
			}
			release(t, c, cluster.RefOf(object))
		}()
		require.NoError(t, c.AwaitDeleted(ctx, cluster.RefOf(object), result.Object, nil))
	})
	t.Run("watching forbidden: it polls and says so [W26]", func(t *testing.T) {
		forbid := func(next http.RoundTripper) http.RoundTripper {
			return roundTripper(func(r *http.Request) (*http.Response, error) {
				if r.URL.Query().Get("watch") == "true" {
					return answer(r, 403, `{"kind":"Status","apiVersion":"v1","status":"Failure","code":403,"reason":"Forbidden"}`), nil
				}
				return next.RoundTrip(r)
			})
		}
		ctx, c, ns := within(t, 20*time.Second), admin(t, cluster.WithTransport(forbid)), shared.Get(t).Namespace(t)
		object := held(ns, "web")
		_, err := c.Apply(ctx, object, manager)
		require.NoError(t, err)
		ref := cluster.RefOf(object)
		result, err := c.Delete(ctx, ref, cluster.DeleteOptions{})
		require.NoError(t, err)
		told := 0
		time.AfterFunc(1200*time.Millisecond, func() { release(t, c, ref) })
		err = c.Follow(ctx, ref, result.Object, cluster.FollowOptions{Polling: func(error) { told++ }},
			func(live *unstructured.Unstructured) (bool, error) { return live == nil, nil })
		require.NoError(t, err)
		assert.Equal(t, 1, told)
	})
}

func answer(r *http.Request, code int, body string) *http.Response {
	return &http.Response{
		StatusCode: code, Status: http.StatusText(code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: readCloser{strings.NewReader(body)},
	}
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }

func TestFollowSeesTheObjectAppearChangeAndGo(t *testing.T) {
	ctx, c, ns := within(t, 20*time.Second), admin(t), shared.Get(t).Namespace(t)
	object := configMap(ns, "later", nil)
	ref := cluster.RefOf(object)
	var states []string
	err := c.Follow(ctx, ref, nil, cluster.FollowOptions{}, func(live *unstructured.Unstructured) (bool, error) {
		if live == nil {
			states = append(states, "absent")
			if len(states) > 1 {
				return true, nil
			}
			time.AfterFunc(50*time.Millisecond, func() { _, _ = c.Apply(ctx, object, manager) })
			return false, nil
		}
		value, _, _ := unstructured.NestedString(live.Object, "data", "a")
		states = append(states, value)
		if value == "1" {
			go func() { _, _ = c.Apply(ctx, configMap(ns, "later", map[string]any{"a": "2"}), manager) }()
		} else {
			go func() { _, _ = c.Delete(ctx, ref, cluster.DeleteOptions{}) }()
		}
		return false, nil
	})
	require.NoError(t, err)
	assert.Equal(t, []string{"absent", "1", "2", "absent"}, states)
}

func TestOutcomeIsKnownFromTheConnection(t *testing.T) {
	ns := shared.Get(t).Namespace(t)
	t.Run("a reply that is lost is unknown, and nothing is sent again [O70]", func(t *testing.T) {
		var sent atomic.Int32
		lose := func(next http.RoundTripper) http.RoundTripper {
			return roundTripper(func(r *http.Request) (*http.Response, error) {
				response, err := next.RoundTrip(r)
				if r.Method != http.MethodPatch || err != nil {
					return response, err
				}
				sent.Add(1)
				_ = response.Body.Close()
				return nil, &net.OpError{Op: "read", Err: errors.New("connection reset by peer")}
			})
		}
		c := get(t, adminConnection(t), cluster.WithTransport(lose))
		_, err := c.Apply(t.Context(), configMap(ns, "lost", nil), manager)
		require.Error(t, err)
		assert.Equal(t, failure.Unknown, failure.Outcome(err))
		assert.EqualValues(t, 1, sent.Load())
		_, err = c.Get(t.Context(), cluster.Ref{APIVersion: "v1", Kind: "ConfigMap", Namespace: ns, Name: "lost"})
		require.NoError(t, err)
	})
	t.Run("a request that is cancelled on the way is unknown", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		hold := func(next http.RoundTripper) http.RoundTripper {
			return roundTripper(func(r *http.Request) (*http.Response, error) {
				if r.Method == http.MethodPatch {
					time.AfterFunc(0, cancel)
					response, err := next.RoundTrip(r)
					if err == nil {
						_ = response.Body.Close()
						err = context.Canceled
					}
					return nil, err
				}
				return next.RoundTrip(r)
			})
		}
		c := get(t, adminConnection(t), cluster.WithTransport(hold))
		_, err := c.Apply(ctx, configMap(ns, "cancelled", nil), manager)
		assert.Equal(t, failure.Unknown, failure.Outcome(err), "%v", err)
	})
	t.Run("a request under a context that has ended is not sent", func(t *testing.T) {
		c := admin(t)
		_, err := c.Resource(t.Context(), "v1", "ConfigMap")
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = c.Apply(ctx, configMap(ns, "never", nil), manager)
		assert.Equal(t, failure.NotSent, failure.Outcome(err), "%v", err)
	})
	t.Run("429 is sent again, a bounded number of times", func(t *testing.T) {
		var sent atomic.Int32
		busy := func(next http.RoundTripper) http.RoundTripper {
			return roundTripper(func(r *http.Request) (*http.Response, error) {
				if r.Method == http.MethodPatch && sent.Add(1) == 1 {
					response := answer(r, 429, "busy")
					response.Header.Set("Retry-After", "1")
					return response, nil
				}
				return next.RoundTrip(r)
			})
		}
		_, err := get(t, adminConnection(t), cluster.WithTransport(busy)).Apply(t.Context(), configMap(ns, "busy", nil), manager)
		require.NoError(t, err)
		assert.EqualValues(t, 2, sent.Load())
	})
	t.Run("a body that is no Status is never quoted", func(t *testing.T) {
		echo := func(next http.RoundTripper) http.RoundTripper {
			return roundTripper(func(r *http.Request) (*http.Response, error) {
				if r.Method == http.MethodPatch {
					response := answer(r, 502, "<html>you sent hunter2</html>")
					response.Header.Set("Content-Type", "text/html")
					return response, nil
				}
				return next.RoundTrip(r)
			})
		}
		_, err := get(t, adminConnection(t), cluster.WithTransport(echo)).Apply(t.Context(), configMap(ns, "x", nil), manager)
		require.Error(t, err)
		assert.NotContains(t, err.Error(), "hunter2")
		assert.Equal(t, failure.Unknown, failure.Outcome(err))
		assert.Equal(t, failure.ClassServer, failure.Classify(err))
	})
}
