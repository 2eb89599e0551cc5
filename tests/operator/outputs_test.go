package operator

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const typed = `name: typed
runtime: yaml
config:
  count: {type: integer}
  zones: {type: array, items: {type: string}}
  password: {type: string, secret: true}
outputs:
  count: ${count}
  zones: ${zones}
  password: ${password}
  nested: {user: admin, password: "${password}"}
`

func TestOutputs(t *testing.T) {
	t.Parallel()
	s := with(t)
	s.program(typed)
	s.setSecret("shop-db", map[string]string{"password": "s3cr3t-and-long"})
	s.setSecret("results", map[string]string{"mine": "x"})
	e := s.create("shop", fields{
		"config":            fields{"count": 3, "zones": []any{"a", "b"}},
		"secretConfig":      fields{"password": fields{"secretKeyRef": fields{"name": "shop-db", "key": "password"}}},
		"outputsSecretName": "results",
	})
	t.Run("[X37] a Secret of others is not overwritten", func(t *testing.T) {
		refused := e.becomes("Ready", metav1.ConditionFalse, "OutputsNotWritten")
		assert.Contains(t, refused.condition("Ready").Message, "results")
		assert.Equal(t, map[string][]byte{"mine": []byte("x")}, s.secret("results").Data)
		require.NoError(t, s.client.Delete(t.Context(), s.secret("results")))
	})
	first := e.ready()
	require.NotNil(t, s.secret("results"), "the outputs are there when it is ready")

	t.Run("[X39] values keep their types", func(t *testing.T) {
		assert.Equal(t, map[string]any{"count": 3.0, "zones": []any{"a", "b"}}, first.Outputs)
		data := s.secret("results").Data
		assert.Equal(t, "3", string(data["count"]))
		assert.JSONEq(t, `["a","b"]`, string(data["zones"]))
		assert.Equal(t, "s3cr3t-and-long", string(data["password"]))
		assert.JSONEq(t, `{"user":"admin","password":"s3cr3t-and-long"}`, string(data["nested"]))
	})
	t.Run("[X26] a secret is nowhere but in Secrets", func(t *testing.T) {
		for _, kind := range []string{"environments,jobs,pods,events,configmaps,leases"} {
			out, err := kubectl(t.Context(), s.cluster, "get", kind, "-n", s.namespace, "-o", "yaml")
			require.NoError(t, err, out)
			assert.NotContains(t, out, "s3cr3t-and-long")
		}
		for _, pod := range s.pods() {
			assert.NotContains(t, s.node.logs(s.namespace+"/"+pod), "s3cr3t-and-long")
		}
		assert.NotContains(t, string(s.secret("shop-state").Data["checkpoint"]), "s3cr3t-and-long")
	})
	t.Run("[X37] an outputs Secret that was edited or deleted is put back", func(t *testing.T) {
		edited := s.secret("results")
		edited.Data = map[string][]byte{"count": []byte("4")}
		require.NoError(t, s.client.Update(t.Context(), edited))
		s.eventually(func() bool { return string(s.secret("results").Data["count"]) == "3" }, "the edit is undone")
		require.NoError(t, s.client.Delete(t.Context(), s.secret("results")))
		s.eventually(func() bool { return s.secret("results") != nil }, "it is written again")
		assert.Equal(t, first.Serial, e.status().Serial, "without a run")
	})
}

// pods are the names of the pods of the namespace.
func (s *surroundings) pods() []string {
	s.Helper()
	out, err := kubectl(s.Context(), s.cluster, "get", "pods", "-n", s.namespace, "-o", "jsonpath={.items[*].metadata.name}")
	require.NoError(s, err, out)
	return splitFields(out)
}
