// Package patch is the Patch resource: it openly takes over a few fields of an object that someone else made, and
// releases them with their values.
//
// # Three kinds of patch
//
// A server-side apply, a JSON patch and a merge patch differ in how the request is made, and in how we find out which
// fields it touches (see patchType). They share everything else: the refusals, the bookkeeping, drift, the release and
// the recovery.
//
//   - For an apply, the API server says which fields it set.
//   - For the other two it does not: a value that was there already leaves no trace in metadata.managedFields. We
//     evaluate these patches here, on the object as read.
//
// # No write onto an object that has changed
//
// Every write names the resourceVersion of the object read before it. So the evaluated result is what happens, and two
// Patches that run at the same time see each other. After a conflict, we read the object again.
//
// # Releasing fields
//
// To release a field, we remove it from our entry in metadata.managedFields. Its value stays. Applying less instead
// would delete the fields that no one else owns, including fields that previously belonged to someone else.
//
// # Removing
//
// With onDestroy "remove", a destroy removes what the patch has added. The patch records that when it is carried out
// (see created and addedItem); nothing infers it later. What others own or have changed since stays.
//
// With onDestroy "restore", a destroy also puts back what the patch has changed, under the same conditions, and so does an
// update for fields that leave the patch. What was there before is recorded in the same way (see formerValues).
//
// # Which call may do what
//
// Check never touches the network. Diff does so only if the inputs changed, if the last read failed, or if the API
// server did not keep a value. A preview sends dry-runs. Only Create, Update and Delete write.
//
// # The files
//
// The verbs:
//
//   - the resource, which serves the verbs from the raw requests: resource.go; its types in the schema: args.go
//   - Check: check.go; Diff, and when there is nothing to do: diff.go; Create: create.go; Update: update.go; Read: read.go; Delete: delete.go
//
// Inputs and state:
//
//   - the checked inputs: inputs.go; the state: state.go
//   - the object to patch: target.go; a target that a preview does not know: unknown_target.go
//   - which places of inputs and outputs are secret: secrets.go
//
// A run of the patch:
//
//   - its steps, and what the state keeps of the answer, with values as the API server spells them: run.go; the wait that may
//     follow: wait.go
//   - what a kind of patch has to do, and which fields a patch concerns: patch_type.go
//   - the kinds: ssa_patch.go for a server-side apply, computed_patch.go for a JSON patch and a merge patch. What a patch of lists and
//     deep paths touches, the API server says of an apply, and package mutation of the others.
//   - an object that is gone or in another cluster: another_cluster.go
//   - our field managers before the patch: rename.go
//   - fields that others own, and the preview's warning about them: takeover.go; who owned a field before: previous_owners.go
//   - a lost reply, or a run that was killed: whether the patch was carried out, so that nothing is added twice: recovery.go
//   - managed fields in an API version that blocks the patch: outdated_managed_fields.go
//
// Reasons to refuse:
//
//   - a KubeObject manages the object: self_patching.go
//   - another Patch owns a field: overlap.go
//   - the object is being deleted: terminating.go
//
// Drift, and how it is shown:
//
//   - what differs on the live object: drift.go; how a JSON patch corrects it: jsonpatch_restoration.go
//   - fields that only a run with a lost state has set: unrecorded.go
//   - values that the API server did not keep: dropped_values.go
//   - a list in another order: list_order.go
//   - the patch with live values, for the left side of a diff: live_patch.go
//   - where a JSON patch shows a field: operation_places.go
//
// What the patch has added or changed, and what a destroy does with it:
//
//   - records of what it has added: created_fields.go for fields, added_items.go for list items without keys
//   - records of what was there before: former_values.go; what of it is put back: putting_back.go
//   - fields that leave the patch in an update: leaving_fields.go
//   - which of it a destroy removes: removal_decision.go; the request that removes it and releases the rest: removal_request.go
//   - messages about what stays: released_fields.go
package patch
