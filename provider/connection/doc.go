// Package connection is how a Pulumi program says which cluster to talk to: the type that the schema shows, its checks,
// and its conversion to the plain connect.Connection that the rest of the provider works with.
//
// Its laws:
//
//   - Values are read from the raw property map. A connection may be unknown or secret in any part, and typed decoding
//     loses both.
//   - Unknown stays unknown: a connection with an unknown part is not decoded ([ErrUnknown]) and passes the checks that
//     concern that part.
//   - [Decode] is lenient, because every state that was ever written must stay readable. [Check] is strict, because it
//     sees what the user wrote.
//   - Credentials are marked secret even if the user did not mark them ([MarkSecret]), and no message repeats a value.
//
// # The files
//
// The input:
//
//   - its types in the schema: args.go; the names of its members: fields.go
//   - a typo in it, and contradictions: check.go; how it is read: decode.go
//   - members that arrive as JSON text: json_text.go
//   - which of it is secret: mark_credentials.go
//
// What resources get from it:
//
//   - the cluster of a resource: source.go
//   - a cluster that no longer exists: forget_clusters.go
//   - secret texts of the program, which no message shows: known_secret_texts.go
//   - warnings of the API server beside the resource: warnings.go; the end of a live status: clear_status_line.go
package connection
