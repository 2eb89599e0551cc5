// Package values carries values between Pulumi and Kubernetes.
//
// Pulumi passes a provider a property.Value: a tree in which every node may be secret, and every node
// may be unknown before the apply. Kubernetes wants plain JSON. In between, two things must never
// happen: a secret must not appear in clear text, and an unknown must not reach the API server as ""
// or 0. Conversions that drop the marks and try to recover them by comparing values or by appending
// to shared path slices get both wrong, and only at some depths. So this package splits a value into
// two trees of the same shape:
//
//   - the plain tree, made of map[string]any, []any, string, bool, int64, float64 and nil, with
//     [Unknown] in place of an unknown value, and
//   - the [Marks], which say which paths are secret.
//
// The laws of the package:
//
//   - ToProperty(FromProperty(v)) equals v, up to the dependency lists that Pulumi attaches to values.
//   - A mark is never lost, moved or invented. A mark on a map or a list stays on it, and every path
//     below it counts as secret.
//   - An unknown stays where it is, also when it is a whole map or list; one that is secret is both.
//   - An [Unknown] cannot be encoded as JSON: a request that still holds one fails before it is sent.
//   - Whole numbers within ±2^53 become int64, as Kubernetes keeps them; all others stay float64.
//
// What the wire does to a value on its way was measured (the tests repeat it): dependency lists come
// and go, the type of an unknown is forgotten (an unknown typed null arrives as null), an unknown never
// has children, and "output values", secrets in secrets and unknown secrets arrive as one node with
// flags. The relations "this leaf is secret" and "this leaf is unknown" survive, and only those are
// promised.
//
// # The files
//
//   - from Pulumi to a plain tree and back, what cannot be in an object, and whole numbers: convert.go
//   - secret marks: secret_marks.go
//   - an unknown value, and copies of trees that contain one: values.go; where a tree has unknown values: unknowns.go
//   - paths for people and for the engine: path.go
//   - which properties of two maps differ: differences.go
//   - a text, a flag or a list of texts in an input: scalars.go
//   - a tree as a line of JSON: json.go
package values
