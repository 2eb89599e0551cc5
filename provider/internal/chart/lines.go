package chart

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	helm "helm.sh/helm/v4/pkg/chart/v2"
)

// lineOf says in which line a template calls a function, if there is exactly one: in the template itself, or else in the templates that
// others include.
func (c *Chart) lineOf(file, function string) string {
	word := regexp.MustCompile(`(^|[^\w.$])` + regexp.QuoteMeta(function) + `\b`)
	var own, others []string
	var look func(*helm.Chart, string)
	look = func(one *helm.Chart, at string) {
		for _, template := range one.Templates {
			name := path.Join(at, template.Name)
			for i, line := range strings.Split(string(template.Data), "\n") {
				switch {
				case !strings.Contains(line, "{{") || !word.MatchString(line):
				case name == file:
					own = append(own, fmt.Sprintf(" (line %d)", i+1))
				case strings.HasPrefix(path.Base(name), "_"):
					others = append(others, fmt.Sprintf(" (%s, line %d)", name, i+1))
				}
			}
		}
		for _, child := range one.Dependencies() {
			look(child, path.Join(at, "charts", child.Name()))
		}
	}
	look(c.loaded, c.loaded.Name())
	if len(own) == 0 {
		own = others
	}
	if len(own) != 1 {
		return ""
	}
	return own[0]
}
