// Package tracked contains what every resource needs that owns some fields of an object: KubeObject, which applied its
// whole manifest, and Patch, which took over a few fields of an object that others made.
//
// There is no framework here: a resource embeds the structs and calls the functions. Each resource decides itself what
// it applies, compares and releases.
//
// # The files
//
// Each rule about such an object is in one of them.
//
// The object:
//
//   - which object it is, who we are there, and how it is read ([Target], [ObserveLive]): target.go
//   - whether the program means another object than before ([IdentityDiff]): identity_diff.go; parts of the identity that a
//     preview does not know: unknown_identity.go
//   - in which cluster it is ([Origin]): origin.go; what follows if the connection leads to another cluster
//     ([Origin.Located], [Origin.Moved], [Moves]), which other credentials alone do not: another_cluster.go
//   - what is said about an object that is being deleted ([Target.WarnTerminating], [Target.RefuseTerminating]):
//     terminating.go
//   - that a resource belongs to a set or to a chart: in_set.go; the inputs that only a set gives its children:
//     hidden_inputs.go
//
// Who owns its fields:
//
//   - who owns the object ([KubeObjectOf]): owner.go
//   - which managers the input takeOverFrom names ([TakeOver]): takeover.go; the line that a message proposes for it:
//     takeover_line.go
//   - the managers that the input ignoreManagers names: ignored_managers.go
//   - the field manager of a resource whose URN has changed: rename.go; what to do if a set was renamed: rename_of_set.go
//   - how we change who owns what ([Target.Edit]), also after a write ([Target.CleanUp]), and how we give up all: edit.go
//   - managed fields that are recorded in a version that blocks an apply ([OutdatedError], [Target.PutInOneVersion]):
//     outdated_managed_fields.go
//
// What is remembered of it:
//
//   - the state ([State]): state.go; one that is too big to be a tree of properties: packed_state.go
//   - a revision, which changes with every write of ours: revision.go; the keyed hash of what was applied: content_hash.go
//   - what a read finds changed, what only the API server can have changed, and fields that others have taken ([State.Lost]):
//     drift.go
//   - a read that failed, and what a diff does then ([KeepStale], [ClusterForDiff], [State.UncheckedDiff]): reread.go
//   - what processes of one operation tell each other ([Memory]): memory.go; whether this process has looked at the object
//     before it writes it ([SeenObjects]): seen_objects.go
//
// What a diff shows:
//
//   - a difference in Pulumi's terms ([Place], [InputChanges]), also in lists with keys: diff.go; of nested ones only
//     the outermost: diff_outermost.go
//   - paths of the resource option ignoreChanges: ignored.go
//   - which call of Diff is the program's ([EngineCalls]): engine_calls.go
//   - how one dry-run serves Diff and the preview after it ([DryRunCache]): dryrun_cache.go
//
// What a write finds:
//
//   - an admission webhook that cannot be called, in an update and in a preview ([AwaitWebhooks], [WarnUnasked]):
//     unreachable_webhooks.go
//   - fields that the API server did not keep: dropped_fields.go
//
// A deletion:
//
//   - which object a Delete may delete, and whether it is gone: deletion_target.go; an object that went with its namespace or
//     its kind: gone_with.go; errors of a destroy: destroy.go
//   - the inputs that decide about a deletion, if the program has changed them in the same run: deletion_inputs.go
//   - the objects that a CustomResourceDefinition would take along: instances.go
//   - that a replacement of the same name does not delete its own successor ([ReplacementGuard]): replacement_guard.go; which
//     of two resources with one URN is the newer one ([Lives]): replaced_resources.go
//   - Jobs that were complete before the cluster deleted them: ended_jobs.go
//
// Secrets and messages:
//
//   - what of it is secret ([SecretPlaces]): secret_places.go; even if the program does not say so ([MarkKind]):
//     secret_by_kind.go; a secret of the program in what the cluster returns ([KnownSecrets]): secrets_from_elsewhere.go
//   - the texts that no message may quote ([Sensitive]): sensitive_texts.go
//   - how a value is shown in a message ([Show]): shown_values.go
package tracked
