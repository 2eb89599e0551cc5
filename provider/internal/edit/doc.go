// Package edit changes the objects of a set with kustomize's own transformers: patches, labels, annotations and
// images, in the order in which `kustomize build` applies them.
//
// The package is a function of the objects and the edits: it reads no files and makes no requests.
//
// # Laws
//
//   - No argument is changed. The result has the objects in the same order, with the same keys.
//   - A value that no edit touches comes back deeply equal: numbers keep their types, and texts that look like numbers
//     stay texts.
//   - Labels and annotations go to the metadata of the objects, never to selectors or pod templates: a selector of an
//     existing workload cannot be changed, and a new label there would select other pods.
//   - An edit never changes an object's identity: apiVersion, kind, name and namespace stay, and no object is removed.
//   - An edit that finds nothing to edit is a mistake.
//   - Objects never meet: each is edited by itself. The library takes "no namespace" and "default" for the same, and
//     refuses a second object without a name.
//   - Reasons quote no values: a patch may contain secrets, and so may an object. They also quote no error of the library,
//     because such errors quote values.
//
// # Placeholders
//
// Callers put opaque texts where a value is secret or unknown, also in place of a number, a map or a list. Labels,
// annotations and images leave such a text alone. A patch replaces it, unless the patch goes deeper than the text: then
// the object does not change, and a [Mistake] with its key says so. The caller knows whether the text stands for
// something unknown, and decides what that means. The same is true of a [Mistake] that is Unmatched: an unknown value
// might have matched.
//
// # The files
//
//   - the edits, and the order in which they are made: edit.go
//   - patches: which objects they are for, a patch that matches none, and one that renames or removes its object: patches.go
//   - the target of a patch, and mistakes in it: targets.go
//   - the text of a patch, as a strategic merge or as JSON 6902: parse.go; how either changes an object: changes.go
//   - the identity of an object, which no patch changes; why a patch cannot be merged: identity.go
//   - labels and annotations, which go to the metadata alone: labels_and_annotations.go; images, the fields in which they are,
//     and an image that no object uses: images.go
//   - how kustomize patches objects: transformers.go
//   - numbers and texts that must keep their types on the way through kustomize: nodes.go; values that no edit touches: restore.go
package edit
