package tracked

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTakeOverNames(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		named   TakeOver
		manager string
		want    bool
	}{
		"a whole name":                                      {TakeOver{"helm"}, "helm", true},
		"a name is not the beginning of another":            {TakeOver{"helm"}, "helm-controller", false},
		"a pattern":                                         {TakeOver{"argocd-*-server"}, "argocd-prod-server", true},
		"a pattern is as long as its ends at least":         {TakeOver{"ab*ba"}, "aba", false},
		"a pattern with two stars":                          {TakeOver{"a*b*c"}, "a-b-c", true},
		"a pattern with two stars, of which one is missing": {TakeOver{"a*b*c"}, "a-c", false},
		"kubectl is each of its commands":                   {TakeOver{"kubectl"}, "kubectl-client-side-apply", true},
		"kubectl is no other program":                       {TakeOver{"kubectl"}, "kubectlx", false},
		"a star is nobody of this provider":                 {TakeOver{"*", "k*", "k8sconnect*"}, "k8sconnect-old.dev.web-01234567", false},
		"a stack by a pattern":                              {TakeOver{"k8sconnect-old.dev.*"}, "k8sconnect-old.dev.web-01234567", true},
		"another stack":                                     {TakeOver{"k8sconnect-old.dev.*"}, "k8sconnect-old.prod.web-01234567", false},
		"a Patch, never":                                    {TakeOver{"*", "k8sconnect-*", "k8sconnect-patch-*", "k8sconnect-patch-a"}, "k8sconnect-patch-a", false},
		"nobody":                                            {nil, "helm", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, test.named.Names(test.manager))
		})
	}
}
