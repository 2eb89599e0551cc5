// Package state keeps the checkpoints of a stack, and the outcome of its operations, in Secrets.
//
// # The head
//
// One Secret for each Environment is the head (see [Head]). It has the revision, the record of the operation that wrote
// it, the outputs, and the stack's checkpoint as Pulumi has compressed it. A new revision replaces it by its
// resource version; nothing is ever written into the one that is there. So a reader sees one revision or the next,
// never a mixture, and of two writers one fails.
//
// # Chunks
//
// A checkpoint over 900 kB does not fit. It is then cut into chunks, each an immutable Secret named by the hash of its content,
// written before the head that names them. What no head names any more is removed after the head that replaced it.
// A process that dies in between leaves chunks that nobody names, and the next save removes them.
//
// A writer that was overtaken after its head may still be about to remove chunks. It removes only those that were there before
// its own save, unchanged; and whoever names one that was left changes it first. So nobody removes what a newer head names.
//
// # No owner
//
// The head, the chunks and the passphrase have no owner reference but a finalizer (v1alpha1.StateFinalizer). A deletion in
// the foreground removes owned objects while the Environment still waits for its destroy, and after a restore from a
// backup the owner's uid is wrong.
//
// # The files
//
//   - reading and saving; a run that another one has overtaken, a Secret of someone else, and a state that is damaged: store.go
//   - what the head has: head.go; how its Secret contains that: encoding.go
//   - what is said of an operation, such as its outcome and the plan: record.go
//   - a checkpoint that does not fit into the head, and parts that are left over: chunks.go
//   - letting go of the state and deleting it, with the finalizer: removal.go
package state
