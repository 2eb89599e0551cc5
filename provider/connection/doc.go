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
package connection
