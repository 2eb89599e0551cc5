package tracked

import (
	"crypto/sha256"
	"encoding/hex"
)

// revisionLength is the number of hex digits in a revision.
const revisionLength = 12

// RevisionOf returns the revision of an object after a write of content with this hash, given its previous revision.
// The revision changes with every write of ours, including one that only corrects drift, and with no other. A preview
// can compute it, while it cannot predict the API server's own counter.
func RevisionOf(hash, before string) string {
	sum := sha256.Sum256([]byte(hash + "\n" + before))
	return hex.EncodeToString(sum[:])[:revisionLength]
}
