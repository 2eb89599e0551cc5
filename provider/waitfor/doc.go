// Package waitfor is the input waitFor, which says what to wait for. It carries out the wait for every resource that
// has this input: it shows the live status beside the resource, and returns an error that explains why the wait failed.
//
// # The files
//
// The input:
//
//   - its types in the schema: args.go; what it says, and mistakes in it, such as a rollout of a kind that has none: decode.go;
//     its member http: http.go
//
// A wait:
//
//   - for one object: run.go; for many: run_all.go
//   - what counts as missing: answer.go, with the rule that a definition declares: declared_rule.go. Package readiness has the rules.
//   - a status that no controller writes, and a claim that no pod uses yet: missing_status.go
//   - whether a Service or a Pod answers: answer.go
//   - the live status beside the resource: status_line.go
//
// A failed wait:
//
//   - what the error says: report.go; for many objects: report_all.go; what to do next: next.go
//   - reasons in the object, such as pods that cannot be created: causes.go; the log of a container: log.go
//   - a failed Job or Pod, which never becomes ready: failed_for_good.go
//   - a Job that was complete, and that the cluster deleted before the wait saw it: completed_job.go
//   - a wait that the next update repeats: pending.go
package waitfor
