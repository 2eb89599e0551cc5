package e2e

import (
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// TestEffort counts every request of the provider by the API server's audit log.
func TestEffort(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	s, space := newStack(t), c.Namespace(t)
	user, err := c.AddUser("counted", "system:masters")
	require.NoError(t, err)
	s.connectAs(t, user)
	names := []string{"one", "two", "three"}
	program := func(value string) string {
		text := "resources:\n"
		for _, name := range names {
			text += configMapResource(name, name, space, fmt.Sprintf("{a: %q}", value))
		}
		return text
	}

	// count runs a command and counts the requests by object and kind of request. Those that are
	// about no object are counted under "".
	count := func(t *testing.T, run func(t *testing.T)) map[string]map[string]int {
		mark, err := c.AuditMark()
		require.NoError(t, err)
		run(t)
		requests, err := c.RequestsSince(mark)
		require.NoError(t, err)
		counts := map[string]map[string]int{}
		for _, request := range requests.Where(by(user)) {
			require.True(t, strings.HasPrefix(request.UserAgent, "pulumi-k8sconnect/"), "%s by %s", request, request.UserAgent)
			object, what := objectAndVerb(request)
			if counts[object] == nil {
				counts[object] = map[string]int{}
			}
			counts[object][what]++
		}
		return counts
	}
	// each is the same for every object, beside one discovery of the one group-version.
	each := func(requests map[string]int) map[string]map[string]int {
		want := map[string]map[string]int{"": {"get /api/v1": 1}}
		for _, name := range names {
			want[name] = requests
		}
		return want
	}

	step(t, "a create is one PATCH, beside one question for the id of the cluster [O81]", func(t *testing.T) {
		s.program(t, program("1"))
		want := each(map[string]int{"patch": 1})
		want[""]["get /api/v1/namespaces/kube-system"] = 1
		assert.Equal(t, want, count(t, func(t *testing.T) { s.up(t) }))
	})
	step(t, "an unchanged preview is one GET [O21, O81]", func(t *testing.T) {
		assert.Equal(t, each(map[string]int{"get": 1}), count(t, func(t *testing.T) { s.previewEmpty(t) }))
	})
	step(t, "an unchanged up is one GET [O21, O81]", func(t *testing.T) {
		assert.Equal(t, each(map[string]int{"get": 1}), count(t, func(t *testing.T) { s.up(t) }))
	})
	step(t, "the preview of an update is the read and one dry-run [O81]", func(t *testing.T) {
		s.program(t, program("2"))
		assert.Equal(t, each(map[string]int{"get": 1, "patch dryRun": 1}), count(t, func(t *testing.T) { s.preview(t) }))
	})
	step(t, "an update is the read, one dry-run and one PATCH [O81]", func(t *testing.T) {
		assert.Equal(t, each(map[string]int{"get": 1, "patch dryRun": 1, "patch": 1}), count(t, func(t *testing.T) { s.up(t) }))
	})
	step(t, "a refresh is one GET [O81]", func(t *testing.T) {
		assert.Equal(t, each(map[string]int{"get": 1}), count(t, func(t *testing.T) { s.refresh(t) }))
	})
	step(t, "a delete is the read, one DELETE and at most one watch [O81]", func(t *testing.T) {
		counts := count(t, func(t *testing.T) { s.destroy(t) })
		for _, name := range names {
			assert.LessOrEqual(t, counts[name]["watch"], 1)
			delete(counts[name], "watch")
		}
		assert.Equal(t, each(map[string]int{"get": 1, "delete": 1}), counts)
	})
	step(t, "without drift detection in previews an unchanged preview is no request at all [O81]", func(t *testing.T) {
		s.config(t, "k8sconnect:driftDetection", "refresh")
		s.up(t)
		assert.Empty(t, count(t, func(t *testing.T) { s.previewEmpty(t) }))
	})
}

// objectAndVerb names the object that a request is about, and the request.
func objectAndVerb(r cluster.Request) (object, what string) {
	what = r.Verb
	if strings.Contains(r.URI, "dryRun=") {
		what += " dryRun"
	}
	if object = r.Object(); object == "" || object == "namespaces/kube-system" { // that says which cluster it is
		return "", what + " " + r.Path()
	}
	return path.Base(object), what
}
