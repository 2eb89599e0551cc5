package provider

import (
	"testing"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/assert"
)

func TestTheAliasesOfAComponentReachIt(t *testing.T) {
	t.Parallel()
	const (
		stack  = "urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev"
		tenant = "urn:pulumi:dev::shop::example:index:Tenant::north"
	)
	underTenant := &pulumirpc.Alias_Spec_ParentUrn{ParentUrn: tenant}
	for name, c := range map[string]struct {
		parent string
		spec   *pulumirpc.Alias_Spec
		want   string
	}{
		"another name":         {"", &pulumirpc.Alias_Spec{Name: "old"}, "urn:pulumi:dev::shop::k8sconnect:index:Manifests::old"},
		"below the stack":      {stack, &pulumirpc.Alias_Spec{Name: "old"}, "urn:pulumi:dev::shop::k8sconnect:index:Manifests::old"},
		"below another parent": {"", &pulumirpc.Alias_Spec{Parent: underTenant}, "urn:pulumi:dev::shop::example:index:Tenant$k8sconnect:index:Manifests::set"},
		"below no parent": {
			tenant, &pulumirpc.Alias_Spec{Parent: &pulumirpc.Alias_Spec_NoParent{NoParent: true}},
			"urn:pulumi:dev::shop::k8sconnect:index:Manifests::set",
		},
		"another project and stack": {"", &pulumirpc.Alias_Spec{Project: "store", Stack: "prod"}, "urn:pulumi:prod::store::k8sconnect:index:Manifests::set"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			req := &pulumirpc.ConstructRequest{
				Project: "shop", Stack: "dev", Type: "k8sconnect:index:Manifests", Name: "set", Parent: c.parent,
				Aliases: []*pulumirpc.Alias{{Alias: &pulumirpc.Alias_Spec_{Spec: c.spec}}, {Alias: &pulumirpc.Alias_Urn{Urn: tenant}}},
			}
			withAliasURNs(req)
			assert.Equal(t, c.want, req.Aliases[0].GetUrn())
			assert.Equal(t, tenant, req.Aliases[1].GetUrn(), "an alias that is a URN stays as it is")
		})
	}
}
