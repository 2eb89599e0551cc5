package chart

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"text/template"

	"helm.sh/helm/v4/pkg/chart/common"
	helm "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/engine"
)

// scope is what the templates of a chart or a subchart can access: its part of the values, its files, and so on.
type scope struct {
	data     map[string]any
	basePath string
}

// scopes returns the scope of each chart by its path. Helm makes them: instead of each chart's templates, its engine renders a template
// that returns its own data.
func scopes(loaded *helm.Chart, merged common.Values) (map[string]scope, error) {
	const name = "templates/scope"
	found := map[string]scope{}
	record := func(data map[string]any) string {
		if template, isMap := data["Template"].(common.Values); isMap {
			if file, isText := template["Name"].(string); isText {
				at := strings.TrimSuffix(file, "/"+name)
				found[at] = scope{data: data, basePath: path.Join(at, "templates")}
			}
		}
		return ""
	}
	shown := copyOf(loaded)
	var show func(*helm.Chart)
	show = func(one *helm.Chart) {
		one.Templates = []*common.File{{Name: name, Data: []byte("{{ scope . }}")}}
		for _, child := range one.Dependencies() {
			show(child)
		}
	}
	show(shown)
	helmEngine := engine.Engine{CustomTemplateFuncs: template.FuncMap{"scope": record}}
	// This executes nothing from the chart, so there is nothing to interrupt.
	if _, err := helmEngine.RenderWithContext(context.Background(), shown, merged); err != nil {
		return nil, fmt.Errorf("the values of the chart %s: %w", loaded.Name(), err)
	}
	for _, one := range found {
		bounded(one.data)
	}
	return found, nil
}

// sourcesOf collects the templates of a chart and its subcharts, rewritten if rewrite is not nil. A library chart contributes only templates
// whose names begin with an underscore.
func sourcesOf(loaded *helm.Chart, scopes map[string]scope, rewrite func(file, text string) string) ([]source, error) {
	library := strings.EqualFold(loaded.Metadata.Type, "library")
	at := loaded.ChartFullPath()
	var found []source
	for _, file := range loaded.Templates {
		if library && !strings.HasPrefix(filepath.Base(file.Name), "_") {
			continue
		}
		one := source{name: path.Join(at, file.Name), text: string(file.Data), scope: scopes[at]}
		if rewrite != nil {
			if err := nestsLittle(one.text); err != nil {
				return nil, templateError(one.name, err)
			}
			one.text = rewrite(one.name, one.text)
		}
		found = append(found, one)
	}
	for _, child := range loaded.Dependencies() {
		more, err := sourcesOf(child, scopes, rewrite)
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	return found, nil
}

// rewriter rewrites templates as Draws does, each once for all renderings of the chart.
func (c *Chart) rewriter(draws Draws) func(file, text string) string {
	if draws == nil {
		return nil
	}
	return func(file, text string) string {
		key := [2]string{file, text}
		if done, known := c.rewritten.Load(key); known {
			return done.(string)
		}
		done := draws.Rewrite(file, text)
		c.rewritten.Store(key, done)
		return done
	}
}
