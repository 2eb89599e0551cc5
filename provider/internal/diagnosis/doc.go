// Package diagnosis says why an object is not ready, as far as the cluster shows it: by the states of its
// pods and by its events.
//
// It is used during a wait and after a failed one, so it never fails itself: what may not be read, or cannot
// be read, is left out. It makes only narrow requests, by a selector or a UID, and a bounded number of them.
//
// # The files
//
//   - which pods an object has, and why each is not ready; a pod without a node: pods.go
//   - a container that crashes, is not ready, or whose image cannot be pulled: crashing_containers.go
//   - pods that cannot be created, because of a quota or a webhook: refused_pods.go
//   - events, and which of them are shown: events.go
//   - the end of a container's log, or, where it may not be read, the command that shows it: logs.go
//   - containers that have ended, for the result of a Task: ended_containers.go
//   - a Job that fails and deletes its pods: remembered.go; how a Job that is gone has ended: job_ending.go
package diagnosis
