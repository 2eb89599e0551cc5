package tracked

// EndedJobs remembers, for this operation, the Jobs that were complete before the cluster deleted them. Nothing in the
// cluster records that, so a Wait for such a Job has nothing else to ask.
type EndedJobs struct{ notes Notes }

// NewEndedJobs returns the record that all resources share.
func NewEndedJobs(memory *Memory) EndedJobs { return EndedJobs{memory.For("cluster")} }

const completeAndGone = "the Job was complete and is gone" // uid

// Note records that a Job was complete and is gone.
func (e *EndedJobs) Note(uid string) { e.notes.set(completeAndGone, uid, "") }

// Has reports whether a Job was complete and is gone.
func (e *EndedJobs) Has(uid string) bool {
	_, gone := e.notes.get(completeAndGone, uid)
	return gone && uid != ""
}
