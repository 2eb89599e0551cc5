package v1alpha1

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// EnvironmentClassSpec says what tenants get, and what of it they choose.
// +kubebuilder:validation:XValidation:rule="has(self.program) != has(self.template.program)",message="a class has one program: either program.oci, or template.program"
// +kubebuilder:validation:XValidation:rule="has(self.schema) || !has(self.template.program) || !has(self.template.program.image)",message="schema is required: the operator cannot read the program in the image of template.program.image, so write down what tenants may set"
// +kubebuilder:validation:XValidation:rule="!has(self.template.outputsSecretName)",message="template.outputsSecretName would be the name of one Secret for all objects of the class"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.secrets) || has(self.secrets) && oldSelf.secrets.all(name, name in self.secrets)",message="secrets cannot be removed: objects that exist may name them, and their programs would get the reference in place of the value"
type EnvironmentClassSpec struct {
	// The kind of which tenants create objects.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="the kind of a class cannot be changed: objects of it exist, or may. Make another class"
	Kind ClassKind `json:"kind"`

	// What tenants may set in the spec of their objects: an OpenAPI v3 schema of an object, as in a CustomResourceDefinition. Each of
	// its properties is a value of the program's configuration. Without it, they may set what the newest revision of the program declares
	// under config in Pulumi.yaml, except what the template sets, what configures providers, and secrets that are not in spec.secrets. A
	// program in an image needs it.
	// +optional
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Schema *apiextensionsv1.JSON `json:"schema,omitempty"`

	// More properties of spec, whose values are secret: tenants name a key of a Secret of their namespace. The program gets its value
	// as secret configuration. Without a schema, those are required that the program declares without a default.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:Pattern=`^[A-Za-z_][A-Za-z0-9_-]*$`
	Secrets []string `json:"secrets,omitempty"`

	// Which namespaces may have objects of the kind, by their labels. Default: all. In a namespace that is no longer selected, objects
	// that have an Environment keep it, and no others get one.
	// +optional
	Namespaces *metav1.LabelSelector `json:"namespaces,omitempty"`

	// The namespace of the platform team in which the programs run: program, account, states and inputs are there, and tenants need
	// no permission in it.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="the namespace of a class cannot be changed: the states are there. Make another class"
	Namespace string `json:"namespace"`

	// The program of all objects, if it is an artifact in a registry. Without it, template.program names its ConfigMap or its image.
	// +optional
	Program *ClassProgram `json:"program,omitempty"`

	// The Environment of each object. "{{ namespace }}" and "{{ name }}" in its config are those of the object; tenants cannot change
	// what it sets.
	Template EnvironmentSpec `json:"template"`

	// How a change of the template, or of the program, reaches the objects that exist.
	// +optional
	// +kubebuilder:default={}
	Rollout Rollout `json:"rollout,omitempty"`
}

// ClassKind names a kind of the group apps.platform.example.com.
type ClassKind struct {
	// The name of the kind, such as WebApp.
	// +kubebuilder:validation:Pattern=`^[A-Z][A-Za-z0-9]*$`
	// +kubebuilder:validation:MaxLength=63
	Kind string `json:"kind"`
	// Its name in URLs and for kubectl, such as webapps.
	// +kubebuilder:validation:Pattern=`^[a-z][a-z0-9]*$`
	// +kubebuilder:validation:MaxLength=63
	Plural string `json:"plural"`
}

// ClassProgram says where the program of a class is.
type ClassProgram struct {
	// An artifact in an OCI registry.
	OCI OCIArtifact `json:"oci"`
}

// OCIArtifact is a program in an OCI registry, as "oras push" and "flux push artifact" make one. Its files are copied into the revisions of
// the class, so that nothing that exists depends on the registry.
// +kubebuilder:validation:XValidation:rule="has(self.digest) || self.ref.matches(':[A-Za-z0-9_][A-Za-z0-9._-]*$')",message="ref needs a tag, such as :1.4, or set digest"
type OCIArtifact struct {
	// Registry, repository and tag, such as registry.example.com/programs/webapp:1.4. Without digest, the program is what the tag points to:
	// one that moves makes a new revision.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="!self.contains('@')",message="put what is behind the @ into digest"
	// +kubebuilder:validation:XValidation:rule="!self.contains('://')",message="ref begins with the registry: leave oci:// or https:// out"
	// +kubebuilder:validation:XValidation:rule="self.contains('/')",message="ref begins with the registry, such as registry.example.com/programs/webapp:1.4"
	Ref string `json:"ref"`
	// The digest of the manifest. Nothing else is accepted, and the tag is for people.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self.matches('^sha256:[a-f0-9]{64}$')",message="digest is sha256: and 64 hexadecimal digits"
	// +kubebuilder:validation:MaxLength=71
	Digest string `json:"digest,omitempty"`
	// A Secret of the type kubernetes.io/dockerconfigjson in the namespace of the class, for a registry that wants credentials. Its key
	// ca.crt, if it has one, has certificates in PEM of authorities that the registry's certificate may be from.
	// +optional
	PullSecretRef *LocalObjectReference `json:"pullSecretRef,omitempty"`
	// How often the tag is looked up again. A change of the class or of the pull Secret looks it up, too.
	// +optional
	// +kubebuilder:default="10m"
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('10s') && duration(self) <= duration('24h')",message="interval is from 10s to 24h"
	Interval *metav1.Duration `json:"interval,omitempty"`
}

// Rollout bounds how many Environments change at a time.
type Rollout struct {
	// How many Environments may be on the way to the newest revision at a time, or have failed on it.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	MaxUnavailable *int32 `json:"maxUnavailable,omitempty"`
	// Begin no more as long as an Environment fails on the newest revision. It goes on when that is Ready, or with another revision.
	// +optional
	// +kubebuilder:default=true
	PauseOnFailure *bool `json:"pauseOnFailure,omitempty"`
	// Objects with these labels come first. The others wait until all of them are Ready.
	// +optional
	First *metav1.LabelSelector `json:"first,omitempty"`
}

// EnvironmentClassStatus says how far a class is.
type EnvironmentClassStatus struct {
	// The generation that this status is about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Ready, which says whether the kind is served as the class says; Served, which says whether it is served at all; RolledOut, which says
	// whether all Environments are Ready on the newest revision; ProgramAgrees, which says whether the program knows what objects may set
	// and gets what it requires; and ProgramFetched, which says whether the program is what the registry has now.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// The newest revision: a hash of the template and its program.
	// +optional
	Revision string `json:"revision,omitempty"`
	// The artifact that the program of the newest revision is from.
	// +optional
	Artifact *FetchedArtifact `json:"artifact,omitempty"`
	// How many Environments the class has.
	// +optional
	Environments int32 `json:"environments,omitempty"`
	// How many of them are on the newest revision.
	// +optional
	Updated int32 `json:"updated,omitempty"`
	// How many of them are Ready.
	// +optional
	Ready int32 `json:"ready,omitempty"`
	// Up to ten objects that fail on the newest revision.
	// +optional
	// +listType=atomic
	Failing []string `json:"failing,omitempty"`
}

// FetchedArtifact is what was pulled from a registry.
type FetchedArtifact struct {
	// What spec.program.oci.ref was.
	Ref string `json:"ref"`
	// The digest of its manifest.
	Digest string `json:"digest"`
}

const (
	// ConditionServed says of a class whether its kind is served, also where it is as the class was before.
	ConditionServed = "Served"
	// ConditionRolledOut says of a class whether all of its Environments are Ready on the newest revision.
	ConditionRolledOut = "RolledOut"
	// ConditionProgramAgrees says of a class whether its program knows what objects may set, and gets what it requires. It stops nothing.
	ConditionProgramAgrees = "ProgramAgrees"
	// ConditionProgramFetched says of a class with an artifact whether its program is what the registry has now.
	ConditionProgramFetched = "ProgramFetched"
)

// EnvironmentClass makes a kind of a Pulumi program: for each object of the kind, the program runs once.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=envclass
// +kubebuilder:printcolumn:name="Kind",type=string,JSONPath=`.spec.kind.kind`
// +kubebuilder:printcolumn:name="Served",type=string,JSONPath=`.status.conditions[?(@.type=="Served")].status`
// +kubebuilder:printcolumn:name="Environments",type=integer,JSONPath=`.status.environments`
// +kubebuilder:printcolumn:name="Updated",type=integer,JSONPath=`.status.updated`
// +kubebuilder:printcolumn:name="Ready",type=integer,JSONPath=`.status.ready`
// +kubebuilder:printcolumn:name="Deleting",type=date,JSONPath=`.metadata.deletionTimestamp`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=`.status.conditions[?(@.type=="RolledOut")].message`
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 40",message="the name is at most 40 characters long: ConfigMaps are named after it"
type EnvironmentClass struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec EnvironmentClassSpec `json:"spec"`
	// +optional
	// +kubebuilder:default={"observedGeneration":-1}
	Status EnvironmentClassStatus `json:"status,omitempty"`
}

// EnvironmentClassList is a list of EnvironmentClasses.
// +kubebuilder:object:root=true
type EnvironmentClassList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []EnvironmentClass `json:"items"`
}
