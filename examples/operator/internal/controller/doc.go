// Package controller turns Environments into runs.
//
// It is the shell around package plan: [Reconciler.Reconcile] reads what a decision depends on (observe.go), lets
// plan.Decide decide, and carries the one thing out that was decided (carry_out.go). It remembers nothing that matters. What it does
// remember saves requests (what was read of a version that is still the newest, when to try a write again that was refused), or is a slot
// that is taken until it is given back.
//
// It does not wait and it does not poll. It looks again when an Environment or one that it depends on, a Job, a pod, a Lease, a program or
// a Secret that an Environment names changes, and when a decision says so: a retry, a look for drift, the end of a
// dead pod's rights, a name that is taken by something that is not watched, how far a run has come.
//
// # What it reads
//
// Of Secrets and ConfigMaps it watches the metadata alone. Their content is read by name: the program and the secrets of the
// configuration when they have another version and when an operation begins, the head when a run has ended, and now and then while it goes on. A pod that
// runs a program mounts a copy of these that was made once, for this operation.
//
// # The files
//
// An Environment:
//
//   - the reconciler: reconciler.go; what it watches, and what the cache keeps: watches.go
//   - what a decision reads: observe.go; of the spec, its program and its secrets: inputs.go; of its outputs: outputs.go; of other
//     Environments: dependencies.go; of approvals: approvals.go
//   - what it does then: carry_out.go; the Job of a run: job.go; the rights of its pod: rbac.go
//   - what is removed, and when: clean_up.go
//   - a name that others have taken: name_taken.go; the names of what it makes: names.go
//   - a write that the API server refuses: refused_writes.go; a pod that does not start: not_started.go
//   - how many programs run at once, and who is next: slots.go
//   - the Environments of this controller among several: shard.go
//   - drift that is seen when it happens: watched.go
//   - what it remembers to save requests: memory.go; the time of the API server: server_clock.go; metrics: metrics.go
//
// A class and its objects:
//
//   - a class, its kind, and the waves of a new revision: class_reconciler.go; its program and revisions: class_program.go;
//     questions to registries: class_lookups.go; its deletion: class_deletion.go; its events: class_events.go; what it watches: class_watches.go
//   - an object of a class, its Environment, and what its tenant is told: instance_reconciler.go; events for its tenant: tenants.go
//   - the revision of an object, and what that is not told: instance_revision.go; its secrets and outputs: instance_secrets.go
//   - the watches of its kind: instance_watches.go
package controller
