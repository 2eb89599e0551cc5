package readiness

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// compile is a goal of criteria that are in order.
func compile(t require.TestingT, criteria Criteria) *Goal {
	goal, problems := Compile(criteria)
	require.Empty(t, problems)
	return goal
}

// judge is the verdict on an object.
func judge(t require.TestingT, criteria Criteria, live object) Verdict {
	return compile(t, criteria).Judge(&unstructured.Unstructured{Object: live})
}

// assertVerdict checks that criteria hold for an object, or that these things are missing.
func assertVerdict(t *testing.T, criteria Criteria, live object, missing ...string) {
	t.Helper()
	verdict := judge(t, criteria, live)
	assert.Equal(t, missing, verdict.Missing)
	assert.Equal(t, len(missing) == 0, verdict.Holds)
	assert.Empty(t, verdict.Failed)
}

func TestAFieldIsWaitedForUntilItSaysSomething(t *testing.T) {
	for name, c := range map[string]struct {
		value any
		says  bool
	}{
		"a text": {"x", true}, "a number": {int64(1), true}, "a fraction": {0.5, true}, "true": {true, true},
		"false": {false, true}, "0": {int64(0), true}, "0.0": {0.0, true},
		"a list": {list{int64(1)}, true}, "a map": {object{"a": nil}, true}, "a list of null": {list{nil}, true},
		"null": {nil, false}, "an empty text": {"", false}, "an empty list": {list{}, false}, "an empty map": {object{}, false},
	} {
		t.Run(name+" [W1]", func(t *testing.T) {
			var missing []string
			if !c.says {
				missing = []string{"status.value is not set"}
			}
			assertVerdict(t, Criteria{Field: "status.value"}, object{"status": object{"value": c.value}}, missing...)
		})
	}
	t.Run("a field that is not there is not set [W1]", func(t *testing.T) {
		assertVerdict(t, Criteria{Field: "{.status.value}"}, object{}, "{.status.value} is not set")
	})
	t.Run("one of several results is enough [W1]", func(t *testing.T) {
		ingress := list{object{"ip": ""}, object{"hostname": "x"}, object{"ip": "10.0.0.1"}}
		assertVerdict(t, Criteria{Field: "status[*].ip"}, object{"status": ingress})
		assertVerdict(t, Criteria{Field: "status[*].ip"}, object{"status": ingress[:2]}, "status[*].ip is not set")
	})
}

func TestAFieldIsWaitedForUntilItHasAValue(t *testing.T) {
	for name, c := range map[string]struct {
		path, want string
		missing    []string
	}{
		"a text":                          {path: "status.phase", want: "Running"},
		"another text":                    {"status.phase", "Bound", []string{`status.phase is "Running", it should be "Bound"`}},
		"another case":                    {"status.phase", "running", []string{`status.phase is "Running", it should be "running"`}},
		"a number":                        {path: "status.replicas", want: "3"},
		"another number":                  {"status.replicas", "30", []string{`status.replicas is "3", it should be "30"`}},
		"a number that is a text":         {path: "status.revision", want: "3"},
		"a great number":                  {path: "status.bytes", want: "9223372036854775807"},
		"a fraction":                      {path: "status.ratio", want: "0.5"},
		"a boolean":                       {path: "status.ready", want: "false"},
		"the other boolean":               {"status.ready", "true", []string{`status.ready is "false", it should be "true"`}},
		"an empty text":                   {path: "status.reason", want: ""},
		"a missing field is no empty one": {"status.missing", "", []string{`status.missing is not set, it should be ""`}},
		"a missing field":                 {"status.missing", "x", []string{`status.missing is not set, it should be "x"`}},
		"null":                            {path: "status.nothing", want: "null"},
		"a list":                          {path: "status.zones", want: `["a","b"]`},
		"a map, with its characters":      {path: "status.range", want: `{"max":"<9&","min":">1"}`},
		"every one of several results":    {path: "status.pods[*].phase", want: "Running"},
		"one of several results differs":  {"status.pods[*].name", "a", []string{`status.pods[*].name is "b", it should be "a"`}},
		"no result":                       {"status.pods[?@.name=='c'].phase", "Running", []string{`status.pods[?@.name=='c'].phase is not set, it should be "Running"`}},
	} {
		t.Run(name+" [W2]", func(t *testing.T) {
			live := object{"status": object{
				"phase": "Running", "replicas": int64(3), "revision": "3", "bytes": int64(9223372036854775807), "ratio": 0.5,
				"ready": false, "reason": "", "nothing": nil, "zones": list{"a", "b"}, "range": object{"min": ">1", "max": "<9&"},
				"pods": list{object{"name": "a", "phase": "Running"}, object{"name": "b", "phase": "Running"}},
			}}
			assertVerdict(t, Criteria{FieldValue: map[string]string{c.path: c.want}}, live, c.missing...)
		})
	}
	t.Run("several fields must have their values at once [W2]", func(t *testing.T) {
		criteria := Criteria{FieldValue: map[string]string{"status.phase": "Bound", "spec.replicas": "2", "spec.paused": "false"}}
		assertVerdict(t, criteria, object{"status": object{"phase": "Pending"}, "spec": object{"replicas": int64(1), "paused": false}},
			`spec.replicas is "1", it should be "2"`, `status.phase is "Pending", it should be "Bound"`)
		assertVerdict(t, criteria, object{"status": object{"phase": "Bound"}, "spec": object{"replicas": int64(2), "paused": false}})
	})
}
