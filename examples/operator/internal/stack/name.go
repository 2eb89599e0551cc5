package stack

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/auto"
)

// maximum is how long the name of a stack may be.
const maximum = 100

// Name is the stack of an Environment. A namespace contains no dot, so no two Environments have the same one.
func Name(namespace, environment string) string {
	name := namespace + "." + environment
	if len(name) <= maximum {
		return name
	}
	hash := sha256.Sum256([]byte(name))
	suffix := "-" + hex.EncodeToString(hash[:8])
	return name[:maximum-len(suffix)] + suffix
}

// Qualified is the name with which the command line finds a stack in a backend. Pulumi's service knows the organization
// by its token; a backend that is a folder or a bucket calls it "organization".
func Qualified(backendURL, project, name string) string {
	if strings.HasPrefix(backendURL, "https://") || strings.HasPrefix(backendURL, "http://") {
		return name
	}
	return auto.FullyQualifiedStackName("organization", project, name)
}
