// Package machine tests that a real node leaves the machine as it was. It is a package of its own because the tests of
// package node run inside what is looked at here from outside.
package machine
