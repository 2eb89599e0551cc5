package operator

import (
	"flag"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var memory = flag.String("memory", "", `which limits are enough for how many objects, as TestMemoryOfARun shows on a real node: "100=256Mi,2000=1Gi"`)

// TestMemoryOfARun shows that a limit is enough for one run that makes a number of objects, and another one that changes all of them.
func TestMemoryOfARun(t *testing.T) { // [X53]
	if *memory == "" {
		t.Skip("it takes half an hour: give it -memory")
	}
	if !onRealNode() {
		t.Skip("limits are enforced on a real node alone")
	}
	s := with(t)
	for given := range strings.SplitSeq(*memory, ",") {
		count, limit, _ := strings.Cut(given, "=")
		objects, err := strconv.Atoi(count)
		require.NoError(t, err)
		assert.True(t, s.isEnough(objects, limit), "%s for %d objects", limit, objects)
	}
}

// isEnough says whether the runs of a program with so many ConfigMaps of a kilobyte get by with a limit.
func (s *surroundings) isEnough(count int, limit string) bool {
	s.Helper()
	var program strings.Builder
	program.WriteString("name: many\nruntime: yaml\nconfig: {text: {type: string}}\nresources:\n")
	for i := range count {
		fmt.Fprintf(&program, "  o%d: {type: k8sconnect:KubeObject, properties: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: o-%d-%d, namespace: %s}, data: {text: \"${text}\"}}}}\n",
			i, count, i, s.namespace)
	}
	s.program(program.String())
	begun := time.Now()
	e := s.create(fmt.Sprintf("many-%d", count), fields{
		"config": fields{"text": strings.Repeat("a", 900)}, "timeout": "60m", "onDelete": "Orphan", "retry": fields{"limit": 0},
		"runner": fields{"resources": fields{"requests": fields{"memory": "64Mi"}, "limits": fields{"memory": limit}}},
	})
	defer e.delete()
	enough := e.runsOnce(1)
	s.Logf("%d objects with %s: made %t after %s", count, limit, enough, time.Since(begun).Round(time.Second))
	if !enough {
		return false
	}
	begun = time.Now()
	e.change(fields{"config": fields{"text": strings.Repeat("b", 900)}})
	enough = e.runsOnce(2)
	s.Logf("%d objects with %s: changed %t after %s", count, limit, enough, time.Since(begun).Round(time.Second))
	assert.LessOrEqual(s, e.status().Serial, int64(3))
	return enough
}

// runsOnce waits for the end of a run, and says whether it was the end that it should come to.
func (e *environment) runsOnce(serial int64) bool {
	e.Helper()
	enough := false
	e.eventuallyWithin(time.Hour, func() bool {
		now := e.status()
		if now.LastApplied != nil && now.LastApplied.Serial == serial && now.condition("Ready").Status == metav1.ConditionTrue {
			enough = true
			return true
		}
		if now.Serial > serial || now.condition("Stalled").Status == metav1.ConditionTrue {
			e.Logf("%s: %s", now.condition("Ready").Reason, now.condition("Ready").Message)
			return true
		}
		return false
	}, "the run ends")
	return enough
}
