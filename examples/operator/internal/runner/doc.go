// Package runner is what the pod of a run does: it takes the Environment's stack, runs one operation on it, and says in
// the state what has come of it.
//
// # The laws
//
// One at a time. A run begins when it holds the Lease, and ends as soon as it does not hold it any more, or when
// someone else has written the state (see [Run]).
//
// The state is the truth. Whatever a run finds out is in the head's record before the process ends: exit code, log
// and termination message are copies for people.
//
// Nothing is lost. While Pulumi works, each of its checkpoints is saved soon after it was written, the last one always.
// A run that was killed is continued by the next from there.
//
// Nothing secret leaves. Every text that goes to the record, the termination message or the log has the secrets taken
// out that the run knows of: those of the configuration, of the backend, of the state before and after, and the passphrase.
//
// A run that is told to end passes it on to Pulumi, which completes what is under way, and saves.
//
// # The files
//
// A run:
//
//   - from its begin to its end, and how it saves the state: run.go; its options and exit codes: options.go
//   - an operation and its steps: operate.go; the plan of an update, and its hash: plan.go
//   - what it leaves in the state: conclude.go; the message of its pod: message.go
//   - one at a time: lease.go
//
// Pulumi:
//
//   - the stack, and its commands: engine.go; the process, and how it is told to end: command.go
//   - what the engine says meanwhile, collected: report.go
//   - the program, as it was given or from the image: program.go
//   - the checkpoint and the environment that it finds: restore.go
//
// The state:
//
//   - checkpoints, saved while Pulumi works: checkpoint.go; what is in one, and its secrets: deployment.go
//   - a state in a backend of its own, locks, and a stack that is not ours: backend.go
//   - the resources: resources.go; the outputs: outputs.go
//   - export, import and cancel: transfer.go
//   - a state that another Environment gets: move.go; the names and secrets in it: restack.go
//
// A failure:
//
//   - its reason: failure.go; which errors of the engine people are told, in which order
//     and how much: explain.go
//   - secrets, taken out of all texts: redact.go
package runner
