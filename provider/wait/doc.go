// Package wait is the Wait resource: it waits for a condition of any object, and never touches the object.
//
// It is a separate resource so that a failed wait is not a failure of the object. A failed wait is saved with a flag,
// the update fails, the engine does not create what depends on it, and the next update waits again. A refresh clears
// Pulumi's own record of such failures, but not the flag.
//
// # Which call may do what
//
// Check makes no request. Create and Update wait. Read reads the object once and never waits. Diff makes no request,
// unless that read failed: then the program's Diff reads for itself, through the program's current connection. Delete
// does nothing.
//
// # The files
//
// The verbs:
//
//   - the resource, which serves the verbs from the raw requests, and its Delete, which does nothing: resource.go; its types in
//     the schema: args.go
//   - Check: check.go; Create and Update, which wait: run.go
//   - Read, which never waits, and an import, which is refused: read.go
//   - Diff, which says when a Wait waits again, such as after a change of triggers: diff.go; its own read after a failed one: reread.go
//
// Inputs and state:
//
//   - the checked inputs: inputs.go; the state: state.go
//   - the output status, which is null unless the wait is for fields, and which of it is secret: state.go
//   - the inputs selector and count, and mistakes in them: selector.go
//
// A wait that has succeeded:
//
//   - A refresh does not evaluate it again. It only renews the status, and forgets the Wait if its object is gone or is a new one:
//     read.go. For many objects it makes no request: many.go.
//   - a Job that the cluster has deleted since (ttlSecondsAfterFinished): ended_job.go
//   - a wait in another cluster than the program's: diff.go
//
// A wait that has failed:
//
//   - onFailure, with which it is only a warning: run.go
//   - a refresh that finds that everything holds by now: read.go, for many objects many.go; one that finds that it does not: pending.go
//
// A wait for many objects: many.go.
//
// What the input waitFor says, and what an error of a wait says, is decided in package waitfor; whether an object is as awaited, in package
// readiness.
package wait
