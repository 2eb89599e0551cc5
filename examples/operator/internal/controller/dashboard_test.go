package controller_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	quoted     = regexp.MustCompile(`"[^"]*"`)
	ranges     = regexp.MustCompile(`\[[^]]*]`)
	matchers   = regexp.MustCompile(`\{([^}]*)}`)
	groupings  = regexp.MustCompile(`\bby\s*\(([^)]*)\)`)
	identifier = regexp.MustCompile(`[a-zA-Z_]\w*(\s*\()?`)
	ofALegend  = regexp.MustCompile(`\{\{(\w+)}}`)
	histogram  = regexp.MustCompile(`_(bucket|count|sum)$`)
)

// requireDashboard wants each query to name metrics and labels that there are.
func (f families) requireDashboard(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(configuration, "metrics", "dashboard.json"))
	require.NoError(t, err)
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr, LegendFormat string }
		}
		Templating struct {
			List []struct {
				Type  string
				Query any
			}
		}
	}
	require.NoError(t, json.Unmarshal(content, &dashboard))
	unused := f.ours()
	for _, panel := range dashboard.Panels {
		require.NotEmpty(t, panel.Targets, panel.Title)
		for _, target := range panel.Targets {
			asked := f.requireQuery(t, target.Expr, target.LegendFormat)
			require.NotEmpty(t, asked, target.Expr)
			for _, name := range asked {
				delete(unused, name)
			}
		}
	}
	assert.Empty(t, slices.Collect(maps.Keys(unused)), "no panel shows them")
	for _, variable := range dashboard.Templating.List {
		if variable.Type != "query" {
			continue
		}
		query := variable.Query.(map[string]any)["query"].(string)
		found := regexp.MustCompile(`^label_values\((\w+), (\w+)\)$`).FindStringSubmatch(query)
		require.NotNil(t, found, query)
		require.Contains(t, f, found[1])
		require.Contains(t, f.labels(found[1]), found[2])
	}
}

// requireQuery returns the metrics that a query names.
func (f families) requireQuery(t *testing.T, query, legend string) []string {
	t.Helper()
	plain := ranges.ReplaceAllString(quoted.ReplaceAllString(query, ""), "")
	var labels []string
	for _, found := range matchers.FindAllStringSubmatch(plain, -1) {
		labels = append(labels, identifier.FindAllString(found[1], -1)...)
	}
	var kept []string
	for _, found := range groupings.FindAllStringSubmatch(plain, -1) {
		kept = append(kept, identifier.FindAllString(found[1], -1)...)
	}
	plain = groupings.ReplaceAllString(matchers.ReplaceAllString(plain, ""), "")
	var names, known []string
	for _, word := range identifier.FindAllString(plain, -1) {
		if strings.HasSuffix(word, "(") {
			continue // a function
		}
		name := word
		if _, found := f[name]; !found {
			name = histogram.ReplaceAllString(word, "")
			known = append(known, "le")
		}
		require.Contains(t, f, name, "%s: nothing is called %s", query, word)
		names, known = append(names, name), append(known, f.labels(name)...)
	}
	require.Subset(t, known, append(labels, kept...), query)
	for _, label := range ofALegend.FindAllStringSubmatch(legend, -1) {
		require.Contains(t, kept, label[1], "%s: its legend has a label that the query drops", query)
	}
	return names
}
