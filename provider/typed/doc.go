// Package typed makes resource types for single kinds: a Deployment with typed fields, where a KubeObject takes any manifest.
//
//	pulumi package add k8sconnect --extension "kinds=apps/v1/Deployment,cert-manager.io/v1/Certificate"
//
// reads the kinds that a program needs, usually from the cluster that it is for, and gives Pulumi a schema of classes. Behind each class
// is a KubeObject. This package translates, and decides nothing about objects.
//
// # An extension
//
// The classes are an extension of the package: they have its name in their types (k8sconnect:apps/v1:Deployment, k8sconnect:core/v1:Pod)
// and use its provider. So a component hands its provider on to typed children as to all others.
//
// The engine keeps the value of an extension in the state, and gives it to each process that serves resources of it: in an update
// possibly two, from the last run and from the program. What the adapter cannot do without is therefore in the type and in the
// state. From the value it has the odd names alone, and takes them from all values that it was given.
//
// # A resource
//
// Its inputs are the fields of the kind, without those that the type stands for (apiVersion, kind) and without the status. Its outputs are
// the fields that were applied. What is ours is in the property k8sconnect: as an input the options of a KubeObject, as an output the
// reference to the object and the owners of its fields. Hidden properties are at the top, as in a KubeObject.
//
// The object is asked with the URN of the typed resource, so the names of field managers and all that is remembered belong to the
// resource. An alias leads from a KubeObject to a typed resource and back: what is saved is recognized, whichever of the two has
// written it.
//
// # The schema
//
//   - It has no defaults: the SDKs would send them, and the program would own fields that it does not name.
//   - What a language can check, it checks: required fields, words, texts or numbers. What it cannot is anything.
//   - Names that are no identifiers have other names (names.go), in values and in paths.
//   - The data of a Secret is secret. A failed check prints no value of a typed resource at all.
//   - The value has no descriptions, and the same kinds give the same bytes.
//
// # Laws
//
//   - To an object and back, typed inputs and outputs are what they were.
//   - Every name in the schema leads back to its field.
//   - An object of another kind is never imported or read.
//   - No message names an input at a place that the class does not have.
//
// # The files
//
// From the parameters to the value:
//
//   - what the engine asks: server.go; the extensions of a process: extensions.go
//   - the parameters, and mistakes in them: parameters.go
//   - kinds, and their tokens in the base package, so that a component hands its provider on: kind.go
//   - definitions as OpenAPI has them: openapi.go; all definitions of an extension, and the files of save= and from=: catalog.go
//   - where they come from: the cluster, source_cluster.go; files of crds=, source_crds.go; the kinds of Kubernetes itself with
//     from=kubernetes, built_in.go; files that are downloaded, address.go
//   - the classes, with their required and secret fields: schema.go; the types in them: schema_types.go; the rest of the package:
//     schema_package.go, and how the languages pack it: schema_languages.go
//   - what is kept of it all in the state: content.go
//
// From the engine to the object:
//
//   - the verbs, and an import: resource.go; mistakes that only a typed resource can have: check.go
//   - the properties: adapter.go; what an earlier run has saved, perhaps as a KubeObject: saved.go
//   - names that are no identifiers: names.go; which of them a kind has where: shapes.go
//   - messages, in the words of the class: wording.go
//   - paths in differences and in ignoreChanges: paths.go
package typed
