package manifest

// IsAggregated reports whether a manifest is that of a ClusterRole whose rules a controller collects from others: it says
// so, and leaves rules empty, as the documentation of Kubernetes does, or out. An apply of the empty list would take them all
// away.
func IsAggregated(object map[string]any) bool {
	if id := IdentityOf(object); id.Kind != "ClusterRole" || id.Group() != "rbac.authorization.k8s.io" || object["aggregationRule"] == nil {
		return false
	}
	rules, ok := object["rules"].([]any)
	return len(rules) == 0 && (ok || object["rules"] == nil)
}
