package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// EnvironmentSpec says which program to run, with what, and how.
// +kubebuilder:validation:XValidation:rule="has(self.backend) == has(oldSelf.backend) && (!has(self.backend) || self.backend.url == oldSelf.backend.url)",message="the backend cannot be changed: the state is there. Make another Environment and move the state"
type EnvironmentSpec struct {
	// The Pulumi program. Only the template of a class has none here, if its class says where it is.
	// +optional
	Program ProgramSource `json:"program,omitzero"`

	// The stack's configuration: strings, numbers, booleans, lists and objects, as they are. A key without a colon belongs
	// to the project.
	// +optional
	// +kubebuilder:validation:MaxProperties=256
	Config map[string]apiextensionsv1.JSON `json:"config,omitempty"`

	// Configuration that is secret, from Secrets of the Environment's namespace. The values are encrypted in the state,
	// and no text that leaves a run contains them.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	SecretConfig map[string]SecretConfigSource `json:"secretConfig,omitempty"`

	// Configuration from outputs of other Environments of the namespace, with the type that they have there. What is a
	// secret there is a secret here. An Environment depends on those that it names here, as on those in dependsOn.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	// +kubebuilder:validation:XValidation:rule="self.all(key, !key.contains('.') && !key.contains('['))",message="a key of configFrom is no path: it has no '.' and no '['"
	ConfigFrom map[string]ConfigSource `json:"configFrom,omitempty"`

	// Environments of the namespace that have to be Ready, as their present spec says, before a run of this one begins.
	// Their deletion waits until this one is gone.
	// +optional
	// +kubebuilder:validation:MaxItems=32
	// +listType=map
	// +listMapKey=name
	DependsOn []EnvironmentReference `json:"dependsOn,omitempty"`

	// The service account that runs the program, in the Environment's namespace: a run may do what it may do. It also
	// needs the permissions of the Role environment-runner, with which a run saves the state.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	ServiceAccountName string `json:"serviceAccountName"`

	// Automatic runs each change at once. Manual makes a plan and waits until the annotation
	// platform.example.com/approve has the hash of this plan. Reviewed waits until an object Approval names it; the annotation does
	// not count.
	// +optional
	// +kubebuilder:default=Automatic
	Approval ApprovalMode `json:"approval,omitempty"`

	// The same for the destroy of a deleted Environment: it waits until the plan of what it deletes is approved.
	// +optional
	// +kubebuilder:default=Automatic
	DestroyApproval ApprovalMode `json:"destroyApproval,omitempty"`

	// How drift is looked for: changes that someone else made to what the program has made. Without it, nothing is.
	// +optional
	DriftDetection *DriftDetection `json:"driftDetection,omitempty"`

	// What happens after a failure.
	// +optional
	// +kubebuilder:default={}
	Retry RetryPolicy `json:"retry,omitempty"`

	// How long one run may take. It is then ended as by Ctrl-C: what is under way is completed, and saved.
	// +optional
	// +kubebuilder:default="30m"
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('1s') && duration(self) <= duration('24h')",message="timeout is from 1s to 24h"
	Timeout *metav1.Duration `json:"timeout,omitempty"`

	// Destroy deletes what the program has made when the Environment is deleted. Orphan leaves it, and the state.
	// +optional
	// +kubebuilder:default=Destroy
	OnDelete DeletionPolicy `json:"onDelete,omitempty"`

	// Begin nothing. A run that goes on is not ended.
	// +optional
	Suspend bool `json:"suspend,omitempty"`

	// The Secret to which the outputs are written. Default: the Environment's name and "-outputs".
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`
	OutputsSecretName string `json:"outputsSecretName,omitempty"`

	// Where the state is kept. Default: in Secrets of the Environment's namespace.
	// +optional
	Backend *Backend `json:"backend,omitempty"`

	// The pod of a run.
	// +optional
	// +kubebuilder:default={}
	Runner RunnerSpec `json:"runner,omitempty"`
}

// ProgramSource says where the program is.
// +kubebuilder:validation:XValidation:rule="has(self.configMapRef) != has(self.image)",message="name the program by either spec.program.configMapRef or spec.program.image"
type ProgramSource struct {
	// A ConfigMap of the Environment's namespace: Pulumi.yaml, and the files beside it.
	// +optional
	ConfigMapRef LocalObjectReference `json:"configMapRef,omitzero"`
	// An image with the program in its folder /program, made from the operator's image, such as
	// registry.example.com/programs/webapp@sha256:4f53… The pods of the runs have this image. Who sets it needs the permission to update
	// environments/image.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self.matches('.@sha256:[a-f0-9]{64}$')",message="the image is named by its digest, @sha256: and 64 hexadecimal digits: with a tag that moves, another program would run that nobody has set"
	Image string `json:"image,omitempty"`
}

// LocalObjectReference names an object of the Environment's namespace.
type LocalObjectReference struct {
	// The object's name.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

// SecretConfigSource says where one secret value of the configuration is.
type SecretConfigSource struct {
	// A key of a Secret of the Environment's namespace.
	SecretKeyRef SecretKeyReference `json:"secretKeyRef"`
}

// SecretKeyReference names a key of a Secret.
type SecretKeyReference struct {
	// The Secret's name.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// The key in the Secret.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Key string `json:"key"`
}

// ConfigSource says where one value of the configuration comes from.
type ConfigSource struct {
	// An output of another Environment of the namespace.
	EnvironmentRef OutputReference `json:"environmentRef"`
}

// OutputReference names an output of an Environment.
type OutputReference struct {
	// The Environment's name.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=40
	Name string `json:"name"`
	// The output's name.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Output string `json:"output"`
}

// EnvironmentReference names an Environment of the same namespace.
type EnvironmentReference struct {
	// The Environment's name.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=40
	Name string `json:"name"`
}

// ApprovalMode says who lets a change run.
// +kubebuilder:validation:Enum=Automatic;Manual;Reviewed
type ApprovalMode string

// The approval modes.
const (
	ApprovalAutomatic ApprovalMode = "Automatic"
	ApprovalManual    ApprovalMode = "Manual"
	// ApprovalReviewed wants an Approval: the annotation, which whoever changes the Environment can set, does not count.
	ApprovalReviewed ApprovalMode = "Reviewed"
)

// IsNeeded says whether a plan has to be approved before it runs.
func (m ApprovalMode) IsNeeded() bool { return m == ApprovalManual || m == ApprovalReviewed }

// DriftDetection says when drift is looked for, and what is done about it.
type DriftDetection struct {
	// How long after a run, or after the last look.
	// +optional
	// +kubebuilder:default="10m"
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('1s')",message="interval is at least 1s"
	Interval *metav1.Duration `json:"interval,omitempty"`
	// Put the fields of the program back. If false, drift is reported as a plan, which can be approved.
	// +optional
	// +kubebuilder:default=true
	Correct *bool `json:"correct,omitempty"`
	// Watch the objects of status.resources, and look at once when others change, take over or delete what the program has set in
	// one of them. Kinds that the operator may not watch, Secrets, and further objects are looked at at the interval alone: see
	// status.watched.
	// +optional
	Watch bool `json:"watch,omitempty"`
}

// RetryPolicy says what happens after a failure.
type RetryPolicy struct {
	// How often a failed run is repeated before the Environment is Stalled.
	// +optional
	// +kubebuilder:default=5
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	Limit *int32 `json:"limit,omitempty"`
	// How long to wait before the first repetition. It doubles each time, up to 30 minutes.
	// +optional
	// +kubebuilder:default="30s"
	// +kubebuilder:validation:XValidation:rule="duration(self) >= duration('1s') && duration(self) <= duration('30m')",message="backoff is from 1s to 30m"
	Backoff *metav1.Duration `json:"backoff,omitempty"`
}

// DeletionPolicy says what becomes of the program's objects.
// +kubebuilder:validation:Enum=Destroy;Orphan
type DeletionPolicy string

// The deletion policies.
const (
	DeletionDestroy DeletionPolicy = "Destroy"
	DeletionOrphan  DeletionPolicy = "Orphan"
)

// Backend is a backend of Pulumi.
type Backend struct {
	// The backend's URL, such as s3://bucket or https://api.pulumi.com.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:XValidation:rule="self.matches('^(s3|gs|azblob|postgres|https?)://')",message="the URL begins with s3://, gs://, azblob://, postgres://, https:// or http://. In a folder or in memory, the state would be lost with the pod of each run"
	URL string `json:"url"`
	// A Secret of the Environment's namespace, whose keys become environment variables of the run, such as
	// PULUMI_ACCESS_TOKEN or AWS_SECRET_ACCESS_KEY.
	// +optional
	CredentialsSecretRef *LocalObjectReference `json:"credentialsSecretRef,omitempty"`
}

// RunnerSpec is what can be chosen about the pod of a run.
type RunnerSpec struct {
	// Default: requests of 250m, 256Mi and 256Mi of ephemeral storage, limits of 1Gi and 2Gi of ephemeral storage.
	// +optional
	Resources *corev1.ResourceRequirements `json:"resources,omitempty"`
	// +optional
	// +kubebuilder:validation:MaxItems=32
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`
}

// Environment is a Pulumi program that runs in the cluster.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=env,categories=all
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Operation",type=string,JSONPath=`.status.currentOperation.kind`
// +kubebuilder:printcolumn:name="Changed",type=date,JSONPath=`.status.lastApplied.time`
// +kubebuilder:printcolumn:name="Deleting",type=date,JSONPath=`.metadata.deletionTimestamp`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:validation:XValidation:rule="has(self.spec.program)",message="spec.program is missing: name the program by spec.program.configMapRef or spec.program.image"
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 40",message="the name is at most 40 characters long: Jobs and Secrets are named after it"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.outputsSecretName) || oldSelf.hasValue() && has(oldSelf.value().spec.outputsSecretName) && oldSelf.value().spec.outputsSecretName == self.spec.outputsSecretName || !self.spec.outputsSecretName.startsWith(self.metadata.name + '-state') && self.spec.outputsSecretName != self.metadata.name + '-passphrase' && !(self.spec.outputsSecretName.startsWith(self.metadata.name + '-') && self.spec.outputsSecretName.endsWith('-inputs'))",optionalOldSelf=true,message="spec.outputsSecretName is the name of a Secret in which the operator keeps the state of this Environment. Choose another one, or leave it out"
// +kubebuilder:validation:XValidation:rule="(!has(self.spec.dependsOn) || self.spec.dependsOn.all(other, other.name != self.metadata.name)) && (!has(self.spec.configFrom) || self.spec.configFrom.all(key, self.spec.configFrom[key].environmentRef.name != self.metadata.name))",message="an Environment cannot depend on itself"
type Environment struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec EnvironmentSpec `json:"spec"`
	// All that the operator remembers between two reconciliations. The default lets kstatus see that it has not looked yet.
	// +optional
	// +kubebuilder:default={"observedGeneration":-1}
	Status EnvironmentStatus `json:"status,omitempty"`
}

// EnvironmentList is a list of Environments.
// +kubebuilder:object:root=true
type EnvironmentList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Environment `json:"items"`
}
