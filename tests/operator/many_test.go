package operator

import (
	"context"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var environments = flag.Int("environments", 12, "how many Environments TestManyEnvironments makes at once")

// slots are how many runs the controller allows at a time.
const slots = 8

// tiny makes nothing, so that what is measured is the operator.
const tiny = `name: tiny
runtime: yaml
outputs: {text: hello}
`

func TestManyEnvironments(t *testing.T) { // [X28]
	t.Parallel()
	few := many(t, 2)
	all := many(t, *environments)
	t.Logf("%d Environments: all Ready after %s, %d requests of the controller for each, resident memory of the controller %d MiB",
		*environments, all.took.Round(time.Second), all.requests, all.memory>>20)
	assert.LessOrEqual(t, all.requests, few.requests+few.requests/2+2, "requests for one Environment do not grow with their number")
	assert.LessOrEqual(t, all.parallel, slots, "runs at a time")
}

// measured is what a number of Environments took.
type measured struct {
	took     time.Duration
	requests int // of the controller for each Environment
	parallel int // the most runs at a time that were seen
	memory   int64
}

func many(t *testing.T, count int) measured {
	t.Helper()
	s := withoutController(t)
	controller := s.controller(nil)
	s.program(tiny)
	mark, err := s.cluster.AuditMark()
	require.NoError(t, err)
	var result measured
	begun := time.Now()
	for i := range count {
		s.create(fmt.Sprintf("shop-%d", i), nil)
	}
	deadline := begun.Add(patience + time.Duration(count)*10*time.Second)
	for s.readyOnes() < count {
		if time.Now().After(deadline) {
			s.explain()
			require.Fail(t, "not all Environments become Ready")
		}
		result.parallel = max(result.parallel, s.activeJobs())
		time.Sleep(200 * time.Millisecond)
	}
	result.took = time.Since(begun)
	requests, err := s.cluster.RequestsSince(mark)
	require.NoError(t, err)
	for _, request := range requests {
		if strings.HasSuffix(request.User, ":environment-operator") && strings.Contains(request.URI+"/", "/namespaces/"+s.namespace+"/") &&
			request.Verb != "watch" && request.Verb != "list" {
			result.requests++
		}
	}
	result.requests /= count
	result.memory = controller.resident(t)
	return result
}

func (s *surroundings) readyOnes() int {
	s.Helper()
	var all unstructured.UnstructuredList
	all.SetGroupVersionKind(environmentKind)
	require.NoError(s, s.client.List(context.Background(), &all, client.InNamespace(s.namespace)))
	ready := 0
	for i := range all.Items {
		conditions, _, _ := unstructured.NestedSlice(all.Items[i].Object, "status", "conditions")
		for _, condition := range conditions {
			if fields, isMap := condition.(fields); isMap && fields["type"] == "Ready" && fields["status"] == string(metav1.ConditionTrue) {
				ready++
			}
		}
	}
	return ready
}

func (s *surroundings) activeJobs() int {
	s.Helper()
	var all batchv1.JobList
	require.NoError(s, s.client.List(context.Background(), &all, client.InNamespace(s.namespace)))
	active := 0
	for i := range all.Items {
		active += int(all.Items[i].Status.Active)
	}
	return active
}

var residentSize = regexp.MustCompile(`VmRSS:\s+(\d+) kB`)

// resident is how much memory the controller has.
func (p *process) resident(t *testing.T) int64 {
	t.Helper()
	p.mutex.Lock()
	defer p.mutex.Unlock()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.command.Process.Pid))
	require.NoError(t, err)
	found := residentSize.FindSubmatch(status)
	require.NotNil(t, found)
	size, err := strconv.ParseInt(string(found[1]), 10, 64)
	require.NoError(t, err)
	return size << 10
}
