package chart

import (
	"path"

	helm "helm.sh/helm/v4/pkg/chart/v2"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
)

// Source are the call sites of all templates, including subcharts that are switched off.
func (c *Chart) Source() *draws.Source {
	c.reading.Do(func() {
		prepared, err := c.prepare(Release{Name: "source"}, nil, preparing{withAll: true})
		if err != nil {
			return // No value counts as gone then.
		}
		templates := map[string]string{}
		var read func(*helm.Chart)
		read = func(one *helm.Chart) {
			for _, file := range one.Templates {
				if text := string(file.Data); nestsLittle(text) == nil {
					templates[path.Join(one.ChartFullPath(), file.Name)] = text
				}
			}
			for _, child := range one.Dependencies() {
				read(child)
			}
		}
		read(prepared.chart)
		c.source = draws.SourceOf(templates)
	})
	return c.source
}
