package patch

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// refuseOverlap refuses fields that another Patch owns. claimed are the fields that other Patches of this program are
// going to own, by the names of those Patches.
func (r run) refuseOverlap(live *unstructured.Unstructured, wanted patchedFields, claimed map[string]*fieldpath.Set) error {
	owners, err := ownership.NewOwnership(live)
	if err != nil {
		return err
	}
	shared := map[string][]string{}
	for _, path := range leaves(wanted.all()) {
		for _, owner := range owners.Of(path) {
			if ownership.IsPatchManager(owner.Manager) && !r.isOurs(owner.Manager) {
				name := fmt.Sprintf("%s (field manager %q)", ownership.DescribeManager(owner.Manager), owner.Manager)
				shared[name] = append(shared[name], r.name(path, wanted))
			}
		}
	}
	for name, fields := range claimed {
		for _, path := range leaves(ownership.Overlap(wanted.all(), fields)) {
			shared[name] = append(shared[name], r.name(path, wanted))
		}
	}
	if len(shared) == 0 {
		return nil
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(shared)) {
		lines = append(lines, fmt.Sprintf("%s: %s", name, strings.Join(tracked.Unique(shared[name]), ", ")))
	}
	return tracked.Refused(failure.ReasonManagedElsewhere, "%s: another Patch has fields that this one names. Nothing was changed.\n  %s\n"+
		"A field can be in only one Patch. Remove it from one of the two and run `pulumi up` there first. If the resource was "+
		"renamed, give it the old name as an alias (the resource option `aliases`).", r.target.Ref, strings.Join(lines, "\n  "))
}

// reservations are the fields that the Patches of this run are going to own. The API server does not know about them
// yet: a preview writes nothing.
type reservations struct {
	mu    sync.Mutex
	byURN map[resource.URN]reservation
}

type reservation struct {
	uid    string
	fields *fieldpath.Set
}

// make claims fields for a resource, unless others have claimed some of them on the same object; then it returns
// those claims by their owner. A refused resource claims nothing, so that if two collide, one proceeds, even if it
// must retry.
func (c *reservations) make(urn resource.URN, uid string, fields *fieldpath.Set) map[string]*fieldpath.Set {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byURN == nil {
		c.byURN = map[resource.URN]reservation{}
	}
	others := map[string]*fieldpath.Set{}
	for other, claimed := range c.byURN {
		if other != urn && claimed.uid == uid && !ownership.Overlap(fields, claimed.fields).Empty() {
			others[fmt.Sprintf("the Patch %q of this program", other.Name())] = claimed.fields
		}
	}
	if len(others) == 0 {
		c.byURN[urn] = reservation{uid, fields}
	}
	return others
}

// dropOn releases the claims of a resource on one object.
func (c *reservations) dropOn(urn resource.URN, uid string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byURN[urn].uid == uid {
		delete(c.byURN, urn)
	}
}

// drop releases the claims of a resource.
func (c *reservations) drop(urn resource.URN) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.byURN, urn)
}
