package tracked

import (
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// Lives knows, for this operation, the newest life of each resource. If a user has asked for a replacement, the engine
// creates the new resource and then deletes the old one, perhaps in a later run, or the other way round. An old
// resource must not run its final steps on something that the new one still uses. No call of the engine says whether a
// replacement is under way. But the engine reads both resources first, and checks those in the program.
type Lives struct{ Notes Notes }

const (
	newestLife  = "newest life"    // resource.URN -> since and, after a space, the digest of the hash key
	dropped     = "dropped"        // resource.URN
	programmed  = "in the program" // resource.URN
	replaceable = "to be replaced" // resource.URN -> what its replacement has to know
)

// See records a life and reports whether it is the newest one. since is when the life began, in a form that can be
// compared as text; empty if unknown.
func (l *Lives) See(urn resource.URN, hashKey, since string) (newest bool) {
	if _, known, is := l.newest(urn); is && known > since {
		return false
	}
	l.Notes.set(newestLife, string(urn), since+" "+digestOf(hashKey))
	return true
}

// Drop records that the program has no such resource, although what the resource belongs to lives on.
func (l *Lives) Drop(urn resource.URN) { l.Notes.set(dropped, string(urn), "") }

// IsOver reports whether a life has ended before its resource is deleted: there is a newer one, or the resource is dropped.
func (l *Lives) IsOver(urn resource.URN, hashKey, since string) bool {
	if _, is := l.Notes.get(dropped, string(urn)); is {
		return true
	}
	key, known, is := l.newest(urn)
	return is && key != digestOf(hashKey) && known >= since
}

func (l *Lives) newest(urn resource.URN) (key, since string, is bool) {
	fact, is := l.Notes.get(newestLife, string(urn))
	since, key, _ = strings.Cut(fact, " ")
	return key, since, is
}

// Check records that the program has a resource.
func (l *Lives) Check(urn resource.URN) { l.Notes.set(programmed, string(urn), "") }

// Read records that a resource is read before the program runs.
func (l *Lives) Read(urn resource.URN) { l.Notes.forget(programmed, string(urn)) }

// IsProgrammed reports whether the program has a resource.
func (l *Lives) IsProgrammed(urn resource.URN) bool {
	_, is := l.Notes.get(programmed, string(urn))
	return is
}

// Remember keeps a fact, which must not be secret, for the resource that replaces this one.
func (l *Lives) Remember(urn resource.URN, fact string) { l.Notes.set(replaceable, string(urn), fact) }

// Replaced returns that fact, if there is a resource to replace.
func (l *Lives) Replaced(urn resource.URN) (fact string, is bool) {
	return l.Notes.get(replaceable, string(urn))
}

// Forget forgets it.
func (l *Lives) Forget(urn resource.URN) { l.Notes.forget(replaceable, string(urn)) }
