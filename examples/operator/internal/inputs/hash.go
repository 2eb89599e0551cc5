package inputs

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
)

// Version is which version of a Secret's key a configuration value was read from.
type Version struct {
	Secret, Key, ResourceVersion string
}

// Hash is over all that makes a run worth while: the program's content, the configuration, and the versions of the
// secrets (not their values: a hash is shown). It is not over how a run is carried out, such as the runner's image or its
// time-out: an upgrade of the operator must not run every program again, nor outdate what was approved.
func Hash(program string, config map[string]json.RawMessage, secrets map[string]Version, backendURL string) string {
	hash := sha256.New()
	write := json.NewEncoder(hash)
	// Encoding cannot fail: these are strings, and JSON that was decoded from a valid object.
	_ = write.Encode([]string{backendURL, program})
	for _, key := range slices.Sorted(maps.Keys(config)) {
		var value any
		if json.Unmarshal(config[key], &value) != nil {
			value = string(config[key])
		}
		_ = write.Encode([2]any{key, value})
	}
	for _, key := range slices.Sorted(maps.Keys(secrets)) {
		_ = write.Encode([2]any{key, secrets[key]})
	}
	return hex.EncodeToString(hash.Sum(nil)[:16])
}

// HashProgram is over the files of a program.
func HashProgram(files map[string][]byte) string {
	hash := sha256.New()
	write := json.NewEncoder(hash)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		_ = write.Encode([2]any{name, files[name]})
	}
	return hex.EncodeToString(hash.Sum(nil)[:16])
}
