package main

// The generations of the program.
const (
	first  = "1"
	second = "2"
)

// step is one command on the stack, and what it may cost.
type step struct {
	name string
	// generation is that of the program.
	generation string
	// command is the CLI's.
	command []string
	// bare is the same requests without an engine and a provider.
	bare []phase
	// most is how many requests it may make for an object.
	most int
	// watches says that it may also watch an object, until a deleted one is gone, or one is ready.
	watches bool
	// looksAgain says that it may ask for the kinds of a group-version more than once.
	looksAgain bool
	// leaves is the generation of all objects afterwards, "" if there are none.
	leaves string
	// within is how long it may take, as a multiple of what engine and server take alone; 0 for any time.
	within float64
}

// phase is a request for each object, as many at a time as the engine makes. Another before it is made for one
// object after the other, as the engine asks for differences.
type phase struct{ before, request request }

type request int

const (
	nothing request = iota
	get
	dryRun
	apply
	remove
)

const (
	stepPreviewCreate = "preview of create"
	stepCreate        = "create"
	stepUnchanged     = "unchanged preview"
	stepUpdate        = "update all"
	stepDestroy       = "destroy"
)

// steps are the life of a stack. Those that are to change nothing fail if something changes.
var steps = []step{
	{
		name: stepPreviewCreate, generation: first, command: []string{"preview"},
		bare: []phase{{request: dryRun}}, most: 1,
	},
	{
		name: stepCreate, generation: first, command: []string{"up", "--yes", "--skip-preview"},
		bare: []phase{{request: apply}}, most: 1, leaves: first, within: 1.3,
	},
	{
		name: stepUnchanged, generation: first, command: []string{"preview", "--expect-no-changes"},
		bare: []phase{{request: get}}, most: 1, leaves: first,
	},
	{
		name: "unchanged up", generation: first, command: []string{"up", "--yes", "--skip-preview", "--expect-no-changes"},
		bare: []phase{{request: get}}, most: 1, leaves: first,
	},
	{
		name: "refresh", generation: first, command: []string{"refresh", "--yes", "--skip-preview", "--expect-no-changes"},
		bare: []phase{{request: get}}, most: 1, leaves: first,
	},
	{
		name: "preview of update", generation: second, command: []string{"preview"},
		bare: []phase{{request: get}, {before: dryRun}}, most: 2, leaves: first,
	},
	{
		name: stepUpdate, generation: second, command: []string{"up", "--yes", "--skip-preview"},
		bare: []phase{{request: get}, {before: dryRun, request: apply}}, most: 3, leaves: second,
	},
	{
		name: stepDestroy, generation: second, command: []string{"destroy", "--yes", "--skip-preview"},
		bare: []phase{{request: get}, {request: remove}}, most: 2, watches: true,
	},
}
