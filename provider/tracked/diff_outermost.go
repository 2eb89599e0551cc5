package tracked

import (
	"fmt"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// Outermost drops changes inside something that is shown as a whole: for example, a list that lost one item and in
// which another has changed.
func Outermost(diff p.DiffResponse) p.DiffResponse {
	type place struct {
		path string
		at   resource.PropertyPath
	}
	var places []place
	shown := map[string]bool{}
	key := func(at resource.PropertyPath) string { return fmt.Sprintf("%#v", at) }
	for path := range diff.DetailedDiff {
		if at, err := resource.ParsePropertyPath(path); err == nil {
			places = append(places, place{path, at})
			shown[key(at)] = true
		}
	}
	for _, inner := range places {
		for n := 1; n < len(inner.at); n++ {
			if shown[key(inner.at[:n])] {
				delete(diff.DetailedDiff, inner.path)
				break
			}
		}
	}
	return diff
}

// SharedPrefix counts the leading segments that two places share.
func SharedPrefix(a, b ownership.Location) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
