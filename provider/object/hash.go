package object

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// newHashKey makes the key of a resource's hashes. It is kept in the state as a
// secret for as long as the resource lives.
func newHashKey() string {
	var key [16]byte
	// crypto/rand never fails: it ends the process where the system has no randomness.
	_, _ = rand.Read(key[:])
	return hex.EncodeToString(key[:])
}

// hash is the keyed hash of a manifest as it is sent. Formatting, the order of
// keys and null members have no part in it.
func hash(key string, manifest map[string]any) (string, error) {
	text, err := json.Marshal(manifest)
	if err != nil {
		return "", fmt.Errorf("manifest: %w", err)
	}
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write(text)
	return hex.EncodeToString(mac.Sum(nil)), nil
}

// unchanged reports whether in is what was applied last. A manifest with values
// that are not known yet never is.
func (s state) unchanged(in inputs) bool {
	if s.hash == "" || in.unknown > 0 || in.applied == nil {
		return false
	}
	sum, err := hash(s.hashKey, in.sent())
	return err == nil && hmac.Equal([]byte(sum), []byte(s.hash))
}
