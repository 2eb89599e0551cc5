// Package failure turns errors into what the user needs to know: what happened, why, and what to do next.
// It also answers the one question that state safety depends on: did the request have an effect?
//
// Its laws:
//
//   - An error is classified by its type, and the API server's status code, reason and causes. Its text is read only
//     where nothing else tells: schema_mismatch.go and decoding.go for manifests that do not fit their schema, who_refused.go
//     for who refused a request. An unrecognised text is shown whole.
//   - [Outcome] is conservative. It returns [Refused] and [NotSent] only when they are certain, because the caller
//     then saves nothing. Everything else is [Unknown], and the caller records that the object may exist.
//   - The cause stays reachable: every error made here unwraps to the one that it explains.
//   - Nothing secret is printed. Request and response bodies are never part of a text, and a [Redactor] replaces the
//     values that a caller declares as sensitive wherever the API server quotes them. If there are any, the API
//     server's diffs of objects are not shown at all.
//
// # The files
//
// What has happened:
//
//   - a webhook, a ValidatingAdmissionPolicy, a quota or a missing permission that refuses a request; a namespace that is being
//     deleted: who_refused.go
//   - a webhook that cannot be called: unreachable_webhook.go; a namespace that does not exist: missing_namespace.go
//   - the class of any other error, from 401 to a broken connection; whether an object is gone; the conflicts with other field
//     managers: classify.go
//   - errors that the code makes itself: a kind that is not served, a mistake in the connection, a credential plugin that fails, an
//     answer that is not one of Kubernetes: errors.go
//   - whether a failed write took effect: write_effect.go
//
// A manifest that the API server refuses:
//
//   - its mistakes, field by field: invalid_manifest.go; what the API server says of unknown fields and wrong types: decoding.go.
//     Package cluster looks for all mistakes.
//   - a manifest that does not fit its schema, such as one with a bad quantity, and managed fields that cannot be converted:
//     schema_mismatch.go
//   - a message that repeats the whole value: refused_value.go
//
// The message:
//
//   - what happened, why, and what to do next: explain.go; the sentences for each class: advice.go
//   - all reasons in brackets: reason.go; which error has which: with_reason.go
//
// Secrets in messages:
//
//   - a value as it is, or in quotes: redact.go, quoted_text.go; in a diff of the API server: hidden_diff.go
//   - the whole object, in the refusal of a patch: patched_object.go
package failure
