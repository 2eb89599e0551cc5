package rpc_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTheRulesOfAnAggregatedRoleAreItsControllers is about the lines that a program may have for them, one after the other.
func TestTheRulesOfAnAggregatedRoleAreItsControllers(t *testing.T) { // [D55]
	t.Parallel()
	const (
		aggregated, none = `, aggregationRule: {clusterRoleSelectors: [{matchLabels: {x: z}}]}`, `, rules: []`
		own              = `, rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]`
		fill             = "the controller fills it"
	)
	type step struct{ does, then string }
	for n, steps := range [][]step{
		{{aggregated + none, ""}, {fill, "secrets"}, {aggregated + none, "secrets"}, {aggregated, "secrets"}, {aggregated + none, "secrets"}, {own, "pods"}},
		{{own, "pods"}, {aggregated + none, "pods"}, {fill, "secrets"}, {aggregated + none, "secrets"}, {none, ""}},
		{{own, "pods"}, {aggregated, "pods"}, {fill, "secrets"}, {aggregated, "secrets"}, {aggregated + own, "pods"}},
		{{aggregated, ""}, {fill, "secrets"}, {aggregated + none, "secrets"}, {own, "pods"}, {aggregated + none, "pods"}},
		{{aggregated + own, "pods"}, {fill, "secrets"}, {aggregated, "secrets"}, {"", "secrets"}},
	} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			name := "all-" + w.namespace
			role := func(rest string) map[string]any {
				return object(t, `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: %s}`+rest+`}`, name)
			}
			s := start(t, inline(newUser(t))).resource(t, "role")
			for _, step := range steps {
				if step.does == fill {
					w.apply("clusterrole-aggregation-controller", role(`, rules: [{apiGroups: [""], resources: [secrets], verbs: [get]}]`))
				} else {
					in := program(role(step.does), atOnce)
					s.in(s.process.again(t))
					_, err := s.up(in)
					require.NoError(t, err, step)
					assert.NotContains(t, s.process.log.all(), "takeOverFrom", "that would take the rules from the controller: %v", step)
					s.in(s.process.again(t)).mustUp("same", in)
				}
				if step.then == "" {
					assert.Empty(t, w.get("ClusterRole", name).Object["rules"], step)
					continue
				}
				assert.Equal(t, []any{map[string]any{"apiGroups": []any{""}, "resources": []any{step.then}, "verbs": []any{"get"}}},
					w.value("ClusterRole", name, "rules"), step)
			}
			require.NoError(t, s.destroy())
		})
	}
}
