package rpc_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func TestAJobThatIsReplaced(t *testing.T) {
	t.Parallel()
	const job = `{apiVersion: batch/v1, kind: Job, metadata: {name: it, namespace: NS}, spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: "work:1"}]}}}}`
	for change, replace := range map[string]*strings.Replacer{
		"its template": strings.NewReplacer("work:1", "work:2"), "its name": strings.NewReplacer("name: it,", "name: other,"),
	} {
		t.Run("is said to run, if it does, when "+change+" changes [D116]", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			s := start(t, inline(newUser(t))).resource(t, "it").mustUp("create", program(w.inNamespace(t, job), atOnce))
			after := program(w.inNamespace(t, replace.Replace(job)), atOnce)
			counts := func(active string) {
				t.Helper()
				_, err := w.objects("Job").Patch(t.Context(), "it", types.MergePatchType,
					[]byte(`{"status":{"active":`+active+`}}`), metav1.PatchOptions{FieldManager: "intern"}, "status")
				require.NoError(t, err)
			}
			counts("0")
			_, _, err := s.in(s.process.again(t)).preview(after)
			require.NoError(t, err)
			assert.NotContains(t, s.process.log.all(), "is running")
			counts("2")
			_, _, err = s.in(s.process.again(t)).preview(after)
			require.NoError(t, err)
			assert.Equal(t, 1, strings.Count(s.process.log.all(), "Job "+w.namespace+"/it is running (2 active pods)"), s.process.log.all())
			s.in(s.process.again(t)).mustUp("replace", after)
			assert.Contains(t, s.warned(), "Job "+w.namespace+"/it is running (2 active pods)")
		})
	}
}
