package tracked

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// NewHashKey returns a new key for a resource's hashes. The state keeps it as a secret for the life of the resource.
func NewHashKey() string {
	var key [16]byte
	// crypto/rand never fails: it ends the process if the system has no randomness.
	_, _ = rand.Read(key[:])
	return hex.EncodeToString(key[:])
}

// Hash returns the keyed hash of content as it is sent. Formatting and key order do not affect it. Without the key,
// anyone who reads the state could use the hash to test guesses of the secrets inside. The error says why content is
// not JSON; the caller knows where the content comes from.
func Hash(key string, content any) (string, error) {
	text, err := json.Marshal(content)
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write(text)
	return hex.EncodeToString(mac.Sum(nil)), nil
}
