// Package plan decides what to do next about an Environment.
//
// [Decide] is a function of what was read and of nothing else: not of a clock (the time is read, too), not of what was
// decided before, not of chance. So a controller that is killed anywhere reads again and goes on, and two that
// read the same want the same.
//
// # The laws
//
// One decision is one write. If the status has to change, that is the write, and everything else waits for the next
// reconciliation: an operation is in the status before anything is created for it, and it leaves the status
// before anything is removed. Each [Step] is repeatable: it may have been done already, by this controller or by another one.
//
// An operation that has begun is brought to its end with the inputs it began with, before a newer spec is looked at.
// The head (package state) says how it ended, not the Job: a Job can be deleted, a pod can be lost.
//
// Every path ends in Ready, in Stalled, in waiting for a person (approval, suspension, an input that is missing) or for
// another Environment, or with the Environment gone.
//
// # Time
//
// All times in a status are of the API server's clock, which all controllers share. A time in the future is not
// believed: what it delays is due.
//
// # The files
//
// What comes next:
//
//   - a decision, and the steps that it may ask for: decide.go; what it depends on: observed.go
//   - what begins an operation: changed inputs, a request, a look for drift: begin_operation.go
//   - when what is watched asks for a look: watched.go
//   - who has approved a plan, of a change or of a destroy: approval.go
//   - the current operation, from its Job to its end: proceed.go; what is taken over from the head: conclude.go
//   - a deletion: delete.go; Environments that depend on each other: dependencies.go
//
// When something is in the way:
//
//   - a run that was killed, or never started: interrupted.go; a failure, and when it is retried: retry.go
//   - the Lease of a run, and a pod that is dead: lease.go
//   - a name that is taken, credentials that are missing: run_not_allowed.go
//   - a write that the API server refuses: refused_writes.go
//   - a state that was removed: state_lost.go; a status that was lost: restore.go
//
// The status:
//
//   - Ready, Reconciling and Stalled: conditions.go; what fits into it: status_size.go
package plan
