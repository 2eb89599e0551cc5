// Package tracked contains what every resource needs that owns some fields of an object: KubeObject, which applied its
// whole manifest, and Patch, which took over a few fields of an object that others made.
//
// It holds each rule about such an object once:
//
//   - which object it is, who we are there, and how it is read ([Target], [ObserveLive]): target.go
//   - who owns the object ([KubeObjectOf]), and who may take it over ([TakeOver]): owner.go and takeover.go
//   - whether this process has looked at the object before it writes it ([SeenObjects]): seen_objects.go
//   - what is remembered of it between runs ([State]): state.go
//   - how the state is written if the object is too big to be a tree of properties: packed_state.go
//   - how a difference is shown in Pulumi's terms ([Place], [InputChanges], [Lost]): diff.go
//   - whether the program means another object than before ([IdentityDiff]): identity_diff.go
//   - which call of Diff is the program's ([EngineCalls]): engine_calls.go
//   - what happens if it could not be read ([KeepStale], [ClusterForDiff], [State.UncheckedDiff]): reread.go
//   - in which cluster it is ([Origin]), and what follows if the connection leads to another cluster ([Origin.Located],
//     [Origin.Moved], [Moves]): origin.go and another_cluster.go
//   - what is said about an object that is being deleted ([Target.WarnTerminating], [Target.RefuseTerminating]):
//     terminating.go
//   - how we change who owns what ([Target.Edit]), also after a write ([Target.CleanUp]): edit.go
//   - what is done if managed fields are recorded in a version that blocks an apply ([OutdatedError],
//     [Target.PutInOneVersion]): outdated_managed_fields.go
//   - what happens if an admission webhook cannot be called ([AwaitWebhooks], [WarnUnasked]): unreachable_webhooks.go
//   - how one dry-run serves Diff and the preview after it ([DryRunCache]): dryrun_cache.go
//   - that a replacement of the same name does not delete its own successor ([ReplacementGuard]): replacement_guard.go
//   - what of it is secret ([SecretPlaces], [Sensitive]), even if the program does not say so ([MarkKind]): secret_places.go,
//     sensitive_texts.go, secret_by_kind.go
//   - how a value is shown in a message ([Show]): shown_values.go
//
// There is no framework here: a resource embeds the structs and calls the functions. Each resource decides itself what
// it applies, compares and releases.
package tracked
