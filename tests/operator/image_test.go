package operator

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
)

func TestWhoChoosesAnImage(t *testing.T) {
	t.Parallel()
	s := with(t)
	image := func(digit string) fields {
		return fields{"program": fields{"configMapRef": nil, "image": "registry.example.com/webapp@sha256:" + strings.Repeat(digit, 64)}}
	}
	s.create("shop", merged(fields{"suspend": true}, image("a")))
	developer := s.tenant("developer", may("impersonate", "serviceaccounts", "environment-runner"))
	s.eventually(func() bool { return developer.tried(nil) == nil }, "the role is known")

	t.Run("no tenant does, whatever account they may use", func(t *testing.T) {
		assert.Contains(t, developer.denied(image("b")), developer.name+" may not choose the image in which a program runs, spec.program.image")
		require.ErrorContains(t, developer.updated("shop", fields{"spec": image("b")}), "may not choose the image")
	})
	t.Run("and they change all else of an Environment that has one", func(t *testing.T) {
		require.NoError(t, developer.updated("shop", fields{"spec": text("hello")}))
	})
	t.Run("who may update environments/image does", func(*testing.T) {
		s.grant(developer.name, rbacv1.PolicyRule{APIGroups: []string{"platform.example.com"}, Resources: []string{"environments/image"}, Verbs: []string{"update"}})
		s.eventually(func() bool { return developer.tried(image("b")) == nil }, "it is allowed")
	})
}
