package tracking

import (
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// Standing remembers, for this process, which object each resource stands for. Its
// zero value is ready for use, also by several goroutines.
//
// A replacement with create-before-delete asks for a new object while the old one
// stands, and then deletes the old one. With the same name these are one object:
// Create would find it, take it for an earlier attempt of its own, and Delete
// would then delete it under the new state. Neither request says that it is part
// of a replacement, so what was seen before has to.
type Standing struct {
	mu    sync.Mutex
	byURN map[resource.URN]stood
}

// stood is an object and the state that knows it. The states of one object are
// told apart by their hash keys, which are made anew with every creation.
type stood struct{ uid, hashKey string }

// See notes that the newest state of a resource knows the object with this uid.
func (s *Standing) See(urn resource.URN, uid, hashKey string) {
	if uid == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byURN == nil {
		s.byURN = map[resource.URN]stood{}
	}
	s.byURN[urn] = stood{uid, hashKey}
}

// Is reports whether the state of a resource is known to know this object.
func (s *Standing) Is(urn resource.URN, uid string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return uid != "" && s.byURN[urn].uid == uid
}

// Lives reports whether the object of an old state, which knows it by this uid and has
// this hash key, has gone over to a newer state of the same resource. Deleting it would
// delete the newer one's.
func (s *Standing) Lives(urn resource.URN, uid, hashKey string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.byURN[urn]
	return now.uid != "" && now.uid == uid &&
		now.hashKey != "" && hashKey != "" && now.hashKey != hashKey
}

// Gone notes that a resource's object was deleted.
func (s *Standing) Gone(urn resource.URN) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byURN, urn)
}
