package cli

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"path"
	"sync"
)

// vault answers like the transit engine of HashiCorp Vault, which keeps the keys of all stacks of this process. To
// derive a key from a passphrase takes a third of the time that a command takes, on purpose.
type vault struct {
	mu   sync.Mutex
	keys []string
}

// VaultURL is where the vault listens, until the process ends.
var VaultURL = sync.OnceValues(func() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("the vault of the tests: %w", err)
	}
	go func() { _ = http.Serve(listener, &vault{}) }() //nolint:gosec // Only for this process and its commands.
	return "http://" + listener.Addr().String(), nil
})

// ServeHTTP keeps a key and gives its number for it, or gives it back.
func (v *vault) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request struct{ Plaintext, Ciphertext string }
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	answer := map[string]string{}
	switch path.Base(path.Dir(r.URL.Path)) {
	case "encrypt":
		answer["ciphertext"] = fmt.Sprintf("vault:v1:%d", len(v.keys))
		v.keys = append(v.keys, request.Plaintext)
	case "decrypt":
		var n int
		if _, err := fmt.Sscanf(request.Ciphertext, "vault:v1:%d", &n); err != nil || n >= len(v.keys) {
			http.Error(w, "no such key", http.StatusBadRequest)
			return
		}
		answer["plaintext"] = v.keys[n]
	default:
		http.NotFound(w, r)
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"data": answer})
}
