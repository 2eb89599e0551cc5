package cluster_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

const (
	definitions   = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	registrations = "/apis/apiregistration.k8s.io/v1/apiservices"
)

// definition is a CustomResourceDefinition as the API server returns it.
func definition(kind, established string) http.HandlerFunc {
	return says(200, `{"spec": {"group": "shop.example.com", "names": {"kind": "`+kind+`"}}, "status": {"conditions": [{"type": "Established", "status": "`+established+`"}]}}`)
}

// named are the CustomResourceDefinitions by name.
func named(names ...string) http.HandlerFunc {
	items := make([]string, len(names))
	for i, name := range names {
		items[i] = `{"metadata": {"name": "` + name + `"}}`
	}
	return says(200, `{"kind": "PartialObjectMetadataList", "items": [`+strings.Join(items, ",")+`]}`)
}

// registered is an APIService of the group.
func registered(spec, available string) http.HandlerFunc {
	return says(200, `{"items": [{"metadata": {"name": "v1.apps"}, "spec": {"group": "apps"}}, {"metadata": {"name": "v2.shop.example.com"}, "spec": {"group": "shop.example.com"`+
		spec+`}, "status": {"conditions": [{"type": "Available", "status": "`+available+`"}]}}]}`)
}

func TestAKindThatIsNotServedIsGoneOnlyIfNothingDefinesIt(t *testing.T) {
	ref := cluster.Ref{APIVersion: "shop.example.com/v1", Kind: "Thing", Name: "one"}
	byDefinition := failure.Definition{Kind: "CustomResourceDefinition", Name: "objects.shop.example.com"}
	byServer, nothing := failure.Definition{Kind: "APIService", Name: "v2.shop.example.com"}, failure.Definition{}
	forbidden, broken := status(403, "Forbidden"), status(500, "InternalError")
	for name, c := range map[string]struct {
		answers   map[string]http.HandlerFunc
		definedBy failure.Definition
		gone      bool
	}{
		"its definition is there, whatever the plural": {
			map[string]http.HandlerFunc{
				definitions:                               named("things.other.example.com", "things.shop.example.com", "objects.shop.example.com"),
				definitions + "/things.shop.example.com":  definition("Other", "True"),
				definitions + "/objects.shop.example.com": definition("Thing", "True"),
			}, byDefinition, false,
		},
		"its definition never had objects": {
			map[string]http.HandlerFunc{
				definitions: named("objects.shop.example.com"),
				definitions + "/objects.shop.example.com": definition("Thing", "False"),
			}, nothing, true,
		},
		"a definition that goes meanwhile": {map[string]http.HandlerFunc{definitions: named("objects.shop.example.com")}, nothing, true},
		"another group defines it": {
			map[string]http.HandlerFunc{
				definitions: named("things.other.example.com"), definitions + "/things.other.example.com": definition("Thing", "True"),
			}, nothing, true,
		},
		"its group has a server that is away":   {map[string]http.HandlerFunc{registrations: registered(`, "service": {}`, "False")}, byServer, false},
		"its group has a server that answers":   {map[string]http.HandlerFunc{registrations: registered(`, "service": {}`, "True")}, nothing, true},
		"its group is served by the API server": {map[string]http.HandlerFunc{registrations: registered("", "False")}, nothing, true},
		"nobody may look":                       {map[string]http.HandlerFunc{definitions: forbidden, registrations: forbidden}, nothing, true},
		"only servers may be looked at": {
			map[string]http.HandlerFunc{definitions: forbidden, registrations: registered(`, "service": {}`, "False")}, byServer, false,
		},
		"the definitions cannot be read": {map[string]http.HandlerFunc{definitions: broken}, nothing, false},
		"one cannot be read": {
			map[string]http.HandlerFunc{definitions: named("objects.shop.example.com"), definitions + "/objects.shop.example.com": broken}, nothing, false,
		},
		"the servers cannot be read": {map[string]http.HandlerFunc{registrations: broken}, nothing, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, c2 := newStarting(t, 0, "")
			s.says(func(w http.ResponseWriter, r *http.Request) {
				if answer, ok := c.answers[r.URL.Path]; ok {
					answer(w, r)
					return
				}
				s.serve(w, r)
			})
			check := func(what string, err error) {
				require.Error(t, err, what)
				assert.Equal(t, c.gone, failure.Gone(err), "%s: %v", what, err)
				notServed := (*cluster.KindNotServedError)(nil)
				if c.gone || c.definedBy != nothing {
					require.ErrorAs(t, err, &notServed, what)
					assert.Equal(t, c.definedBy, notServed.DefinedBy, what)
				}
			}
			_, err := c2.Find(t.Context(), ref.APIVersion, ref.Kind, "", ref.Name)
			check("find", err)
			_, err = c2.Get(t.Context(), ref)
			check("get", err)
			_, err = c2.Delete(t.Context(), ref, cluster.DeleteOptions{})
			if c.gone {
				require.NoError(t, err)
			} else {
				check("delete", err)
				assert.Equal(t, failure.NotSent, failure.Outcome(err))
			}
			_, err = c2.Resolve(t.Context(), ref.APIVersion, ref.Kind, "", ref.Name)
			check("confirm", c2.ConfirmGone(t.Context(), err))
		})
	}
}
