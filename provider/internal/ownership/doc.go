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
//
// # The files
//
// The entries of managedFields:
//
//   - who has applied what: managedfields.go; the names of our field managers: manager.go
//   - the owners of a field, and questions about sets of fields: owners.go; owners in fewer entries: condense.go, outline.go
//   - what the entries show of the schema: shape.go
//   - API versions in which fields are recorded: version.go
//   - what people have written, and whether they have made the object: people.go
//
// Projections and how they differ:
//
//   - the projection: project.go; where a path is in a tree: locate.go
//   - differences: compare.go; the differences inside an atomic value: compare_inside.go; another order of a list: list_order.go
//   - defaults that a definition has gained or lost: server_defaults.go
//   - fields that the answer to a request lacks: dropped_fields.go
//   - items that a list has twice: repeated_items.go
//
// Changes of ownership:
//
//   - an edit, and the request that makes it: edit.go; how an edit is reverted: undo.go
//   - fields that we give up: release.go; that we give up and remove: remove_fields.go; that go back to their owners: give_back.go
//   - fields that we take from others: handover.go; fields without an owner: claim.go
//   - fields in the placeholder entry, which no manager owns: unowned_fields.go puts them there, placeholder_entries.go takes ours back
//
// What an apply does:
//
//   - its result, before the API server says it: merge.go
//   - fields of ours that it removes: pruned.go; fields without an owner that go with our last field: unowned_fields.go
//   - fields of the object that the manifest does not set: unset_fields.go; items and keys that others have added: extras.go
//   - fields that a run whose state was lost has written: unrecorded_fields.go
//
// Paths and patterns:
//
//   - a path as text: format.go, parse.go
//   - a pattern that selects fields: pattern.go; what it selects in a tree: pattern_selects.go
//   - fields to ignore: ignore.go; parts of atomic values: ignore_inside.go, ignore_inside_lists.go; parts of new list items: ignore_new_items.go
//   - ignored fields in the stringData of a Secret: ignore_string_data.go
//   - what managers own, as fields to ignore: ignore_managers.go; which managers are well known: controllers.go
package ownership
