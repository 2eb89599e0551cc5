// Package ownership answers three questions about a Kubernetes object from its metadata.managedFields alone: which
// fields did we apply, who owns each of them now, and what are their live values.
//
// # Why managedFields
//
// The API server keeps, for every field manager, the exact set of fields that the manager applied. So nothing has to be
// written on the object to remember them, and no schema has to be downloaded to know which lists are keyed: a keyed
// list appears in the set with its keys, a set list with its values, and an atomic list or map as one leaf.
//
// # The projection
//
// The projection of an object is the object reduced to a set of fields. [Project] takes the set that we own right after
// an apply and the live object, and returns what the user asked for, with the values that the cluster holds. Everything
// else in the object (defaults, allocated values, what other managers added) is outside the set and therefore never
// looks like drift.
//
// Laws:
//
//   - Project(live, set, template) depends only on fields in set.
//   - Items of keyed lists are found by their keys, never by position; they have the order of the template, so that
//     positions agree with the user's text.
//   - [Compare] of a projection with itself is empty, regardless of the order of its list items.
//   - A path that [Compare] reports exists in one of the two trees, and its parent exists in both: an added list item
//     is one change.
//
// Paths are [fieldpath.Path] throughout. Keys of maps contain dots and slashes, so a path becomes a dotted string only
// at the edge, by [Format].
package ownership
