package stack

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/config"
)

// verifier is the text by which Pulumi recognizes the right passphrase.
const verifier = "pulumi"

// providerType is what Pulumi calls secrets that are encrypted with a passphrase.
const providerType = "passphrase"

// The keys of the Secret with the passphrase, and the names of its files in the pod of a run.
const (
	PassphraseKey = "passphrase"
	SaltKey       = "salt"
)

// ErrKey says that passphrase and salt do not fit each other, or are none at all.
var ErrKey = errors.New("the stack's passphrase does not fit its salt")

// New makes the passphrase and the salt of a stack. The salt is what Pulumi calls encryptionsalt: the version, the salt
// itself, and a text encrypted with both.
func New() (passphrase, salt string, err error) {
	passphrase = rand.Text()
	raw := make([]byte, 8)
	_, _ = rand.Read(raw) // never fails
	verification, err := config.NewSymmetricCrypterFromPassphrase(passphrase, raw).EncryptValue(context.Background(), verifier)
	if err != nil {
		return "", "", fmt.Errorf("make a passphrase: %w", err)
	}
	return passphrase, "v1:" + base64.StdEncoding.EncodeToString(raw) + ":" + verification, nil
}

// Key encrypts and decrypts the secrets of a stack.
type Key struct {
	config.Crypter

	salt string
}

// Open checks that a passphrase and a salt belong together. It takes about a third of a second, on purpose: that is
// what guessing costs.
func Open(passphrase, salt string) (Key, error) {
	version, rest, _ := strings.Cut(salt, ":")
	encoded, verification, found := strings.Cut(rest, ":")
	if version != "v1" || !found {
		return Key{}, fmt.Errorf("%w: the salt is not of the form v1:<salt>:<verification>. Restore the Secret from a backup", ErrKey)
	}
	raw, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return Key{}, fmt.Errorf("%w: the salt is not base64 (%w). Restore the Secret from a backup", ErrKey, err)
	}
	crypter := config.NewSymmetricCrypterFromPassphrase(passphrase, raw)
	if text, err := crypter.DecryptValue(context.Background(), verification); err != nil || text != verifier {
		return Key{}, fmt.Errorf("%w: without the right one nobody can read the state. Restore the Secret from a backup", ErrKey)
	}
	return Key{Crypter: crypter, salt: salt}, nil
}

// Provider is what a state says of the key that its secrets are encrypted with.
func (k Key) Provider() (*apitype.SecretsProvidersV1, error) {
	salt, err := json.Marshal(map[string]string{"salt": k.salt})
	return &apitype.SecretsProvidersV1{Type: providerType, State: salt}, err
}

// Encrypted says whether a state was written with this key.
func (k Key) Encrypted(deployment *apitype.DeploymentV3) bool {
	provider := deployment.SecretsProviders
	if provider == nil || provider.Type != providerType {
		return false
	}
	var of struct{ Salt string }
	return json.Unmarshal(provider.State, &of) == nil && of.Salt == k.salt
}
