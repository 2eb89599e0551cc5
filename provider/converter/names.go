package converter

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// namesOf gives each object the name of its resource: shop-deployment-web, or clusterrole-web for an object without a
// namespace. A name begins with a letter and consists of small letters, digits and dashes, since programs in all
// languages make variables of it. Where two objects would have one name, the one whose name was changed for that, or
// whose kind is not Kubernetes' own, gets the beginning of a hash of its ID.
//
// An object with an address keeps that as its name: shop-eu-kubernetes-manifest-web-0 for
// module.shop["eu"].kubernetes_manifest.web[0].
func namesOf(objects []manifest.Identity, addresses map[manifest.Identity]string) []string {
	names, exact := make([]string, len(objects)), make([]bool, len(objects))
	sharing, owners := map[string]int{}, map[string]int{}
	for i, object := range objects {
		if address := addresses[object]; address != "" {
			names[i] = nameOfAddress(address)
		} else {
			names[i], exact[i] = nameOf(object)
		}
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
	name = valid(written)
	return name, name == written && kinds.OwnGroup(object.Group())
}

var (
	ofModule = regexp.MustCompile(`(^|\.)module\.`)
	dashes   = regexp.MustCompile(`-+`)
)

func nameOfAddress(address string) string {
	name := valid(strings.ToLower(ofModule.ReplaceAllString(address, "$1")))
	return strings.TrimRight(dashes.ReplaceAllString(name, "-"), "-")
}

// valid makes a name of a text in small letters.
func valid(written string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, written)
	if name[0] < 'a' || name[0] > 'z' {
		name = "n" + name
	}
	return name
}
