package chart

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/chart"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

const keyGenerateName = "generateName"

// maxGenerated is how many characters of a generateName Kubernetes uses.
const maxGenerated = 58

// name gives a hook with a generateName a name that is the same in each run. Kubernetes appends something random; this appends a hash of
// what distinguishes the hook from the others of the chart: its file, and its position among the hooks there with the same generateName.
func (c *sorting) name(from chart.PartialHook) chart.PartialHook {
	prefix := generateNameOf(from.Object)
	if prefix == "" {
		return from
	}
	place := from.File + "\n" + prefix
	c.generated[place]++
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%d", place, c.generated[place]))
	metadata, _ := from.Object["metadata"].(map[string]any)
	metadata = maps.Clone(metadata)
	delete(metadata, keyGenerateName)
	metadata[keyName] = prefix[:min(len(prefix), maxGenerated)] + hex.EncodeToString(sum[:])[:5]
	from.PartialDocument.Object = maps.Clone(from.PartialDocument.Object)
	from.PartialDocument.Object["metadata"] = metadata
	from.Hook.Object = from.PartialDocument.Object
	if in := property.NewSegment("metadata"); from.Secrets.IsSecret(property.PathFromSegments(in, property.NewSegment(keyGenerateName))) {
		from.Secrets.Add(property.PathFromSegments(in, property.NewSegment(keyName)))
	}
	return from
}

// generateNameOf returns the generateName of an object without a name.
func generateNameOf(object map[string]any) string {
	metadata, _ := object["metadata"].(map[string]any)
	prefix, _ := metadata[keyGenerateName].(string)
	if name, has := metadata[keyName]; has && name != nil && name != "" {
		return ""
	}
	return prefix
}

// idOf is the ID of an object. If the object has no name, the ID has its generateName.
func idOf(object map[string]any) string {
	id := manifest.IdentityOf(object)
	id.Name = cmp.Or(id.Name, generateNameOf(object))
	return id.String()
}
