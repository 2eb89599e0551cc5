// Package v1alpha1 is the API of the operator: an Environment is a Pulumi program that runs in the cluster, and its
// status is all that the operator remembers of it.
//
// # The files
//
//   - an Environment, its spec, and what the API server refuses at once, such as a name for the outputs that is one of the
//     state's: environment_types.go
//   - its status: environment_status.go; in which state it is: state.go; default times: durations.go
//   - the Environments that one depends on: dependencies.go
//   - a class: class_types.go; an Approval: approval_types.go
//   - names, labels and annotations: names.go; those of classes: class_names.go
//   - how the kinds are registered: groupversion_info.go
//
// +kubebuilder:object:generate=true
// +groupName=platform.example.com
package v1alpha1
