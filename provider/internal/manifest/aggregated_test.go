package manifest

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWhichRolesAreAggregated(t *testing.T) { // [D55]
	role := func(kind string, rule, rules any) map[string]any {
		object := map[string]any{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "metadata": map[string]any{"name": "all"}}
		if rule != nil {
			object["aggregationRule"] = rule
		}
		if rules != nil {
			object["rules"] = rules
		}
		return object
	}
	rule := map[string]any{"clusterRoleSelectors": []any{}}
	assert.True(t, IsAggregated(role("ClusterRole", rule, []any{})))
	assert.True(t, IsAggregated(role("ClusterRole", rule, nil)))
	assert.False(t, IsAggregated(role("ClusterRole", rule, []any{map[string]any{}})), "the user wants these")
	assert.False(t, IsAggregated(role("ClusterRole", nil, []any{})), "no rules are wanted")
	assert.False(t, IsAggregated(role("Role", rule, []any{})))
	assert.False(t, IsAggregated(nil))
}
