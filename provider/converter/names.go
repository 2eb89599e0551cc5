package converter

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// namesOf gives each object the name of its resource: shop-deployment-web, or clusterrole-web for an object without a
// namespace. A name begins with a letter and consists of small letters, digits and dashes, since programs in all
// languages make variables of it. Where two objects would have one name, the one whose name was changed for that, or
// whose kind is not Kubernetes' own, gets the beginning of a hash of its ID.
func namesOf(objects []manifest.Identity) []string {
	names, exact := make([]string, len(objects)), make([]bool, len(objects))
	sharing, owners := map[string]int{}, map[string]int{}
	for i, object := range objects {
		names[i], exact[i] = nameOf(object)
		sharing[names[i]]++
		if exact[i] {
			owners[names[i]]++
		}
	}
	for i, object := range objects {
		if plain := names[i]; sharing[plain] > 1 && !(exact[i] && owners[plain] == 1) {
			sum := sha256.Sum256([]byte(object.String()))
			names[i] += "-" + hex.EncodeToString(sum[:])[:8]
		}
	}
	return names
}

// nameOf returns the plain name of an object. exact means that it has the first right to it.
func nameOf(object manifest.Identity) (name string, exact bool) {
	written := object.Kind + "-" + object.Name
	if object.Namespace != "" {
		written = object.Namespace + "-" + written
	}
	written = strings.ToLower(written)
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, written)
	if name[0] < 'a' || name[0] > 'z' {
		name = "n" + name
	}
	return name, name == written && kinds.OwnGroup(object.Group())
}
