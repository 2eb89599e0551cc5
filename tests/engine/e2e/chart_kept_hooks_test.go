package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/types"
)

// keptChart has hooks of all kinds whose objects stay, and one object that goes.
var keptChart = map[string]string{
	"values.yaml":             "size: 1\n",
	"templates/settings.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings, annotations: { helm.sh/hook: pre-install } }\ndata: { size: {{ .Values.size | quote }} }\n",
	"templates/limits.yaml":   "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: limits, annotations: { helm.sh/hook: \"post-install,post-upgrade\" } }\ndata: { size: {{ .Values.size | quote }} }\n",
	"templates/account.yaml":  "apiVersion: v1\nkind: ServiceAccount\nmetadata: { name: account, annotations: { helm.sh/hook: \"pre-install,pre-delete\", helm.sh/hook-delete-policy: before-hook-creation } }\n",
	"templates/goodbye.yaml":  "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: goodbye, annotations: { helm.sh/hook: post-delete } }\ndata: { size: {{ .Values.size | quote }} }\n",
	"templates/first.yaml":    jobOf("first", "kwok", "helm.sh/hook: pre-install"),
	"templates/last.yaml":     jobOf("last", "kwok", "helm.sh/hook: post-install", "helm.sh/hook-delete-policy: before-hook-creation"),
	"templates/cleanup.yaml":  jobOf("cleanup", "kwok", "helm.sh/hook: post-delete"),
	"templates/gone.yaml":     "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: gone }\n",
}

func TestAnObjectOfAHookThatNothingDeletesOutlivesTheRelease(t *testing.T) { // [H6]
	t.Parallel()
	s := newChartStory(t)
	s.config(t, "k8sconnect:resumeWithin", "0s")
	of := func(kind, name string) string { return "v1/" + kind + "/" + s.space + "/" + name }
	settings, limits, account := of("ConfigMap", "settings"), of("ConfigMap", "limits"), of("ServiceAccount", "account")
	size := func(t *testing.T, object string) any { return s.kube.value(t, object, "data", "size") }
	s.chart(t, "1.0.0", keptChart)
	s.declare(t, "")
	s.up(t)
	first, last := s.job(t, "shop-first"), s.job(t, "shop-last")
	kept := s.uids(t, settings, limits, account)
	step(t, "one of installs is made once: an upgrade does not change it", func(t *testing.T) {
		s.declare(t, "values: { size: 2 }")
		s.up(t)
		assert.Equal(t, "1", size(t, settings))
		assert.Equal(t, "2", size(t, limits))
		s.previewEmpty(t)
	})
	step(t, "it stays where hooks are skipped", func(t *testing.T) {
		s.declare(t, "values: { size: 2 }\nhooks: skip")
		s.up(t)
		assert.Equal(t, kept, s.uids(t, settings, limits, account))
	})
	step(t, "where they are no longer skipped, it is found again, and no hook of installs runs", func(t *testing.T) {
		s.declare(t, "values: { size: 3 }")
		assert.NotContains(t, s.preview(t), "will run")
		s.up(t)
		assert.Nil(t, s.job(t, "shop-first"))
		assert.Nil(t, s.job(t, "shop-last"))
		assert.Equal(t, "3", size(t, limits))
		assert.Equal(t, kept, s.uids(t, settings, limits, account))
		s.previewEmpty(t)
	})
	for _, value := range []string{"4", "5"} {
		step(t, "it stays when the release is deleted, and the next installation finds it again: "+value, func(t *testing.T) {
			s.destroy(t)
			s.kube.gone(t, of("ConfigMap", "gone"))
			assert.Equal(t, kept, s.uids(t, settings, limits, account))
			s.declare(t, "values: { size: "+value+" }")
			s.preview(t)
			s.up(t)
			assert.Equal(t, value, size(t, settings))
			assert.Equal(t, value, size(t, limits))
			assert.Equal(t, kept, s.uids(t, settings, limits, account))
			assert.NotEqual(t, first.UID, s.job(t, "shop-first").UID)
			assert.NotEqual(t, last.UID, s.job(t, "shop-last").UID)
			first, last = s.job(t, "shop-first"), s.job(t, "shop-last")
			s.previewEmpty(t)
		})
	}
}

func TestAnObjectOfOthersThatHasTheNameOfAHookIsLeftAlone(t *testing.T) { // [H6]
	t.Parallel()
	for name, make := range map[string]func(t *testing.T, s chartStory, settings string){
		"another stack's, which has left it": func(t *testing.T, s chartStory, _ string) {
			other := chartStory{newStackIn(t, s.kube, s.cluster.KubeconfigFile()), s.kube, s.cluster, s.space}
			other.chart(t, "1.0.0", keptChart)
			other.declare(t, "")
			other.up(t)
			other.destroy(t)
		},
		"helm's": func(t *testing.T, s chartStory, settings string) {
			s.kube.apply(t, settings, "helm", "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: "+s.space+
				", annotations: {helm.sh/hook: pre-install}}, data: {size: helm}}")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newChartStory(t)
			settings := "v1/ConfigMap/" + s.space + "/settings"
			make(t, s, settings)
			before := s.kube.get(t, settings)
			s.chart(t, "1.0.0", keptChart)
			s.declare(t, "values: { size: 2 }")
			assert.Contains(t, s.upFails(t), "not touched")
			assert.Equal(t, before, s.kube.get(t, settings))
		})
	}
}

// uids are those of some objects, which must be there.
func (s chartStory) uids(t *testing.T, objects ...string) (uids []types.UID) {
	t.Helper()
	for _, object := range objects {
		uids = append(uids, s.kube.get(t, object).GetUID())
	}
	return uids
}
