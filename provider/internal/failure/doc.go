// Package failure turns what went wrong into what the user needs to know: what happened, why, and what
// to do next. It also answers the one question on which state safety rests: did the request have an effect?
//
// Its laws:
//
//   - An error is classified by its type, and the API server's status code, reason and causes. Its text is read only
//     where nothing else tells: typedpatch.go and decoding.go for manifests that do not fit their schema, refusal.go for
//     who it was that refused a request. Where a text is not recognised, it is shown whole.
//   - [Outcome] is conservative. "It was refused" and "it never left" are said only when they are certain, because
//     the caller then saves nothing. Everything else is [Unknown], and the caller records that the object may exist.
//   - The cause stays reachable: every error made here unwraps to the one that it explains.
//   - Nothing secret is printed. Bodies of requests and responses are never part of a text, and the values that a
//     caller declares as sensitive are replaced by a [Redactor] wherever the API server quotes them. Where there are
//     any, its diffs of objects are not shown at all.
package failure
