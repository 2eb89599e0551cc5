// Package object is the KubeObject resource: any Kubernetes object, applied by server-side apply.
//
// # What is in the state
//
// The output manifest is the projection of the live object on the fields that this resource applied (see package
// ownership). It has the same name as the input, so a detailed diff shows the live values on the left and the desired
// ones on the right. Hidden outputs remember what was applied: the field set, a keyed hash of the manifest, and, only
// while the live object differs, the values that were applied. See state.go.
//
// A manifest that is too big for the engine is text in the inputs, and so is what the state keeps of it; the output
// manifest has its identity. See manifest_form.go and diff_text.go.
//
// # How a failure is kept
//
// An apply has three outcomes. Refused: nothing happened, nothing is saved. Done: the state is saved. Unknown,
// because the reply was lost or unreadable: the identity is saved with our own flag, the operation fails, and the
// next update applies again in place. A refresh clears Pulumi's own record of such failures, but not the flag.
//
// # Which call may do what
//
// Check never touches the network. Diff reads the object only if the last read failed. It makes a dry-run only if the
// inputs changed, or if the last update or a lost run has left something to settle. Create, Read, Update and Delete run
// in parallel and make one request each where one is enough.
//
// # The files
//
// The verbs:
//
//   - the resource, which serves the verbs from the raw requests: resource.go; its types in the schema: args.go
//   - Check: check.go; Diff: diff.go; Create: create.go; Update: update.go; Read: read.go; Delete: delete.go
//   - what the answer of the API server becomes, for Create and Update, in a preview too: the outputs that are known, or an
//     error with the state kept because the reply was lost or unreadable, for instance because the API server went away: outcome.go; the state in it: apply.go
//   - Read for an import: import.go, import_secrets.go; for a program that asks whether an object exists: existence.go
//
// Inputs and state:
//
//   - the checked inputs: inputs.go; the manifest in them, as a tree or as text: manifest_form.go
//   - the resource option ignoreChanges, where the engine restores an old manifest: ignored_changes.go
//   - the state: state.go
//   - the object that is applied, and where it is: target.go
//   - parts of the identity that a preview does not know: unknown_identity.go
//   - an object that stays in its namespace when the default one changes: pinned_namespace.go. Where an object without a
//     namespace belongs is decided by [cluster.Cluster.Resolve].
//
// What Diff shows:
//
//   - drift: what a read finds changed, and the fields whose value or owner has changed, each once: drift.go
//   - the steps of a Diff, when there is nothing to do, and when the API server is asked: diff_steps.go. The connection is not compared:
//     other credentials for the same cluster are no change.
//   - changes of fields as changes of properties: diff_detailed.go
//   - a manifest as text: diff_text.go; the messages that name what differs in it: diff_messages.go
//   - a list in another order: list_order.go
//   - a change that only concerns the deletion: deletion_policy.go
//
// A new object:
//
//   - an object that two resources of one program create: planned_twice.go
//   - a namespace or a kind that the same run may create: prerequisites.go; the ServiceAccount of a token: token_account.go
//   - a version that the cluster does not serve, in a chart: version_of_chart.go
//   - an object that exists already: adopt.go; what others have set on it: adopt_extras.go
//   - an object that an interrupted run has created; what a read says of a write with an unknown outcome: recovery.go
//   - an object with the name of the one that it replaces: same_name_replacement.go
//
// A write onto an object that exists:
//
//   - what it sends: write.go, without ignored fields sent_manifest.go; the request, with or without force, and the state after its answer: apply.go
//   - the edits of managed fields before and after it: write_ownership.go; single ones: ignore_released.go, unowned_fields.go
//   - the input takeOverFrom: whose fields become ours, so that removing one from the manifest removes it from the object, and what kubectl's
//     become in the first update after an import: takeover.go
//   - a preview that cannot ask the API server, for instance because a webhook cannot be called: unresolved_preview.go
//   - an object that still has the field manager of a former URN: an update renames it in write.go, a creation in adopt.go
//   - other KubeObjects on the object, also on one that exists before a create, and what to do then, such as
//     an alias, takeOverFrom or `crds: skip`: other_kubeobjects.go; Patches on it: patched.go
//   - fields of other managers, by conflictPolicy: conflicts.go
//   - fields that leave the manifest, and whether they leave the object: removed_fields.go
//   - managed fields in an API version that blocks the apply: outdated_managed_fields.go
//   - an object that is gone or in another cluster: another_cluster.go
//
// The input ignoreFields:
//
//   - its paths, and all that is ignored in any case: with the provider's setting, and the rules of a ClusterRole that a
//     controller collects: ignore_fields.go
//   - what an update sends without them, but never without the identity of the object:
//     sent_manifest.go
//   - ignored fields that an apply has to send, such as those of a list item that it creates: ignore_onto_live.go; those inside
//     lists that are owned as a whole: ignore_inside.go
//   - fields that are ignored from now on: an update hands them back; a preview, which cannot, sends their live values:
//     ignore_released.go
//   - fields that are no longer ignored: ignore_returning.go
//   - paths that select nothing: ignore_selects.go
//   - the line for the program that ignores a field: ignore_line.go
//
// Fields that are ignored because of their managers, or in all objects of a kind:
//
//   - the input ignoreManagers: ignore_managers.go
//   - the provider's setting ignore: ignore_setting.go
//
// An update that the API server refuses:
//
//   - because of a default that it has set earlier: leftover_defaults.go
//   - because of a field that the manifest does not set: leftover_contradiction.go
//   - because of drift, which then stays: kept_drift.go; how it is remembered: unsettled.go
//   - because of a change that needs a replacement: immutable.go; how that is proved: immutable_probe.go
//   - because objects are stored in a version that the program drops: stored_versions.go
//   - the fields that the refusal names: refused_fields.go; the changes that it is about: refused_changes.go
//   - whether the program has changed a field: program_changes.go
//
// A deletion:
//
//   - its timeout, deletionPropagation and forceDestroy: delete.go
//   - an object that is kept: resource_policy.go
//   - a CustomResourceDefinition, whose objects would go with it: definition_instances.go
//   - a deletion that does not end: stuck_deletion.go; one that the user has to make: deletion_by_hand.go
//   - an object that the resource lets go of and may manage again: left_out.go
//
// Jobs:
//
//   - a Job that is replaced while it runs: running_job.go
//   - a Job that has ended and that the cluster has deleted: ended_job.go
package object
