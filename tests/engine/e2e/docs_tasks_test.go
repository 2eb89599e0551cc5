package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// pageOnTasks runs every program of the page, in a namespace of its own which is the provider's default.
func pageOnTasks(t *testing.T, p page) {
	c := workloads.Get(t)
	p.prove(t, proofs{
		aProgram: func(t *testing.T, f fence) {
			s, k, space := docsStack(t, c)
			s.program(t, "%s", programOf(t, f.code))
			s.up(t)
			s.previewEmpty(t)
			saved := s.export(t)
			destroy := []string{"destroy", "--yes", "--skip-preview"}
			switch {
			case strings.Contains(f.code, "migrate:"):
				assert.Equal(t, true, saved.get(t, "migrate").Outputs["succeeded"])
				k.get(t, "apps/v1/Deployment/"+space+"/shop")
			case strings.Contains(f.code, "refill:"):
				s.program(t, "%s", strings.ReplaceAll(programOf(t, f.code), "2026-01-02", "2026-01-03"))
				assert.Contains(t, s.preview(t), "will run: what it runs has changed")
				s.up(t)
			case strings.Contains(f.code, "seed:"):
				k.gone(t, "v1/ConfigMap/"+space+"/seed")
			case strings.Contains(f.code, "backup:"):
				assert.Nil(t, saved.get(t, "backup").Outputs["succeeded"], "it runs at the end")
				destroying := s.start(t, destroy...)
				pod := k.thePod(t, space, "app=backup")
				eventually(t, "its node runs the pod", func() bool { return k.value(t, pod, "status", "phase") == "Running" })
				k.status(t, pod, succeededPod)
				k.get(t, "v1/ConfigMap/"+space+"/database")
				destroying.wait(t).succeeded(t)
			}
			s.run(t, destroy...)
			assert.Empty(t, s.export(t).resources)
		},
	})
}
