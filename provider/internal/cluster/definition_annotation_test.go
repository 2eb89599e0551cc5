package cluster_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

func TestTheAnnotationOfADefinition(t *testing.T) { // [R44]
	t.Parallel()
	const widgets = `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"acme.io/v1","resources":[{"name":"widgets","kind":"Widget","verbs":["get"]}]}`
	const named = `{"kind":"Status","apiVersion":"v1","status":"Failure","code":404,"reason":"NotFound","details":{"kind":"customresourcedefinitions","name":"widgets.acme.io"}}`
	page := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte("<h1>no backend</h1>"))
	}
	for name, c := range map[string]struct {
		answer  http.HandlerFunc
		want    string
		isError bool
	}{
		"is what it says": {
			says(200, `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"widgets.acme.io","annotations":{"rule":"x"}}}`), "x", false,
		},
		"is empty where there is none":                        {says(200, `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{}}`), "", false},
		"is empty where something else defines the kind":      {says(404, named), "", false},
		"is empty for a user who may not read it":             {status(403, "Forbidden"), "", false},
		"is not known where a load balancer has no backend":   {page, "", true},
		"is not known where something else answers in JSON":   {says(200, `{"kind":"Login"}`), "", true},
		"is not known where the API server has an accident":   {status(500, "InternalError"), "", true},
		"is not known where a gateway has lost the cluster":   {status(404, "NotFound"), "", true},
		"is not known where the credentials are not accepted": {status(401, "Unauthorized"), "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, clu := newFake(t)
			f.says(func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/apis/acme.io/v1":
					says(200, widgets)(w, r)
				case "/apis/apiextensions.k8s.io/v1":
					says(200, `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"apiextensions.k8s.io/v1","resources":[{"name":"customresourcedefinitions","kind":"CustomResourceDefinition","verbs":["get"]}]}`)(w, r)
				case "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.acme.io":
					c.answer(w, r)
				default:
					status(404, "NotFound")(w, r)
				}
			})
			got, err := clu.DefinitionAnnotation(t.Context(), "acme.io/v1", "Widget", "rule")
			assert.Equal(t, c.want, got)
			assert.Equal(t, c.isError, err != nil, "%v", err)
			assert.False(t, err != nil && failure.Gone(err), "an object is not gone for that: %v", err)
		})
	}
}
