package order

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
)

var (
	priorityClass         = schema.GroupKind{Group: "scheduling.k8s.io", Kind: "PriorityClass"}
	runtimeClass          = schema.GroupKind{Group: "node.k8s.io", Kind: "RuntimeClass"}
	resourceClaim         = schema.GroupKind{Group: "resource.k8s.io", Kind: "ResourceClaim"}
	resourceClaimTemplate = schema.GroupKind{Group: "resource.k8s.io", Kind: "ResourceClaimTemplate"}
)

// podsNeed orders a workload after the objects that its pods name. A pod whose Secret is missing waits in the error
// CreateContainerConfigError, and a pod without its account is not created at all.
func podsNeed(s *set) {
	for _, workload := range s.workloads() {
		named(workload.template, func(kind schema.GroupKind, name string) {
			if other := s.find(kind, workload.Namespace, name); other != nil {
				s.after(workload.object, other, certain, "its pods name it")
			} else if kind == kinds.Secret {
				s.made(workload.object, name)
			}
		})
		s.after(workload.object, s.find(serviceAccount, workload.Namespace, workload.account()), certain, "its pods run as this account")
		if workload.GroupKind() == kinds.StatefulSet {
			s.after(workload.object, s.find(kinds.Service, workload.Namespace, text(workload.content, "spec", "serviceName")), certain,
				"it gives its pods their names")
			for _, claim := range items(workload.content, "spec", "volumeClaimTemplates") {
				s.after(workload.object, s.find(storageClass, "", text(claim, "spec", "storageClassName")), certain, "its claims name it")
			}
		}
	}
}

// named finds the objects that a pod names, except its service account.
func named(template map[string]any, found func(kind schema.GroupKind, name string)) {
	spec := fields(template, "spec")
	name := func(kind schema.GroupKind, in any, path ...string) {
		if name := text(in, path...); name != "" {
			found(kind, name)
		}
	}
	name(priorityClass, spec, "priorityClassName")
	name(runtimeClass, spec, "runtimeClassName")
	for _, secret := range items(spec, "imagePullSecrets") {
		name(kinds.Secret, secret, "name")
	}
	for _, claim := range items(spec, "resourceClaims") {
		name(resourceClaim, claim, "resourceClaimName")
		name(resourceClaimTemplate, claim, "resourceClaimTemplateName")
	}
	for _, volume := range items(spec, "volumes") {
		name(kinds.ConfigMap, volume, "configMap", "name")
		name(kinds.Secret, volume, "secret", "secretName")
		name(kinds.PersistentVolumeClaim, volume, "persistentVolumeClaim", "claimName")
		name(kinds.Secret, volume, "csi", "nodePublishSecretRef", "name")
		name(storageClass, volume, "ephemeral", "volumeClaimTemplate", "spec", "storageClassName")
		for _, source := range items(volume, "projected", "sources") {
			name(kinds.ConfigMap, source, "configMap", "name")
			name(kinds.Secret, source, "secret", "name")
		}
	}
	for _, list := range []string{"initContainers", "containers"} {
		for _, container := range items(spec, list) {
			for _, source := range items(container, "envFrom") {
				name(kinds.ConfigMap, source, "configMapRef", "name")
				name(kinds.Secret, source, "secretRef", "name")
			}
			for _, variable := range items(container, "env") {
				name(kinds.ConfigMap, variable, "valueFrom", "configMapKeyRef", "name")
				name(kinds.Secret, variable, "valueFrom", "secretKeyRef", "name")
			}
		}
	}
}

// secretMakers are custom kinds whose objects make a Secret, and the fields that may hold the Secret's name. If none of them is
// set, the Secret has the name of the object.
var secretMakers = map[schema.GroupKind][][]string{
	{Group: "bitnami.com", Kind: "SealedSecret"}:           {{"spec", "template", "metadata", "name"}},
	{Group: "cert-manager.io", Kind: "Certificate"}:        {{"spec", "secretName"}},
	{Group: "external-secrets.io", Kind: "ExternalSecret"}: {{"spec", "target", "name"}},
}

// made orders a workload after the object that makes a Secret that its pods name.
func (s *set) made(workload *object, secret string) {
	for kind, paths := range secretMakers {
		for _, maker := range s.ofKind[kind] {
			name := maker.Name
			for _, path := range paths {
				if given := text(maker.content, path...); given != "" {
					name = given
				}
			}
			if maker.Namespace == workload.Namespace && name == secret {
				s.after(workload, maker, made, "it makes the Secret %s, which its pods name", secret)
			}
		}
	}
}
