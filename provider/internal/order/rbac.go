package order

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
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

// bound orders a binding after its role and its accounts, and a workload after the bindings of its account: without these, the
// first requests of the workload are refused.
func bound(s *set) {
	for _, binding := range s.bindings() {
		s.after(binding, s.roleOf(binding), certain, "it is the role that is bound")
		for _, subject := range items(binding.content, "subjects") {
			if text(subject, "kind") == serviceAccount.Kind {
				account := s.find(serviceAccount, namespaceOf(subject, binding), text(subject, "name"))
				s.after(binding, account, certain, "it is a subject of the binding")
			}
		}
	}
	for _, workload := range s.workloads() {
		for _, binding := range s.bindingsOf(workload) {
			s.after(workload.object, binding, certain, "it gives its pods their permissions")
		}
	}
}

// namespaceOf is the namespace of a subject. A RoleBinding may omit it if it is the binding's own namespace.
func namespaceOf(subject map[string]any, binding *object) string {
	return cmp.Or(text(subject, "namespace"), binding.Namespace)
}

// roleOf is the role that a binding refers to, nil if the role is not in the set.
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
	for _, field := range []string{"serviceAccountName", "serviceAccount"} { // the second field is deprecated
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

// bindingsOf are the bindings that name the account of a workload: as an account, as a user or by one of its groups.
func (s *set) bindingsOf(w workload) []*object {
	const accounts = "system:serviceaccounts"
	user, groups := "system:serviceaccount:"+w.Namespace+":"+w.account(), []string{accounts, accounts + ":" + w.Namespace}
	var found []*object
	for _, binding := range s.bindings() {
		if slices.ContainsFunc(items(binding.content, "subjects"), func(subject map[string]any) bool {
			name := text(subject, "name")
			switch text(subject, "kind") {
			case serviceAccount.Kind:
				return namespaceOf(subject, binding) == w.Namespace && name == w.account()
			case "User":
				return name == user
			case "Group":
				return slices.Contains(groups, name)
			default:
				return false
			}
		}) {
			found = append(found, binding)
		}
	}
	return found
}

// rule is a rule of a role.
type rule struct{ groups, resources, verbs []string }

// aggregated are, by the built-in roles of Kubernetes, the labels of the roles whose rules become part of them.
var aggregated = map[string][]string{
	"admin": {"rbac.authorization.k8s.io/aggregate-to-admin", "rbac.authorization.k8s.io/aggregate-to-edit"},
	"edit":  {"rbac.authorization.k8s.io/aggregate-to-edit"},
}

// rulesOf are the rules of a binding's role, including rules that are aggregated into it. A role that is not in the set is known
// by its name if it is a built-in role of Kubernetes that may write.
func (s *set) rulesOf(binding *object) []rule {
	name := text(binding.content, "roleRef", "name")
	isCluster := text(binding.content, "roleRef", "kind") == clusterRole.Kind
	if isCluster && name == "cluster-admin" {
		return []rule{{[]string{"*"}, []string{"*"}, []string{"*"}}}
	}
	var roles []*object
	var selectors []labels.Selector
	switch bound := s.roleOf(binding); {
	case bound != nil:
		roles = append(roles, bound)
		for _, given := range items(bound.content, "aggregationRule", "clusterRoleSelectors") {
			selectors = append(selectors, selector(given))
		}
	case isCluster:
		for _, label := range aggregated[name] {
			selectors = append(selectors, labels.SelectorFromSet(labels.Set{label: "true"}))
		}
	}
	for _, candidate := range s.ofKind[clusterRole] {
		if slices.ContainsFunc(selectors, func(s labels.Selector) bool { return s.Matches(labelsOf(candidate.content)) }) {
			roles = append(roles, candidate)
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

// writes reports whether a rule allows changes to objects of a kind, and whether the rule names the group.
func (r rule) writes(group, resource string) (does, byName bool) {
	if !slices.ContainsFunc(r.verbs, func(verb string) bool {
		return slices.Contains([]string{"*", "create", "update", "patch", "delete", "deletecollection"}, verb)
	}) {
		return false, false
	}
	if !slices.ContainsFunc(r.resources, func(given string) bool {
		given, _, _ = strings.Cut(given, "/") // an account that sets the status or the finalizers is its operator's
		return given == "*" || given == resource
	}) {
		return false, false
	}
	byName = slices.Contains(r.groups, group)
	return byName || slices.Contains(r.groups, "*"), byName
}
