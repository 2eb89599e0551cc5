// Package task is the Task resource: it runs a Job or a Pod to its end, once per change, and keeps the result.
//
// # Runs
//
// Every run has a name, which follows from the resource, the number of the run and the content of the run. The object of the run
// has the same name. So a process that was killed, or lost a reply, finds the object of its own run and continues to wait for it;
// no run is started twice. See run_name.go. A run that has failed stays failed: the next command begins another run.
//
// A Job that has ended is evidence until the state is saved. So its time to live, which would remove it, begins only after the
// provider has seen the end. A Job that no one asked to keep is removed by that time to live, ten minutes later. See
// run_object.go.
//
// # Who made an object
//
// The annotations of every object that a run makes say which run of which resource it belongs to, and its field managers must
// agree. An object of the same run belongs to the run, perhaps made by a process that was killed. An object of an earlier run is
// replaced. An object that someone else made is never touched. See made_object.go.
//
// # Hooks
//
// The hooks of a chart are Tasks, too, with a hidden input: see hook.go. Their objects keep their names, because the chart may
// refer to them, so only the annotation identifies the run. All hooks of a release count as one maker: each replaces what another
// has left, as with helm's before-hook-creation. When a release is taken over, a hook that helm has made is replaced once it has
// ended.
//
// Objects that several hooks of an event need belong to the event: the first hook makes them, and the last one removes them. See
// event_objects.go.
//
// The delete hooks of a release are another resource, ReleaseHooks. It remembers its steps and runs them in its Delete. It may have
// no steps, and is never replaced, because deleting the resource runs its steps: a new version of the chart without delete hooks
// must be an update. Nothing is saved about a deletion that fails or is killed. The next deletion sees in
// the cluster which steps have succeeded; this evidence counts until ten minutes after the last sign of life. See ended.go.
//
// # How a failure is kept
//
// As with a Wait: the state is saved with a flag, the operation fails, the engine does not create what depends on the Task, and
// the next update continues.
//
// # Which call may do what
//
// Check makes no request. Create, Update and Delete run. Read checks whether the object of the last run still exists. Diff makes
// only the request that identifies the cluster. A preview runs nothing; it says what will run, and why.
//
// # The files
//
// The verbs:
//
//   - the resource, which serves the verbs from the raw requests: resource.go; its types in the schema: args.go
//   - Check: check.go; Diff: diff.go; Create: create.go; Read: read.go; Delete: delete.go
//   - Update: update.go; the decision of Create and Update whether to run, and what a preview says of it: decision.go
//   - the object of a run that a preview tries: dry_run.go
//
// Inputs and state:
//
//   - the checked inputs: inputs.go; the state: state.go
//   - a Task that replaces another one: replaced_tasks.go; how two lives of a Task differ: lives.go
//
// A run:
//
//   - its steps: run.go; its name: run_name.go; its Job or Pod: run_object.go
//   - the objects that exist only for the run: with.go
//   - who made an object, and how one is made: made_object.go
//   - its end: ended.go; its result: result.go
//   - whether its log and messages are secret, because a part of manifest, with or triggers is: inputs.go. They are marked in result.go.
//
// Hooks of a release:
//
//   - the hidden input that makes a Task a hook: hook.go
//   - the install or upgrade in which a hook runs: event.go
//   - the objects that several hooks of an event need: event_objects.go
//   - the resource ReleaseHooks: release_hooks.go; its Delete, which runs the steps: release_hooks_delete.go
package task
