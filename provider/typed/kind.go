package typed

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// base is the package whose types all extensions add to. With types in a package of its own, the typed children of a component
// would get a default provider of that package, which may lead to another cluster.
const base = "k8sconnect"

// coreModule is how a module names the API group without a name.
const coreModule = "core"

// Kind is a kind of objects in one version.
type Kind struct{ Group, Version, Kind string }

var versionName = regexp.MustCompile(`^v[0-9][a-z0-9]*$`)

// kindName is what can be the name of a class.
var kindName = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)

// kindIn makes a kind of what an object says of itself. ok is false if that is no kind.
func kindIn(apiVersion, kind string) (k Kind, ok bool) {
	group, v, grouped := strings.Cut(apiVersion, "/")
	if !grouped {
		group, v = "", apiVersion
	}
	if group == coreModule {
		group = ""
	}
	return Kind{group, v, kind}, versionName.MatchString(v) && kindName.MatchString(kind) && !strings.ContainsAny(group, "/: ")
}

// ParseKind reads a kind as a user writes it: apps/v1/Deployment, v1/Service.
func ParseKind(text string) (Kind, error) {
	at := strings.LastIndex(text, "/")
	if at > 0 {
		if k, ok := kindIn(text[:at], text[at+1:]); ok {
			return k, nil
		}
	}
	return Kind{}, fmt.Errorf("%q is not a kind. A kind is apiVersion/kind: apps/v1/Deployment, v1/Service", text)
}

// APIVersion is what objects of the kind have in apiVersion.
func (k Kind) APIVersion() string {
	if k.Group == "" {
		return k.Version
	}
	return k.Group + "/" + k.Version
}

func (k Kind) String() string { return k.APIVersion() + "/" + k.Kind }

// MarshalText writes the kind as [ParseKind] reads it.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads the kind.
func (k *Kind) UnmarshalText(text []byte) (err error) {
	*k, err = ParseKind(string(text))
	return err
}

// module is the part of a token between the package and the name.
func (k Kind) module() string {
	if k.Group == "" {
		return coreModule + "/" + k.Version
	}
	return k.APIVersion()
}

// Token is the type of the resources of the kind.
func (k Kind) Token() string { return base + ":" + k.module() + ":" + k.Kind }

// isSecret reports whether the kind is the one for secrets.
func (k Kind) isSecret() bool { return manifest.IsSecretKind(k.APIVersion(), k.Kind) }

// KindOf reads the kind out of the type of a resource. ok is false for the types of the base package.
func KindOf(token tokens.Type) (k Kind, ok bool) {
	parts := strings.Split(string(token), ":")
	if len(parts) != 3 || parts[0] != base || !strings.Contains(parts[1], "/") {
		return Kind{}, false
	}
	return kindIn(parts[1], parts[2])
}
