// Package failure turns errors into what the user needs to know: what happened, why, and what to do next.
// It also answers the one question that state safety depends on: did the request have an effect?
//
// Its laws:
//
//   - An error is classified by its type, and the API server's status code, reason and causes. Its text is read only
//     where nothing else tells: schema_mismatch.go and decoding.go for manifests that do not fit their schema, refusal.go for
//     who refused a request. An unrecognised text is shown whole.
//   - [Outcome] is conservative. It returns [Refused] and [NotSent] only when they are certain, because the caller
//     then saves nothing. Everything else is [Unknown], and the caller records that the object may exist.
//   - The cause stays reachable: every error made here unwraps to the one that it explains.
//   - Nothing secret is printed. Request and response bodies are never part of a text, and a [Redactor] replaces the
//     values that a caller declares as sensitive wherever the API server quotes them. If there are any, the API
//     server's diffs of objects are not shown at all.
package failure
