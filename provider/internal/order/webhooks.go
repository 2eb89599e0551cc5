package order

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
)

const admissionGroup = "admissionregistration.k8s.io"

var (
	apiService = kinds.APIService
	mutating   = schema.GroupKind{Group: admissionGroup, Kind: "MutatingWebhookConfiguration"}
	validating = schema.GroupKind{Group: admissionGroup, Kind: "ValidatingWebhookConfiguration"}
)

// called orders an object that makes the API server call a Service after the pods behind that Service: until they answer,
// requests are refused.
func called(s *set) {
	for _, service := range s.ofKind[apiService] {
		s.answered(service, fields(service.content, "spec", "service"), "it answers for the API")
	}
	for _, configuration := range s.configurations() {
		for _, webhook := range items(configuration.content, "webhooks") {
			s.answered(configuration, fields(webhook, "clientConfig", "service"), "it answers the webhook "+text(webhook, "name"))
		}
	}
}

func (s *set) configurations() []*object {
	return slices.Concat(s.ofKind[mutating], s.ofKind[validating])
}

// answered orders an object after a Service and the workloads behind it.
func (s *set) answered(o *object, reference map[string]any, because string) {
	service := s.find(kinds.Service, text(reference, "namespace"), text(reference, "name"))
	if service == nil {
		return
	}
	s.after(o, service, answering, "%s", because)
	selector := labels.Set{}
	for name, value := range fields(service.content, "spec", "selector") {
		if value, isText := value.(string); isText {
			selector[name] = value
		}
	}
	if len(selector) == 0 {
		return // Its endpoints are made by hand.
	}
	for _, workload := range s.workloads() {
		if workload.Namespace == service.Namespace && selector.AsSelector().Matches(labelsOf(workload.template)) {
			s.afterReady(o, workload.object, answering, "%s", because)
		}
	}
}

// seen orders an object after the webhooks that are called about it, if a webhook refuses objects when it gets no answer. The
// objects that a webhook itself needs, directly or not, cannot wait for it.
func seen(s *set) {
	needs := map[*object]map[*object]bool{}
	for _, configuration := range s.configurations() {
		needs[configuration] = s.needs(configuration)
	}
	for _, configuration := range s.configurations() {
		for _, webhook := range items(configuration.content, "webhooks") {
			if text(webhook, "failurePolicy") == "Ignore" || fields(webhook, "clientConfig", "service") == nil {
				continue
			}
			for _, o := range s.objects {
				if !needs[configuration][o] && s.sees(webhook, o) {
					s.after(o, configuration, watched, "its webhook %s sees it", text(webhook, "name"))
				}
			}
		}
	}
}

// sees reports whether a webhook is called about an object. Its match conditions are ignored.
func (s *set) sees(webhook map[string]any, o *object) bool {
	if o.Group() == admissionGroup {
		return false // The API server calls no webhook about these.
	}
	return slices.ContainsFunc(items(webhook, "rules"), func(rule map[string]any) bool { return s.covers(webhook, rule, o) }) &&
		selector(fields(webhook, "objectSelector")).Matches(labelsOf(o.content)) && s.inNamespace(webhook, o)
}

// covers reports whether a rule is about the kind of an object.
func (s *set) covers(webhook, rule map[string]any, o *object) bool {
	has := func(list []string, wanted ...string) bool {
		return slices.ContainsFunc(list, func(given string) bool { return given == "*" || slices.Contains(wanted, given) })
	}
	_, version, versioned := strings.Cut(o.APIVersion, "/")
	if !versioned {
		version = o.APIVersion
	}
	scope := text(rule, "scope")
	resource := s.resource(o.GroupKind())
	return has(texts(rule, "operations"), "CREATE", "UPDATE", "DELETE") && has(texts(rule, "apiGroups"), o.Group()) &&
		has(texts(rule, "resources"), "*/*", resource, resource+"/*") &&
		(text(webhook, "matchPolicy") != "Exact" || has(texts(rule, "apiVersions"), version)) &&
		(scope == "" || scope == "*" || (scope == "Cluster") == s.isClusterScoped(o.GroupKind()))
}

// inNamespace evaluates the namespace selector. For a namespace that is not in the set, only the name is known.
func (s *set) inNamespace(webhook map[string]any, o *object) bool {
	given := fields(webhook, "namespaceSelector")
	name, of := o.Namespace, o
	if o.GroupKind() == kinds.Namespace {
		name = o.Name
	} else if name != "" {
		of = s.find(kinds.Namespace, "", name)
	}
	if name == "" || len(given) == 0 {
		return true // A namespace selector does not exclude cluster-scoped objects.
	}
	found := labels.Set{}
	if of != nil {
		found = labelsOf(of.content)
	}
	found["kubernetes.io/metadata.name"] = name
	return selector(given).Matches(found)
}
