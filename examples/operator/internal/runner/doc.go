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
package runner
