// Package chartserver serves Helm charts on loopback, for tests: a chart repository and an OCI registry. Both count their
// requests, and can demand credentials, fail, and serve other bytes than they should.
package chartserver
