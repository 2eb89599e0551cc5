// Package engine runs Pulumi's own engine in the process of a test, against a real API server.
//
// A [Stack] is a project with a stack, in a folder and with a backend of files of its own, as a user has them. Its operations
// are those of the CLI below the flags: the backend takes the lock, writes checkpoints and the history, the engine plans
// and steps, and backend/display renders what a user reads. What is missing is what the CLI adds: the parsing of flags,
// prompts, and processes. An operation takes a tenth of the time of a command. Tests of signals, locks, plugins on the PATH
// and shell commands use the CLI, and both can work on one stack in turn.
//
// A program is a Pulumi.yaml, which the real host for YAML runs, or a Go function. The provider is this repository's, behind
// the gRPC server of the plugin, so that everything that the plugin wraps is there. A new one is made for each operation, as
// each command starts new processes; a test can stand between it and the engine ([Stack.Intercept]), cancel an operation
// ([Operation.Cancel]), or kill it between two calls ([Operation.Kill]).
//
// A [Memory] is a stack without a folder, a backend and text, for thousands of operations on single resources.
package engine
