package task

import "time"

// life is one life of a resource: see [tracked.Lives].
type life struct {
	// hashKey distinguishes this life from all others.
	hashKey string
	// since is the time at which it began, in a form that can be compared as text; empty if that was not saved.
	since string
}

// beginLife begins a life with a key.
func beginLife(hashKey string) life {
	return life{hashKey, time.Now().UTC().Format("2006-01-02T15:04:05.000000000Z")}
}
