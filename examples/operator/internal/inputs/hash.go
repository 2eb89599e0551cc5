package inputs

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/types"
)

// Value is which value a secret of the configuration has, or an output of another Environment. It says nothing of the value itself: a
// hash is shown.
type Value struct {
	Secret, Key string
	// Environment and Output are where an output comes from.
	Environment, Output string `json:",omitempty"`
	// Digest is of the value, keyed with the uid of the Secret, which only those see who may read the value.
	Digest string `json:",omitempty"`
	// ResourceVersion is what hashes of before have, by which an annotation was another value.
	ResourceVersion string `json:",omitempty"`
}

// Digest is that of a value of a Secret.
func Digest(secret types.UID, value []byte) string {
	hash := hmac.New(sha256.New, []byte(secret))
	hash.Write(value)
	return hex.EncodeToString(hash.Sum(nil))
}

// Hash is over all that makes a run worth while: the program's content, the configuration, and which values its
// secrets have. It is not over how a run is carried out, such as the runner's image or its
// time-out: an upgrade of the operator must not run every program again, nor outdate what was approved.
func Hash(program string, config map[string]json.RawMessage, secrets map[string]Value, backendURL string) string {
	hash := sha256.New()
	write := json.NewEncoder(hash)
	// Encoding cannot fail: these are strings, and JSON that was decoded from a valid object.
	_ = write.Encode([]string{backendURL, program})
	for _, key := range slices.Sorted(maps.Keys(config)) {
		_ = write.Encode([2]any{key, decoded(config[key])})
	}
	for _, key := range slices.Sorted(maps.Keys(secrets)) {
		_ = write.Encode([2]any{key, secrets[key]})
	}
	return hex.EncodeToString(hash.Sum(nil)[:16])
}

// decoded is a value without what makes no difference to a program: spaces, the order of keys, 1.0 for 1.
func decoded(raw json.RawMessage) any {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return string(raw)
	}
	return plain(value)
}

// plain has numbers as a float where that is exactly the number, and as they are written otherwise: above 2^53 two of them are one float.
func plain(value any) any {
	switch value := value.(type) {
	case json.Number:
		if float, err := value.Float64(); err == nil && isExactly(float, value.String()) {
			return float
		}
		return value.String()
	case []any:
		for i := range value {
			value[i] = plain(value[i])
		}
	case map[string]any:
		for key := range value {
			value[key] = plain(value[key])
		}
	}
	return value
}

// isExactly says whether a number is the shortest way to write a float, or another way to write that.
func isExactly(float float64, text string) bool {
	const most = 400 // digits, beyond which no float is: an exponent may ask for more than fits into memory
	_, exponent, has := strings.Cut(strings.ToLower(text), "e")
	if power, err := strconv.Atoi(exponent); len(text) > most || has && (err != nil || power < -most || power > most) {
		return false
	}
	shortest, _ := new(big.Rat).SetString(strconv.FormatFloat(float, 'g', -1, 64))
	exact, isNumber := new(big.Rat).SetString(text)
	return isNumber && shortest != nil && shortest.Cmp(exact) == 0
}

// HashImage is that of the program in an image. Its digest says which: a copy in another registry is the same program.
func HashImage(image string) string {
	_, digest, _ := strings.Cut(image, "@")
	return digest
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
