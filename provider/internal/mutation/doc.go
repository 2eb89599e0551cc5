// Package mutation evaluates JSON patches (RFC 6902) and merge patches (RFC 7386) on a live Kubernetes object, and says
// what they touch.
//
// The API server keeps no reliable record of what such a patch has set: a value that equals the live one gets no entry
// in managedFields, and a field that the patch no longer names stays in its manager's entry. So this package computes
// the fields from the patch and the object that it is applied to.
//
// # What is tracked
//
// A merge patch touches its leaves: scalars, lists as a whole, and null, which removes a field. An operation of a JSON
// patch touches what its pointer points at. A pointer names a list item by its position, which means nothing once the
// list changes. If the managers of the object name the items of the list by keys, so do the paths here.
//
// # Tests
//
// A test is about the object at the time when the patch was carried out. Drift is corrected only if the tests of the
// patch still hold, except those that the patch itself has made meaningless. A test of something that an operation
// writes, removes, or contains does not count afterwards, because it would fail or hold because of us. Nor does a test
// of a list if an operation adds an item to it or removes one from it. If operations change something below the place
// of a test, the comparison leaves that out. A test follows the item that it was about: it finds the item by its key
// or, if items have none, at the position where the operations have left it.
//
// An operation whose effect differs each time it is carried out (an item added to a list, remove, move, copy) is
// carried out once. We know what it touches, but the patch does not keep it that way.
//
// Laws:
//
//   - No function changes its arguments.
//   - ownership.Project(effect.Object, effect.Set, document) holds the values that the patch has set, and the keys of
//     the list items that contain them. A null counts as absent, as in every projection.
//   - Every difference between the object and effect.Object is at, above or below a path of the effect.
//   - Reasons and errors quote names and pointers, never values: a value may be secret.
//
// # The files
//
// The patches:
//
//   - a JSON patch, its operations, and what is sent: jsonpatch.go; a merge patch: mergepatch.go
//   - fields that a patch may not set: check_content.go
//   - secret values that operations copy or move: copied_marks.go
//
// What a patch does:
//
//   - its effect: effect.go; the operations, carried out one by one: evaluate.go; what they have written in the end: trace.go
//   - operations that are carried out only once, such as an item added to a list, a move or a copy: evaluate.go, trace.go;
//     as far as the patch alone tells: jsonpatch.go
//   - an operation that cannot be carried out: operationerror.go
//   - whether the object looks as if the patch was carried out: already_applied.go
//
// What is done about drift:
//
//   - a JSON patch that restores what an earlier one has left: restore.go
//   - whether the tests of the patch still hold: guards.go
//   - list items that the patch has added: additions.go; fields that only a position in a list identifies: list_positions.go
//
// Places:
//
//   - JSON pointers: pointer.go; the same place as a path of managedFields, with list items by key, by value or by position: path.go
//   - copies of a tree with a change at one place: tree.go
package mutation
