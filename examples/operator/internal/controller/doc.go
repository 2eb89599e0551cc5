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
package controller
