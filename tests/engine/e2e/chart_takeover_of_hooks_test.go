package e2e

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAJobOfAHookThatBecomesAnObjectIsTakenOver(t *testing.T) { // [H6]
	t.Parallel()
	s := newChartStory(t)
	s.chart(t, "1.0.0", map[string]string{"templates/migrate.yaml": jobOf("migrate", "kwok", `helm.sh/hook: "post-install,post-upgrade"`)})
	s.declare(t, "")
	s.up(t)
	before := s.succeeded(t)
	require.Contains(t, before, "shop-migrate")
	plain := strings.Replace(jobOf("migrate", "kwok"), "  annotations: {  }\n", "", 1)
	s.chart(t, "2.0.0", map[string]string{"templates/migrate.yaml": plain})
	advice := regexp.MustCompile(`takeOverFrom: \[.*?\]`).FindString(s.upFails(t))
	require.NotEmpty(t, advice)
	s.declare(t, advice)
	s.up(t)
	assert.Equal(t, before, s.succeeded(t), "the end of the Task leaves it")
	assert.Empty(t, s.export(t).named("k8sconnect:index:Task"))
	s.previewEmpty(t)
	s.destroy(t)
	assert.Nil(t, s.job(t, "shop-migrate"))
}
