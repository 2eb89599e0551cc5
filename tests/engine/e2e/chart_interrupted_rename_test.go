package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestARenameOfAChartThatFailsGoesOnInPlace(t *testing.T) { // [D144] [H8]
	t.Parallel()
	s := newChartStory(t)
	migrate := jobOf("migrate", "kwok", "helm.sh/hook: pre-upgrade")
	write := func(version, hook string) {
		s.chart(t, version, map[string]string{"templates/auth.yaml": chartSecret, "templates/migrate.yaml": hook})
	}
	secret := "v1/Secret/" + s.space + "/shop-auth"
	write("1.0.0", migrate)
	s.declare(t, "")
	s.up(t)
	uid := s.kube.get(t, secret).GetUID()

	s.program(t, "resources:\n  store: { type: k8sconnect:Chart, properties: { chart: ./web, namespace: %s }, options: { aliases: [{ name: shop }] } }\n", s.space)
	write("1.1.0", strings.ReplaceAll(migrate, "\nspec:", "\nspec:\n  completions: -1"))
	s.upFails(t, "--skip-preview")
	write("1.1.0", migrate)
	s.up(t)
	s.previewEmpty(t)
	assert.Equal(t, uid, s.kube.get(t, secret).GetUID(), "with its password")
	s.destroy(t)
	s.kube.gone(t, secret)
}
