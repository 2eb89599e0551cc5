// Package releases searches for defects of Chart, Manifests and Task: random lives of releases, told by Pulumi's own engine
// against a real API server.
//
// A life is a stack in a namespace of its own. Its chart is a small model, from which the test writes the templates, so that
// it knows which field of which object is drawn, which hook runs when, and what is there at the end. What the provider does is
// judged by laws that do not know the provider's code: one law a file, law_*.go. They look at the cluster, at Helm, at the
// audit log of the API server, and at the controller of the tests, which runs the Jobs and notes what existed when each ran.
//
// Known defects have stories of their own, by number, and a row in the table of the search (known_test.go), so that the search
// is green and able to find new ones.
package releases
