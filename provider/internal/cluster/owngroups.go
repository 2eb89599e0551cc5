package cluster

// OwnGroup reports whether an API group is one of Kubernetes itself, whose kinds the API server defines and not a
// CustomResourceDefinition or another server.
func OwnGroup(group string) bool { return ownGroups[group] }
