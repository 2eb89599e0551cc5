// Package functions contains the provider's functions: getObject and getObjects, which read objects of the cluster, and
// splitYaml, which splits YAML texts into manifests and never asks a cluster.
//
// A function has no state. It runs in every preview and every update, and nothing checks its result. So it
// either returns everything, or fails and says why; it never returns a partial result.
//
// # Secrets
//
// The framework loses the marks of secret values in free-form outputs, so the functions serve the raw
// requests and leave typing, schema and registration to infer. The data of a Secret comes back secret. If an
// argument that selects what to read is secret, the whole result is, and no message quotes it.
//
// # The files
//
//   - all functions: functions.go
//   - getObject, and its argument optional for an object that may be absent: getobject.go
//   - getObjects, with selectors, a limit and all namespaces: getobjects.go
//   - splitYaml, and its argument secrets, which leaves out Secrets or all else: splityaml.go. Its sources and keys are in package sources.
//   - a live object as a result, without metadata.managedFields: live_object.go
//   - results that are secret because of their kind, and secret arguments, which no error shows: secrets.go. That a secret argument makes
//     the whole result secret is decided in the file of each function.
package functions
