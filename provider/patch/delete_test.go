package patch_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/verbs"
)

func TestFieldsAreHandedBackOnlyWhereTheAPIServerSaysSo(t *testing.T) {
	t.Parallel()
	const handBack = "PATCH " + verbs.Path
	for _, c := range []struct {
		name  string
		says  func(*verbs.Server)
		wrote []string
		fails string // empty where they are, or need not be
	}{
		{"handed back", func(*verbs.Server) {}, []string{handBack, "POST /api/v1/namespaces/shop/events"}, ""},
		{"there is no such object", func(s *verbs.Server) { s.Says("GET "+verbs.Path, verbs.Absent) }, nil, ""},
		{"another object has its name", func(s *verbs.Server) { s.Says("GET "+verbs.Path, verbs.JSON(200, verbs.ConfigMap("another", `{}`))) }, nil, ""},
		{"our field manager is not on it", func(s *verbs.Server) { s.Says("GET "+verbs.Path, verbs.JSON(200, before)) }, nil, ""},
		{"there is no such object, in another cluster", func(s *verbs.Server) { s.Says("GET "+verbs.Path, verbs.Absent); s.IsCluster("another") }, nil, "which is another cluster"},
		{"the write is refused", func(s *verbs.Server) { s.Says("PATCH "+verbs.Path, verbs.Refusal(403, "Forbidden", "")) }, []string{handBack}, "(403)"},
		{"the write fails", func(s *verbs.Server) { s.Says("PATCH "+verbs.Path, verbs.Refusal(500, "InternalError", "")) }, []string{handBack}, "the API server failed"},
		{"a proxy answers the write with 404", func(s *verbs.Server) { s.Says("PATCH "+verbs.Path, verbs.Page(404)) }, []string{handBack}, "404"},
		{"a proxy answers the write with a page", func(s *verbs.Server) { s.Says("PATCH "+verbs.Path, verbs.Page(200)) }, []string{handBack}, "not a Kubernetes object"},
		{"the connection closes under the write", func(s *verbs.Server) { s.Says("PATCH "+verbs.Path, verbs.Cut) }, []string{handBack}, "EOF"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server, web := made(t, "patch")
			require.NoError(t, web.Read())
			c.says(server)
			server.Asked()
			web = web.In(t, process(server))
			err := web.Delete()
			if c.fails == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.fails)
			}
			assert.ElementsMatch(t, c.wrote, server.Wrote(), "it is sent once, and nothing is deleted")
		})
	}
}

func TestAReplacementOfAPatchKeepsItsFields(t *testing.T) {
	t.Parallel()
	server, web := made(t, "patch")
	require.NoError(t, web.Read())
	old := web.Outputs
	server.Says("PATCH "+verbs.Path+" (dry-run)", verbs.JSON(200, verbs.ConfigMap(verbs.UID, `{"color":"red","size":"small"}`,
		verbs.Owns(ours, "Apply", `{"f:color":{}}`), verbs.Owns("k8sconnect-patch-preview", "Apply", `{"f:color":{}}`))))
	require.NoError(t, web.Create(program("patch", paints["patch"])))
	server.Asked()
	web.Outputs = old
	require.NoError(t, web.Delete())
	assert.Empty(t, server.Wrote())
	assert.Contains(t, web.Said(), "INFO ConfigMap shop/web: the fields are kept, because the Patch that replaces this one has them now.")
}
