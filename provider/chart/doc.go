// Package chart is the component Chart: a Helm chart whose objects are KubeObjects, and whose hooks are Tasks.
//
// # What is a child
//
// Objects are children as in a Manifests: see package sets. Hooks that are Jobs or Pods are Tasks, which run before or after the
// objects (hooks.go, construction.go); those of a deletion are run by the two ReleaseHooks, which are always there. What a hook needs
// while it runs goes with its Task; what it leaves behind is a KubeObject that nothing deletes.
//
// # The record
//
// A chart is rendered again in each run, so what must not change has to be remembered: random values and certificates, since when the
// release has which hooks, whether its install or upgrade has come to its end (event.go), and what it found when it was taken over. The
// record keeps that in the state, encrypted (memory.go). What a release that is taken over has drawn is looked for in its objects
// (inherited.go: how; inherited_view.go: in which fields; inherited_live.go: in whose objects; inherited_told.go: what is said of it). The
// record is registered first: in an update it renders, draws what has no value yet, and returns it (record.go). Only then are the objects
// rendered. In a preview it returns what it remembers, and what is not drawn yet is unknown.
//
// # Laws
//
//   - Two runs with the same inputs render the same.
//   - A preview draws nothing, runs nothing and writes nothing.
//   - What depends on a secret or drawn value is secret, what depends on an unknown one is unknown, and nothing else is.
//   - A release is rendered as an install, also when it is changed. What belongs to upgrades is in hooks.
//   - Whether a hook runs is decided by its Task, from the state. There is no record of the release in the cluster that could get stuck.
package chart
