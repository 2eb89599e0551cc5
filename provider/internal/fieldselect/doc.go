// Package fieldselect reads the paths that select fields of an object. There is one dialect for all inputs
// that take paths: JSONPath as in RFC 9535 (https://www.rfc-editor.org/rfc/rfc9535), the spelling of `kubectl get -o
// jsonpath`, and the keys that managedFields use to name list items.
//
//	spec.replicas    .spec.replicas    $.spec.replicas    {.spec.replicas}
//	metadata.annotations["a.b/c"]      metadata.annotations.a\.b/c
//	containers[name=web]               ports[port=80,protocol=TCP]
//	containers[?@.name=='web']         ports[?(@.port==80 && @.protocol=="TCP")]
//	finalizers[="example.com/protect"]
//	containers[*]    containers[0]    $..image    and all other brackets of RFC 9535
//
// An unquoted name may contain any character except dots, brackets, braces and line breaks; a backslash makes the next
// character literal. In quotes, a backslash means the same as in RFC 9535, and makes every other character literal.
//
// The package knows neither objects nor the evaluators of paths. All evaluators get the same parsed path, and each
// refuses what it cannot express. Two laws hold: all spellings of one selection are read alike, and [Path.Standard] is
// one of these spellings.
//
// # The files
//
//   - the steps of a path, and names without quotes: path.go
//   - brackets: keys, filters, positions: bracket.go
//   - texts in quotes, and values such as numbers: parser.go
//   - a path in the spelling of RFC 9535: standard.go
//
// Which objects and fields a path selects is decided by its evaluators: in package readiness for a wait, and in package ownership for fields to
// ignore.
package fieldselect
