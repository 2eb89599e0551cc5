package rpc_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// shop is a program in a pod, which answers as the test says.
type shop struct {
	server *httptest.Server
	ip     string
	answer atomic.Pointer[http.HandlerFunc]
	asked  atomic.Int64
}

var shops atomic.Int64

// newShop is a Service "shop" with the named port web (80) and a pod "shop-0" that listens at port 8080, which answers
// nothing but 503.
func (w world) newShop(tls bool) *shop {
	w.t.Helper()
	s := &shop{ip: fmt.Sprintf("10.77.0.%d", shops.Add(1))}
	handler := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		s.asked.Add(1)
		(*s.answer.Load())(rw, r)
	})
	s.answers(http.StatusServiceUnavailable)
	if tls {
		s.server = httptest.NewTLSServer(handler)
	} else {
		s.server = httptest.NewServer(handler)
	}
	w.t.Cleanup(s.server.Close)
	shared.Get(w.t).AnswerAt(w.t, s.ip+":8080", s.server)
	w.create(object(w.t, `{apiVersion: v1, kind: Pod, metadata: {name: shop-0, namespace: %s},
		spec: {containers: [{name: c, image: shop, ports: [{name: http, containerPort: 8080}]}]}}`, w.namespace))
	w.report("Pod", "shop-0", object(w.t, `{phase: Running, podIP: %s, podIPs: [{ip: %s}]}`, s.ip, s.ip))
	w.create(object(w.t, `{apiVersion: v1, kind: Service, metadata: {name: shop, namespace: %s},
		spec: {ports: [{name: web, port: 80, targetPort: 8080}]}}`, w.namespace))
	return s
}

// open lets the Service find the pod.
func (w world) open(s *shop) {
	w.t.Helper()
	w.endpoints(fmt.Sprintf(`[{addresses: [{ip: %s, targetRef: {kind: Pod, namespace: %s, name: shop-0}}], ports: [{name: web, port: 8080}]}]`,
		s.ip, w.namespace))
}

// endpoints makes what the API server goes by, though it warns of it.
func (w world) endpoints(subsets string) {
	w.t.Helper()
	config := shared.Get(w.t).RESTConfig()
	config.WarningHandler = rest.NoWarnings{}
	client, err := dynamic.NewForConfig(config)
	require.NoError(w.t, err)
	_, err = client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "endpoints"}).Namespace(w.namespace).Apply(w.t.Context(), "shop",
		unstructuredOf(object(w.t, `{apiVersion: v1, kind: Endpoints, metadata: {name: shop}, subsets: %s}`, subsets)),
		metav1.ApplyOptions{FieldManager: "endpoints", Force: true})
	require.NoError(w.t, err)
}

func (s *shop) answersBy(answer http.HandlerFunc) { s.answer.Store(&answer) }

func (s *shop) answers(status int) {
	s.answersBy(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(status) })
}

func (w world) refTo(kind, name string) map[string]any {
	return map[string]any{"apiVersion": "v1", "kind": kind, "namespace": w.namespace, "name": name}
}

// asking is what a program gives to a Wait for an answer of the shop.
func (w world) asking(http map[string]any, timeout string) resource.PropertyMap {
	return waiting(w.refTo("Service", "shop"), map[string]any{"http": http, "timeout": timeout})
}

// answerTime is the timeout of a wait that is to see an answer and fail, on a busy machine, too.
const answerTime = "5s"

func TestAWaitForAnAnswer(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	health := m{"path": "/healthz?full=1", "port": "web"}
	t.Run("ends when the Service answers, and asks no more then [R30]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		shop := w.newShop(false)
		w.open(shop)
		var seen atomic.Pointer[http.Request]
		s := start(t, inline(newUser(t))).wait(t, "it")
		in := w.asking(health, longTime)
		done := make(chan error, 1)
		go func() { done <- s.create(in) }()
		eventually(t, func() bool { return shop.asked.Load() >= 2 }, "it is asked again and again")
		require.Empty(t, done)
		shop.answersBy(func(_ http.ResponseWriter, r *http.Request) { seen.Store(r) })
		require.NoError(t, ended(t, done))
		requireWaited(t, s)
		assert.Equal(t, "/healthz?full=1", seen.Load().URL.String())
		assert.Equal(t, http.MethodGet, seen.Load().Method)
		assert.Empty(t, seen.Load().Header.Get("Authorization"))
		assert.Empty(t, s.warned())

		asked := shop.asked.Load()
		shop.answers(http.StatusTeapot)
		s.mustUp("same", in)
		s.mustRead().mustUp("same", in)
		assert.Equal(t, asked, shop.asked.Load(), "what has held is over")
		assert.Equal(t, m{"waitFor.http.status": "add"}, anyOf(s.mustDiff(w.asking(m{"path": "/healthz?full=1", "port": "web", "status": []any{418.0}}, longTime))))
	})
	t.Run("says the last answer, and nothing of its body and headers [R31]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		shop := w.newShop(false)
		w.open(shop)
		shop.answersBy(func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("X-Secret", hush)
			rw.WriteHeader(http.StatusInternalServerError)
			_, _ = rw.Write([]byte(hush))
		})
		s := start(t, inline(newUser(t))).wait(t, "it")
		text := requireWaitPending(t, s, s.create(w.asking(health, answerTime)))
		assert.Contains(t, text, "Service "+w.namespace+"/shop: timed out after 5s waiting for the answer 2xx to GET /healthz?full=1 at port web [WaitTimedOut]")
		assert.Contains(t, text, "GET /healthz?full=1 at port web is answered 500 Internal Server Error; it should be 2xx")
		assert.Contains(t, text, "waits again, in place")
		looked := looks(t, s)
		assert.Contains(t, looked, "is answered 500 Internal Server Error")
		for _, said := range []string{text, looked, s.process.log.all()} {
			assert.NotContains(t, said, hush)
		}
	})
	t.Run("takes no error of the API server for an answer [R32]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		shop := w.newShop(false)
		unavailable := m{"status": []any{404.0, 502.0, 503.0}}
		s := start(t, inline(newUser(t))).wait(t, "it")
		text := requireWaitPending(t, s, s.create(w.asking(unavailable, answerTime)))
		assert.Contains(t, text, "GET / is not answered: it has no endpoints", "404")
		w.endpoints("[]")
		assert.Contains(t, looks(t, s), `GET / is not answered: no endpoints available for service "shop"`, "503")
		w.open(shop)
		w.report("Pod", "shop-0", object(t, `{podIP: 10.78.0.1, podIPs: [{ip: 10.78.0.1}]}`))
		assert.Contains(t, looks(t, s), `no endpoints available for service "shop:web"`, "503")
		w.report("Pod", "shop-0", object(t, `{podIP: %s, podIPs: [{ip: %s}]}`, shop.ip, shop.ip))
		shop.server.CloseClientConnections()
		shop.answersBy(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
		assert.Contains(t, looks(t, s), "GET / is not answered: error trying to reach service: EOF", "503")
		shop.answers(http.StatusServiceUnavailable)
		assert.Empty(t, looks(t, s), "the Service answers 503")
	})
	t.Run("follows no redirect [R33]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		shop, other := w.newShop(false), atomic.Int64{}
		w.open(shop)
		elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { other.Add(1) }))
		t.Cleanup(elsewhere.Close)
		shop.answersBy(func(rw http.ResponseWriter, r *http.Request) {
			http.Redirect(rw, r, elsewhere.URL+"/"+hush, http.StatusFound)
		})
		s := start(t, inline(newUser(t))).wait(t, "it")
		text := requireWaitPending(t, s, s.create(w.asking(m{}, answerTime)))
		assert.Contains(t, text, "GET / is answered 302 Found, a redirect, which is not followed; it should be 2xx")
		assert.NotContains(t, text, hush)
		_, err := s.up(w.asking(m{"status": []any{200.0, 302.0}}, longTime))
		require.NoError(t, err)
		assert.Zero(t, other.Load())
	})
	t.Run("does not read an answer that never ends, and waits no longer than its timeout for one that does not begin [R30]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		shop := w.newShop(false)
		w.open(shop)
		shop.answersBy(func(rw http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := fmt.Fprintln(rw, strings.Repeat("x", 1000)); err != nil {
					return
				}
			}
		})
		s := start(t, inline(newUser(t))).wait(t, "it")
		require.NoError(t, s.create(w.asking(m{}, longTime)))
		shop.answersBy(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		mute := s.process.wait(t, "mute")
		text := requireWaitPending(t, mute, mute.create(w.asking(m{}, shortTime)))
		assert.Contains(t, text, "GET / is not answered yet")
	})
	t.Run("asks when everything else holds, and not before [R34]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		shop := w.newShop(false)
		w.open(shop)
		shop.answers(http.StatusOK)
		s := start(t, inline(newUser(t))).wait(t, "it")
		done := w.begin("shop", func() error {
			return s.create(waiting(w.refTo("Service", "shop"), m{"http": m{}, "field": "metadata.labels.open", "timeout": longTime}))
		})
		assert.Zero(t, shop.asked.Load())
		w.patch("Service", "shop", m{"metadata": m{"labels": m{"open": "yes"}}})
		require.NoError(t, ended(t, done))
		assert.EqualValues(t, 1, shop.asked.Load())
		assert.Equal(t, "yes", at(t, s.outputs, "status.metadata.labels.open"))
	})
	t.Run("that is pending is settled by a look, with one request to the Service [R35]", func(t *testing.T) {
		t.Parallel()
		w, user := newWorld(t), newUser(t)
		shop := w.newShop(false)
		w.open(shop)
		s := start(t, inline(user)).wait(t, "it")
		in := w.asking(m{}, longTime)
		did, _, err := s.preview(in)
		require.NoError(t, err)
		assert.Equal(t, "create", did)
		assert.Zero(t, shop.asked.Load(), "a preview asks nothing")
		requireWaitPending(t, s, s.create(w.asking(m{}, shortTime)))
		asked := shop.asked.Load()
		assert.Contains(t, s.mustDiff(in), "waitFor.timeout")
		_, err = s.process.Update(t.Context(), plugin.UpdateRequest{
			URN: s.urn, ID: s.id, OldInputs: sent(s.inputs), OldOutputs: sent(s.outputs), NewInputs: sent(in), Preview: true,
		})
		require.NoError(t, err)
		assert.Equal(t, asked, shop.asked.Load(), "a preview asks nothing")
		shop.answers(http.StatusNoContent)
		assert.Empty(t, looks(t, s))
		requireWaited(t, s)
		assert.Equal(t, asked+1, shop.asked.Load())
	})
	t.Run("whose inputs are not known yet is planned without a request [R35]", func(t *testing.T) {
		t.Parallel()
		w, user := newWorld(t), newUser(t)
		take := requests(t, user)
		s := start(t, inline(user)).wait(t, "it")
		unknown := resource.MakeComputed(resource.NewProperty(""))
		for _, waitFor := range []m{
			{"http": unknown}, {"http": m{"path": unknown}}, {"http": m{"port": unknown}}, {"http": m{"status": unknown}}, {"http": m{"status": []any{unknown}}},
		} {
			did, _, err := s.preview(waiting(w.refTo("Service", "shop"), waitFor))
			require.NoError(t, err)
			assert.Equal(t, "create", did)
		}
		assert.Empty(t, take())
	})
	t.Run("shows no secret path [R36]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.open(w.newShop(false))
		s := start(t, inline(newUser(t))).wait(t, "it")
		text := requireWaitPending(t, s, s.create(w.asking(m{"path": resource.MakeSecret(resource.NewProperty("/" + hush))}, shortTime)))
		for _, said := range []string{text, looks(t, s), s.process.log.all()} {
			assert.NotContains(t, said, hush)
		}
	})
	t.Run("warns, and goes on, if it may fail [R30]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.open(w.newShop(false))
		s := start(t, inline(newUser(t))).wait(t, "it")
		in := w.asking(m{}, answerTime)
		in["onFailure"] = resource.NewProperty("warn")
		require.NoError(t, s.create(in))
		assert.Contains(t, s.warned(), "is answered 503 Service Unavailable")
	})
}

func TestWhomAWaitAsks(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	for what, c := range map[string]struct {
		kind, name string
		http       m
		tls        bool
	}{
		"a Service by the name of its port": {"Service", "shop", m{"port": "web"}, false},
		"a Service by its number":           {"Service", "shop", m{"port": 80.0}, false},
		"a Service over https":              {"Service", "shop", m{"port": "80", "scheme": "https"}, true},
		"a Pod at its only port":            {"Pod", "shop-0", m{}, false},
		"a Pod by the name of its port":     {"Pod", "shop-0", m{"port": "http"}, false},
		"a Pod by its number":               {"Pod", "shop-0", m{"port": 8080.0}, false},
		"a Pod over https":                  {"Pod", "shop-0", m{"scheme": "https"}, true},
	} {
		t.Run(what+" [R37]", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			shop := w.newShop(c.tls)
			w.open(shop)
			shop.answers(http.StatusOK)
			s := start(t, inline(newUser(t))).wait(t, "it")
			s.mustUp("create", waiting(w.refTo(c.kind, c.name), m{"http": c.http, "timeout": longTime}))
			assert.EqualValues(t, 1, shop.asked.Load())
		})
	}
	t.Run("a Service without such a port is waited for until it has it [R37]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		shop := w.newShop(false)
		w.open(shop)
		shop.answers(http.StatusOK)
		s := start(t, inline(newUser(t))).wait(t, "it")
		text := requireWaitPending(t, s, s.create(w.asking(m{"port": 81.0}, shortTime)))
		assert.Contains(t, text, "it has no TCP port 81, only web (80)")
		w.patch("Service", "shop", m{"spec": m{"ports": []any{m{"name": "web", "port": 81, "targetPort": 8080}}}})
		assert.Empty(t, looks(t, s))
	})
	t.Run("a port that is one of several must be named [R37]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		shop := w.newShop(false)
		w.open(shop)
		shop.answers(http.StatusOK)
		w.patch("Service", "shop", m{"spec": m{"ports": []any{m{"name": "web", "port": 80}, m{"name": "metrics", "port": 9090}}}})
		s := start(t, inline(newUser(t))).wait(t, "it")
		text := requireWaitPending(t, s, s.create(w.asking(m{}, longTime)))
		assert.Contains(t, text, "[WaitFailed]")
		assert.Contains(t, text, "it has several ports: web (80), metrics (9090)")
		assert.Contains(t, text, "Next: set waitFor.http.port to one of them")
		_, err := s.up(w.asking(m{"port": "web"}, longTime))
		require.NoError(t, err)
	})
	t.Run("a Patch waits for an answer, too [R38]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		shop := w.newShop(false)
		w.open(shop)
		in := func(timeout string) resource.PropertyMap {
			return resource.NewPropertyMapFromMap(m{
				"target": w.refTo("Service", "shop"), "mergePatch": m{"metadata": m{"labels": m{"a": "b"}}}, "takeOwnership": true,
				"waitFor": m{"http": m{}, "timeout": timeout},
			})
		}
		s := patched(t, w, start(t, inline(newUser(t))), "it")
		require.Error(t, s.create(in(shortTime)))
		assert.Contains(t, s.mustRead().initErrors[0], "GET / is answered 503 Service Unavailable")
		shop.answers(http.StatusOK)
		assert.Empty(t, s.mustRead().initErrors)
		s.mustUp("update", in(longTime))
	})
}

func TestAWaitForAnAnswerWithFewPermissions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.open(w.newShop(false))
	user := w.mayOnly()
	grant := func(name string, resources ...string) {
		ctx, rbac := t.Context(), shared.Get(t).Client().RbacV1()
		_, err := rbac.Roles(w.namespace).Create(ctx, &rbacv1.Role{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: resources, Verbs: []string{"get"}}},
		}, metav1.CreateOptions{})
		require.NoError(t, err)
		_, err = rbac.RoleBindings(w.namespace).Create(ctx, &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			RoleRef:    rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "Role", Name: name},
			Subjects:   []rbacv1.Subject{{Kind: "User", Name: user.Name}},
		}, metav1.CreateOptions{})
		require.NoError(t, err)
	}
	s := start(t, inline(user)).wait(t, "it")
	ask := func() string {
		var err error
		if s.id == "" {
			err = s.create(w.asking(map[string]any{"status": []any{403.0, 503.0}}, longTime))
		} else {
			_, err = s.up(w.asking(map[string]any{"status": []any{403.0, 503.0}}, longTime))
		}
		if err == nil {
			return ""
		}
		return requireWaitPending(t, s, err)
	}
	grant("reads", "services")
	var text string
	eventually(t, func() bool { text = ask(); return !strings.Contains(text, "may not get services in") }, "the authorizer has learned of it")
	assert.Contains(t, text, "cannot ask Service "+w.namespace+"/shop, to wait for the answer 403 or 503 to GET /: user")
	assert.Contains(t, text, `may not get services/proxy in namespace "`+w.namespace+`" (403)`)
	assert.Contains(t, text, "kubectl auth can-i get services/proxy --namespace "+w.namespace)
	assert.Contains(t, text, "[Forbidden]")
	assert.Contains(t, text, "waits again, in place")
	assert.Contains(t, looks(t, s), "services/proxy")

	grant("asks", "services/proxy")
	began := time.Now()
	eventually(t, func() bool { return ask() == "" }, "it may ask, and the Service answers 503")
	assert.Less(t, time.Since(began), 20*time.Second)
	requireWaited(t, s)
}
