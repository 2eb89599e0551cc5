package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestAChartWithManyObjects(t *testing.T) { // [H1] [H8]
	t.Parallel()
	const count = 120
	s := newChartStory(t)
	s.chart(t, "1.0.0", map[string]string{
		"values.yaml": "changed: none\n",
		"templates/objects.yaml": fmt.Sprintf("{{- range $i := until %d }}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: object-{{ $i }} }\n"+
			"data: { changed: {{ eq (toString $i) (toString $.Values.changed) | quote }} }\n{{- end }}\n", count),
		"templates/first.yaml": jobOf("first", "kwok", `helm.sh/hook: "pre-install"`),
	})
	timed := func(name string, run func()) {
		start := time.Now()
		run()
		t.Logf("%s took %v", name, time.Since(start).Round(10*time.Millisecond))
	}
	objects := func() int {
		list, err := s.cluster.Client().CoreV1().ConfigMaps(s.space).List(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name!=kube-root-ca.crt"})
		assert.NoError(t, err)
		return len(list.Items)
	}
	s.declare(t, "")
	timed("first preview", func() { s.preview(t) })
	timed("up", func() { s.up(t) })
	assert.Equal(t, count, objects())
	ran := s.succeeded(t)
	assert.Len(t, ran, 1)
	timed("unchanged preview", func() { s.previewEmpty(t) })
	timed("unchanged up", func() { s.up(t) })
	s.declare(t, "values: { changed: 17 }")
	timed("preview of one change", func() { assert.Equal(t, 1, strings.Count(s.preview(t), `"false" => "true"`)) })
	timed("up of one change", func() { assert.Contains(t, s.up(t), "~ 2 updated", "the object, and the record of the release") })
	assert.Equal(t, "true", s.kube.value(t, "v1/ConfigMap/"+s.space+"/object-17", "data", "changed"))
	assert.Equal(t, ran, s.succeeded(t))
	timed("destroy", func() { s.destroy(t) })
	assert.Zero(t, objects())
	assert.Empty(t, s.export(t).resources)
}
