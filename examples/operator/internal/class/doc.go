// Package class says what a class makes: a kind, and of each object of it an Environment. It reads and writes nothing.
//
//	definition.go   the CustomResourceDefinition of the kind
//	schema.go       what objects may say: as the class has written it down, or as its program declares
//	program_schema.go  the schema of what a program declares
//	narrowing.go    what a new schema would take away from objects that exist
//	revision.go     a template with its program, as the class was at a time
//	agreement.go    whether the schema and the program fit
//	withheld.go     what an object says that its revision is not told
//	environment.go  the Environment of an object
//	rollout.go      which Environments get the newest revision next
//	status.go       what a tenant sees
//	waiting.go      objects that do not get as far as their Environments
//	deletion.go     what a deleted class waits for
//
// An object never runs anything itself. It has an ordinary Environment in the namespace of the platform team, so that everything that
// holds for Environments holds for it: one machine plans, runs, continues and destroys.
package class
