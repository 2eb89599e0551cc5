package provider

import (
	"cmp"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// withAliasURNs writes the aliases of a component as URNs, because the framework passes on only these. Otherwise, a
// component that was renamed with `aliases: [{name: old}]` would be created a second time, beside its old objects.
func withAliasURNs(req *pulumirpc.ConstructRequest) {
	for i, alias := range req.GetAliases() {
		if spec := alias.GetSpec(); spec != nil {
			urn := string(aliasURN(req, spec))
			req.Aliases[i] = &pulumirpc.Alias{Alias: &pulumirpc.Alias_Urn{Urn: urn}}
		}
	}
}

// aliasURN is the URN that an alias stands for. Parts that the alias leaves out have their current values.
func aliasURN(req *pulumirpc.ConstructRequest, spec *pulumirpc.Alias_Spec) resource.URN {
	parent := resource.URN(cmp.Or(spec.GetParentUrn(), req.GetParent()))
	if spec.GetNoParent() || parent.IsValid() && parent.QualifiedType() == resource.RootStackType {
		parent = "" // URNs do not name the stack as a parent.
	}
	return resource.CreateURN(cmp.Or(spec.GetName(), req.GetName()), cmp.Or(spec.GetType(), req.GetType()), parent,
		cmp.Or(spec.GetProject(), req.GetProject()), cmp.Or(spec.GetStack(), req.GetStack()))
}
