package tracked

// The inputs that only components give their children. They are not in the schema.
const (
	// KeyRetained says that an object outlives its resource. It stands for the resource option retainOnDelete, which providers do not see.
	KeyRetained = "__retained"
	// KeyNamespaceAssumed says that the namespace of a manifest comes from its set, which does not know whether the kind has namespaces.
	KeyNamespaceAssumed = "__namespaceAssumed"
	// KeyLeftOut says that a resource has let go of its object: nothing reads, writes or deletes it.
	KeyLeftOut = "__leftOut"
	// KeyHook makes a Task the hook of a release.
	KeyHook = "__hook"
)

// The members of [KeyHook]. The resource for delete hooks has HookRelease and HookTakeOver as inputs; each of its steps has HookDeleteAfter
// and HookFormerly.
const (
	HookRelease     = "release"
	HookDeleteAfter = "deleteAfter"
	HookTakeOver    = "takeOver"
	HookFormerly    = "formerly"
	HookEvent       = "event"
)

// The members of [HookEvent].
const (
	EventNumber = "number"
	EventOpen   = "open"
	EventRuns   = "runs"
	EventUnsure = "unsure"
	EventEnded  = "ended"
	EventStage  = "stage"
	EventFound  = "found"
	EventLeft   = "left"
)
