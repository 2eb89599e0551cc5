package object

import (
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// standing remembers, for this process, which object each resource stands for.
//
// A replacement with create-before-delete asks for a new object while the old one
// stands, and then deletes the old one. With the same name these are one object:
// Create would find it, take it for an earlier attempt of its own, and Delete
// would then delete it under the new state. Neither request says that it is part
// of a replacement, so what was seen before has to.
type standing struct {
	mu     sync.Mutex
	byURN  map[resource.URN]string // uid that the state knows
	claims map[string]string       // uid that a Create has taken up -> the hash key of its state
}

// see notes that the state of a resource knows the object with this uid.
func (s *standing) see(urn resource.URN, uid string) {
	if uid == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byURN == nil {
		s.byURN = map[resource.URN]string{}
	}
	s.byURN[urn] = uid
}

// is reports whether the state of a resource is known to know this object.
func (s *standing) is(urn resource.URN, uid string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return uid != "" && s.byURN[urn] == uid
}

// claim notes that a Create has taken an existing object up into a state with
// this hash key, by which the states of one object are told apart.
func (s *standing) claim(uid, hashKey string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.claims == nil {
		s.claims = map[string]string{}
	}
	s.claims[uid] = hashKey
}

// claimedByOther reports whether a Create has taken this object up into another
// state than the one with this hash key.
func (s *standing) claimedByOther(uid, hashKey string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	key, ok := s.claims[uid]
	return ok && key != hashKey
}

// gone notes that a resource's object was deleted.
func (s *standing) gone(urn resource.URN) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byURN, urn)
}
