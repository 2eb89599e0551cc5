package tracked

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// NewHashKey makes the key of a resource's hashes. It is kept in the state as a
// secret for as long as the resource lives.
func NewHashKey() string {
	var key [16]byte
	// crypto/rand never fails: it ends the process where the system has no randomness.
	_, _ = rand.Read(key[:])
	return hex.EncodeToString(key[:])
}

// Hash is the keyed hash of content as it is sent. Formatting and the order of keys
// have no part in it. Without the key, a hash in the state would let anyone who reads
// it try out guesses of the secrets inside. The error says why content is not JSON; of
// what it is the content, the caller knows.
func Hash(key string, content any) (string, error) {
	text, err := json.Marshal(content)
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write(text)
	return hex.EncodeToString(mac.Sum(nil)), nil
}
