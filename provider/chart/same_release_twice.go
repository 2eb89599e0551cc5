package chart

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/check"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/connect"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/sets"
)

// place is where a hook of a release runs. Without an object, it is the release itself.
type place struct {
	cluster            connect.Target
	namespace, release string
	manifest.Identity
}

// claimant is a component that is a release. keepsName means that it has another name now.
type claimant struct {
	component resource.URN
	keepsName bool
}

// claim refuses a second component that is the same release and has the same hooks: the hooks of both would run, and each component would
// delete the Jobs of the other. It also refuses a component that takes the name that a renamed component keeps: the program has not said
// that the two are one release.
func (r *releases) claim(of *release, hooks []hook, component resource.URN) error {
	if of.cluster == nil {
		return nil
	}
	here := place{cluster: of.cluster.Target(), namespace: of.release.Namespace, release: of.release.Name}
	own := claimant{component, of.keepsName}
	if found, held := r.claimants.LoadOrStore(here, own); held {
		if holder := found.(claimant); holder.component != component && (holder.keepsName || own.keepsName) {
			if own.keepsName {
				holder, own = own, holder
			}
			return refusedClaim(component, fmt.Sprintf("The Chart %q is the release %q: it was renamed, and its release keeps the name. The Chart %[3]q cannot be "+
				"the same release. Set another releaseName for %[3]q.", holder.component.Name(), of.release.Name, own.component.Name()))
		}
	}
	for _, h := range hooks {
		if !h.runs() {
			continue
		}
		here.Identity = manifest.IdentityOf(h.Object).In(of.release.Namespace)
		if found, held := r.claimants.LoadOrStore(here, own); held && found.(claimant).component != component {
			return refusedClaim(component, fmt.Sprintf("The Chart %q has the hook %s already. Two Charts cannot be one release: give them different names or "+
				"namespaces.", found.(claimant).component.Name(), h.key))
		}
	}
	return nil
}

func refusedClaim(component resource.URN, reason string) error {
	var wrong check.Mistakes
	wrong.Add(keyReleaseName, reason)
	return sets.Refused("Chart", component.Name(), wrong)
}
