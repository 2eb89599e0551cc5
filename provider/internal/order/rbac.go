package order

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
)

const rbacGroup = "rbac.authorization.k8s.io"

var (
	serviceAccount     = schema.GroupKind{Kind: "ServiceAccount"}
	role               = schema.GroupKind{Group: rbacGroup, Kind: "Role"}
	clusterRole        = schema.GroupKind{Group: rbacGroup, Kind: "ClusterRole"}
	roleBinding        = schema.GroupKind{Group: rbacGroup, Kind: "RoleBinding"}
	clusterRoleBinding = schema.GroupKind{Group: rbacGroup, Kind: "ClusterRoleBinding"}
)

// bindings are all bindings of the set.
func (s *set) bindings() []*object {
	return slices.Concat(s.ofKind[roleBinding], s.ofKind[clusterRoleBinding])
}

// bound orders a binding after its role and its accounts, and a workload after the bindings of its account: without them its
// first requests are refused.
func bound(s *set) {
	for _, binding := range s.bindings() {
		s.after(binding, s.roleOf(binding), certain, false, "it is the role that is bound")
		for _, subject := range items(binding.content, "subjects") {
			if text(subject, "kind") == serviceAccount.Kind {
				s.after(binding, s.find(serviceAccount, text(subject, "namespace"), text(subject, "name")), certain, false, "it is a subject of the binding")
			}
		}
	}
	for _, workload := range s.workloads() {
		for _, binding := range s.bindingsOf(workload) {
			s.after(workload.object, binding, certain, false, "it gives its pods their permissions")
		}
	}
}

// roleOf is the role that a binding gives, nil if it is not in the set.
func (s *set) roleOf(binding *object) *object {
	name := text(binding.content, "roleRef", "name")
	if text(binding.content, "roleRef", "kind") == role.Kind {
		return s.find(role, binding.Namespace, name)
	}
	return s.find(clusterRole, "", name)
}

// workload is an object that has pods.
type workload struct {
	*object
	template map[string]any
}

// account is the name of the service account of its pods.
func (w workload) account() string {
	for _, field := range []string{"serviceAccountName", "serviceAccount"} { // the second one is of old
		if name := text(w.template, "spec", field); name != "" {
			return name
		}
	}
	return "default"
}

func (s *set) workloads() []workload {
	var found []workload
	for _, o := range s.objects {
		if path, ok := kinds.PodTemplate(o.GroupKind()); ok && o.GroupKind() != (schema.GroupKind{Kind: "PodTemplate"}) {
			found = append(found, workload{o, fields(o.content, path...)})
		}
	}
	return found
}

// bindingsOf are the bindings that name the account of a workload, or all accounts of its namespace.
func (s *set) bindingsOf(w workload) []*object {
	var found []*object
	for _, binding := range s.bindings() {
		if slices.ContainsFunc(items(binding.content, "subjects"), func(subject map[string]any) bool {
			switch text(subject, "kind") {
			case serviceAccount.Kind:
				return text(subject, "namespace") == w.Namespace && text(subject, "name") == w.account()
			case "Group":
				return text(subject, "name") == "system:serviceaccounts:"+w.Namespace
			default:
				return false
			}
		}) {
			found = append(found, binding)
		}
	}
	return found
}

// rule is one of a role.
type rule struct{ groups, resources, verbs []string }

// rulesOf are the rules of a role, those that are aggregated into it included. Of the roles that are not in the set, the one
// that may do everything is known by its name.
func (s *set) rulesOf(binding *object) []rule {
	if text(binding.content, "roleRef", "kind") == clusterRole.Kind && text(binding.content, "roleRef", "name") == "cluster-admin" {
		return []rule{{[]string{"*"}, []string{"*"}, []string{"*"}}}
	}
	bound := s.roleOf(binding)
	if bound == nil {
		return nil
	}
	roles := []*object{bound}
	for _, selector := range items(bound.content, "aggregationRule", "clusterRoleSelectors") {
		for _, candidate := range s.ofKind[clusterRole] {
			if selects(selector, labelsOf(candidate.content)) {
				roles = append(roles, candidate)
			}
		}
	}
	var rules []rule
	for _, from := range roles {
		for _, given := range items(from.content, "rules") {
			rules = append(rules, rule{texts(given, "apiGroups"), texts(given, "resources"), texts(given, "verbs")})
		}
	}
	return rules
}

// writes says whether a rule lets objects of a kind be changed, and whether it does so by naming the group.
func (r rule) writes(group, resource string) (does, byName bool) {
	if !slices.ContainsFunc(r.verbs, func(verb string) bool {
		return slices.Contains([]string{"*", "create", "update", "patch", "delete", "deletecollection"}, verb)
	}) {
		return false, false
	}
	if !slices.ContainsFunc(r.resources, func(given string) bool {
		given, _, _ = strings.Cut(given, "/") // who sets the status or the finalizers is its operator
		return given == "*" || given == resource
	}) {
		return false, false
	}
	byName = slices.Contains(r.groups, group)
	return byName || slices.Contains(r.groups, "*"), byName
}
