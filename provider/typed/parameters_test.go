package typed

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParameters(t *testing.T) {
	t.Parallel()
	deployment, service := Kind{"apps", "v1", "Deployment"}, Kind{"", "v1", "Service"}
	for name, test := range map[string]struct {
		args []string
		want parameters
	}{
		"kinds are read from the cluster that kubectl would use": {
			[]string{"kinds=apps/v1/Deployment,v1/Service"},
			parameters{name: "kinds", version: "0.1.0", kinds: []Kind{deployment, service}},
		},
		"kinds and crds may be given again": {
			[]string{"kinds=apps/v1/Deployment", "kinds= v1/Service", "crds=a.yaml", "crds=b,c"},
			parameters{name: "kinds", version: "0.1.0", kinds: []Kind{deployment, service}, crds: []string{"a.yaml", "b,c"}},
		},
		"the core group has a name for those who want to give it one": {
			[]string{"kinds=core/v1/Service"}, parameters{name: "kinds", version: "0.1.0", kinds: []Kind{service}},
		},
		"a value may contain an equals sign": {
			[]string{"from=a=b"}, parameters{name: "kinds", version: "0.1.0", from: "a=b"},
		},
		"all parameters": {
			[]string{"name=my-kinds", "version=2.0.0", "kinds=v1/Service", "save=s.json", "kubeconfig=~/.kube/it", "context=prod", "go=example.com/shop/kinds"},
			parameters{name: "my-kinds", version: "2.0.0", kinds: []Kind{service}, save: "s.json", kubeconfig: "~/.kube/it", context: "prod", goPath: "example.com/shop/kinds"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := parseParameters(test.args)
			require.NoError(t, err)
			assert.Equal(t, test.want, got)
		})
	}
}

func TestParametersThatAreRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ args, want []string }{
		"an unknown one, with those that there are":  {[]string{"kindz=v1/Pod"}, []string{`no parameter "kindz"`, "kinds, crds, from, save, name, version, kubeconfig, context, go", "Did you mean kinds?"}},
		"one without a value":                        {[]string{"kinds"}, []string{"name=value", "kinds, crds"}},
		"one with an empty value":                    {[]string{"kinds="}, []string{"has no value"}},
		"none":                                       {nil, []string{"no kinds are given", "kinds=apps/v1/Deployment", "crds=", "from="}},
		"a kind without its version":                 {[]string{"kinds=Deployment"}, []string{`"Deployment" is not a kind`, "apps/v1/Deployment"}},
		"a kind in small letters":                    {[]string{"kinds=apps/v1/deployments"}, []string{"is not a kind"}},
		"a name twice":                               {[]string{"name=a", "name=b", "kinds=v1/Pod"}, []string{"given twice"}},
		"the name of the package that it extends":    {[]string{"name=k8sconnect", "kinds=v1/Pod"}, []string{"cannot be the name"}},
		"a name that no language accepts":            {[]string{"name=My Kinds", "kinds=v1/Pod"}, []string{"cannot be the name"}},
		"an import path of Go that is none":          {[]string{"go=kinds", "kinds=v1/Pod"}, []string{"no import path", "github.com/acme/shop"}},
		"an import path of Go with a hyphen at last": {[]string{"go=a.io/my-kinds", "kinds=v1/Pod"}, []string{"no import path", "small letters and digits"}},
		"a version that is none":                     {[]string{"version=1", "kinds=v1/Pod"}, []string{"is no version", "0.1.0"}},
		"a cluster beside a file that stands for it": {[]string{"from=a.json", "context=prod"}, []string{"either from="}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := parseParameters(test.args)
			require.Error(t, err)
			for _, want := range test.want {
				assert.ErrorContains(t, err, want)
			}
		})
	}
}

func TestKindsAndTheirTokens(t *testing.T) {
	t.Parallel()
	for token, want := range map[string]Kind{
		"k8sconnect:apps/v1:Deployment":             {"apps", "v1", "Deployment"},
		"k8sconnect:core/v1:Pod":                    {"", "v1", "Pod"},
		"k8sconnect:cert-manager.io/v1:Certificate": {"cert-manager.io", "v1", "Certificate"},
	} {
		got, ok := KindOf(tokens.Type(token))
		assert.True(t, ok, token)
		assert.Equal(t, want, got)
		assert.Equal(t, token, got.Token())
		text, err := got.MarshalText()
		require.NoError(t, err)
		var again Kind
		require.NoError(t, again.UnmarshalText(text))
		assert.Equal(t, got, again)
	}
	for _, token := range []string{"k8sconnect:index:KubeObject", "kubernetes:apps/v1:Deployment", "pulumi:providers:k8sconnect", "k8sconnect:index/v1:", "", "k8sconnect:apps/one:Deployment"} {
		_, ok := KindOf(tokens.Type(token))
		assert.False(t, ok, token)
	}
}
