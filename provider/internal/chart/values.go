package chart

import (
	"bytes"
	"fmt"
	"log"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	helm "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	helmutil "helm.sh/helm/v4/pkg/chart/v2/util"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// ParseValues reads a values file as Helm does: its documents are merged, later ones over earlier ones.
func ParseValues(text string) (map[string]any, error) {
	if err := manifest.CheckAliases(text); err != nil {
		return nil, fmt.Errorf("the values cannot be read: %w", err)
	}
	found, err := loader.LoadValues(strings.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("the values cannot be read: %w", err)
	}
	return found, nil
}

// MergeValues merges values over others as Helm merges its values files: maps are merged, everything else is replaced. A null stays, and
// later removes the default of the chart. Neither argument is changed.
func MergeValues(base, over map[string]any) map[string]any { return loader.MergeMaps(base, over) }

// asInFile copies values, with numbers as Helm reads them from a file: all are float64, including whole numbers. Templates see the
// difference: `eq` compares only numbers of the same type, and charts check `kindIs "float64"`.
func asInFile(value any) any {
	switch value := value.(type) {
	case map[string]any:
		copied := make(map[string]any, len(value))
		for key, member := range value {
			copied[key] = asInFile(member)
		}
		return copied
	case []any:
		copied := make([]any, len(value))
		for i, item := range value {
			copied[i] = asInFile(item)
		}
		return copied
	case int:
		return float64(value)
	case int64:
		return float64(value)
	default:
		return value
	}
}

// merging is held while the log of the process is redirected.
var merging sync.Mutex

// mergeValues decides which subcharts are enabled and merges the values over the defaults of all of them; both change the chart. It returns
// the values as templates see them, with everything that Helm adds.
//
// Helm logs the values that it does not merge to the log of the process. So the log is redirected, and the log lines become warnings
// without the values.
func mergeValues(loaded *helm.Chart, values map[string]any, options common.ReleaseOptions, caps *common.Capabilities) (
	merged common.Values, warnings []string, err error) {
	merging.Lock()
	defer merging.Unlock()
	var written bytes.Buffer
	before := log.Writer()
	log.SetOutput(&written)
	defer log.SetOutput(before)
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("the values of the chart %s cannot be merged: %v", loaded.Name(), cause)
		}
	}()

	if err := helmutil.ProcessDependencies(loaded, withSubcharts(loaded, values)); err != nil {
		return nil, nil, fmt.Errorf("the subcharts of %s: %w", loaded.Name(), withoutValue(err))
	}
	merged, err = util.ToRenderValuesWithSchemaValidation(loaded, withSubcharts(loaded, values), options, caps, true)
	if err != nil {
		return nil, nil, fmt.Errorf("the values of the chart %s: %w", loaded.Name(), withoutValue(err))
	}
	return merged, reports(written.String()), nil
}

// withSubcharts copies values, with a map for each subchart. Without such a map, Helm since 4.2 drops each null in a chart's own values for
// the subchart, so the default that the null removes comes back.
func withSubcharts(loaded *helm.Chart, values map[string]any) map[string]any {
	completed := maps.Clone(values)
	if completed == nil {
		completed = map[string]any{}
	}
	for _, child := range loaded.Dependencies() {
		value, isGiven := completed[child.Name()]
		if !isGiven {
			value = loaded.Values[child.Name()]
		}
		given, _ := completed[child.Name()].(map[string]any)
		if _, isMap := value.(map[string]any); isMap || value == nil && !isGiven {
			completed[child.Name()] = withSubcharts(child, given)
		}
	}
	return completed
}

// mismatch is Helm's error for a subchart whose values are not a map. It ends with the value.
var mismatch = regexp.MustCompile(`(?s)^(type mismatch on [^:]*): .*$`)

func withoutValue(err error) error {
	if found := mismatch.FindStringSubmatch(err.Error()); found != nil {
		return fmt.Errorf("%s: the values of a subchart must be a map", found[1])
	}
	return err
}

// report matches a line that Helm logs, and logged the value that it quotes at the end of some lines.
var (
	report      = regexp.MustCompile(`(?m)^(?:\S+ \S+ )?(?:warning: |WARN )(.*)$`)
	loggedValue = regexp.MustCompile(` \(.*$`)
)

func reports(logged string) []string {
	var found []string
	for _, match := range report.FindAllStringSubmatch(logged, -1) {
		found = append(found, "values: "+loggedValue.ReplaceAllString(match[1], ""))
	}
	slices.Sort(found) // Helm iterates over maps
	return slices.Compact(found)
}
