// Package manifest understands Kubernetes manifests without asking a cluster: how they are written,
// which object they describe, what in them is noise, and what is wrong with them.
//
// A manifest is a plain JSON tree (see package values) with values.Unknown in any place: the package
// never judges, drops or rewrites a value that is not known yet.
//
// Real manifests are not tidy. Generators write `creationTimestamp: null`, and `kubectl get -o yaml`
// leaves status, uid and managedFields. kubectl accepts all that; so do we, by dropping it before
// anything reads it ([Normalize]). Input that kubectl would accept but not treat as written, above all
// duplicate keys, is refused ([ParseYAML], [Validate]), and every problem is reported at once.
//
// The laws of the package:
//
//   - No function changes its argument.
//   - Normalize only drops members of maps. No list item moves and no key is renamed, so each remaining
//     property path leads to the same value as before, and marks on paths (secrets) stay valid.
//     Normalizing twice is the same as normalizing once.
//   - ParseID and Identity.String are inverses.
//   - Reasons and errors quote keys, kinds and names, never values: a value may be secret.
//
// # The files
//
// Reading:
//
//   - one object in YAML or JSON, and a key that is there twice: yaml.go
//   - the documents of a text, and the lines of mistakes: documents.go; all objects in it, also out of lists: objects.go
//   - aliases and anchors that expand too far: aliases.go
//   - a manifest that is too big for a tree of properties: text.go
//
// Understanding:
//
//   - which object it is, and its ID: identity.go
//   - what is dropped, such as status and managedFields: normalize.go
//   - what is secret, and stringData of a Secret: secret.go
//   - the kind that a CustomResourceDefinition defines: definition.go
//   - an annotation that asks to keep the object: resource_policy.go; a ClusterRole whose rules a controller collects: aggregated.go
//     (package object then ignores them)
//   - what these share: manifest.go
//
// Mistakes:
//
//   - in apiVersion, kind and metadata: validate.go
//   - in pod templates, and values that cannot be sent as written: validate_content.go
package manifest
