package order

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
)

// operated orders a custom resource after the workload whose account may write its kind: its operator. In any other order, the
// custom resource would wait when it is applied, and would hang when it is deleted, because nothing would remove its finalizers.
//
// The operator comes after the definitions that it serves: it crashes until they exist. A rule for all groups does not make a
// workload the operator of these kinds, but the workload may be the one that removes their finalizers.
func operated(s *set) {
	custom := map[schema.GroupKind][]*object{}
	for kind, objects := range s.ofKind {
		if !kinds.OwnGroup(kind.Group) {
			custom[kind] = objects
		}
	}
	for _, workload := range s.workloads() {
		var rules []rule
		for _, binding := range s.bindingsOf(workload) {
			rules = append(rules, s.rulesOf(binding)...)
		}
		for kind, instances := range custom {
			if writes, _ := mayWrite(rules, kind.Group, s.resource(kind)); writes {
				for _, instance := range instances {
					s.after(instance, workload.object, guessed, "its account may write the kind %s, so it may be the operator", kind.Kind)
				}
			}
		}
		for kind, definition := range s.definitions {
			if _, byName := mayWrite(rules, kind.Group, s.resource(kind)); byName {
				s.afterReady(workload.object, definition, served, "its account may write the kind %s, so it may be the operator", kind.Kind)
			}
		}
	}
}

func mayWrite(rules []rule, group, resource string) (does, byName bool) {
	for _, rule := range rules {
		ruleDoes, ruleByName := rule.writes(group, resource)
		does, byName = does || ruleDoes, byName || ruleByName
	}
	return does, byName
}
