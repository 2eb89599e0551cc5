package order

import (
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
)

// contained orders objects after the definition of their kind, after their namespace, and after the APIService that serves them.
func contained(s *set) {
	served := map[string]*object{} // by group and version
	for _, service := range s.ofKind[apiService] {
		served[text(service.content, "spec", "group")+"/"+text(service.content, "spec", "version")] = service
	}
	for _, o := range s.objects {
		if definition := s.definitions[o.GroupKind()]; definition != nil {
			s.afterReady(o, definition, certain, "it defines the kind %s", o.Kind)
			s.converted(o, definition)
		}
		if o.Namespace != "" {
			s.after(o, s.find(kinds.Namespace, "", o.Namespace), certain, "it is the namespace")
		}
		if service := served[o.APIVersion]; service != nil {
			s.afterReady(o, service, certain, "it serves %s", o.APIVersion)
		}
	}
}

// converted orders an instance after the webhook that converts it between versions. The definition itself does not wait for the
// webhook: it is served before that, and accepts instances in the version in which they are stored.
func (s *set) converted(o, definition *object) {
	if text(definition.content, "spec", "conversion", "strategy") == "Webhook" {
		s.answered(o, fields(definition.content, "spec", "conversion", "webhook", "clientConfig", "service"), "it converts the kind "+o.Kind)
	}
}
