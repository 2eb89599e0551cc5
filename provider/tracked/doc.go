// Package tracked contains what every resource needs that owns some fields of an object: KubeObject, which applied
// its whole manifest, and Patch, which took over a few fields of an object that others made.
//
// It holds each rule about such an object once:
//
//   - which object it is, who we are there, and how to read it ([Target], [ObserveLive]): target.go
//   - who manages the object ([KubeObjectOf]), and who may take it over ([TakeOver]): owner.go and takeover.go
//   - whether it was read before a write ([SeenObjects]): seen_objects.go
//   - what runs remember about it ([State]): state.go
//   - how to show a difference in Pulumi's terms ([Place], [IdentityDiff], [InputChanges], [Lost]): diff.go
//   - which call of Diff is the program's ([EngineCalls]): engine_calls.go
//   - what to do if a read failed ([KeepStale], [ClusterForDiff], [State.UncheckedDiff]): reread.go
//   - in which cluster it is ([Origin]), and what follows if the connection leads to another one
//     ([Origin.Located], [Origin.Moved], [Moves]): origin.go and another_cluster.go
//   - what to say about an object that is being deleted ([Target.WarnTerminating], [Target.RefuseTerminating]):
//     terminating.go
//   - what to do if managed fields are recorded in a version that blocks an apply
//     ([OutdatedError], [Target.PutInOneVersion]): api_version.go
//   - what to do if an admission webhook cannot be called ([AwaitWebhooks], [WarnUnasked]): unreachable_webhooks.go
//   - how one dry-run serves Diff and the preview after it ([DryRunCache]): dryrun_cache.go
//   - how a replacement of the same name avoids deleting its own successor ([ReplacementGuard]): replacement_guard.go
//   - what in it is secret ([SecretPlaces], [Sensitive]), also regardless of the program ([MarkKind]): secrets.go,
//     secret_texts.go, secret_kind.go
//   - how to show a value in a message ([Show]): show.go
//
// There is no framework here: a resource embeds the structs and calls the functions. Each resource decides itself what
// it applies, compares and releases.
package tracked
