// Package connection is how a Pulumi program says which cluster to talk to: the type that the schema shows, its
// checks, and its way to the plain connect.Connection that the rest of the provider works with.
//
// Its laws:
//
//   - Values are read from the raw property map. A connection may be unknown or secret in any part, and typed decoding
//     loses both.
//   - Unknown stays unknown: a connection with an unknown part is not decoded ([ErrUnknown]) and passes the checks
//     that concern it.
//   - [Decode] is tolerant, because state that was once written must always be read. [Check] is strict, because it sees
//     what the user wrote.
//   - Credentials are marked secret whether the user did or not ([MarkSecret]), and no message repeats a value.
package connection
