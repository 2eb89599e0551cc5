//go:build published

package e2e

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/charts"
)

// TestPublishedManifestsLive does with files of manifests, such as the install.yaml of a project, what TestPublishedChartsLive does with
// charts. kubectl takes the place of Helm.
func TestPublishedManifestsLive(t *testing.T) {
	all := charts.Manifests(t)
	if len(all) == 0 {
		t.Skip("CHARTS names no folder with manifests")
	}
	for name, versions := range all {
		t.Run(name, func(t *testing.T) {
			t.Run("installed", func(t *testing.T) {
				s := aloneIn(t)
				s.ofFile(t, versions[0], "")
				step(t, "install", func(t *testing.T) { s.settles(t) })
				step(t, "drift", func(t *testing.T) { s.drifts(t) })
				s.upgrades(t, versions, func(t *testing.T, version string) { s.ofFile(t, version, "") })
				step(t, "remove", func(t *testing.T) { s.removes(t) })
			})
			// Large definitions have no room for the annotation of "kubectl apply" without --server-side.
			made := map[string][]string{"create": {"create"}, "apply --server-side": {"apply", "--server-side"}}
			for _, how := range slices.Sorted(maps.Keys(made)) {
				t.Run("taken over from "+how, func(t *testing.T) {
					s := aloneIn(t)
					kubectl(t, s.cluster, "", append(made[how], "--filename", versions[0])...)
					s.noShortJobs(t)
					before := s.kept(t)
					step(t, "take over", func(t *testing.T) {
						s.ofFile(t, versions[0], "adopt: true\n      takeOverFrom: [kubectl, kubectl-create]")
						s.settles(t)
						s.requireKept(t, before)
					})
					s.upgrades(t, versions, func(t *testing.T, version string) { s.ofFile(t, version, "") })
					step(t, "remove", func(t *testing.T) { s.removes(t) })
				})
			}
		})
	}
}

// noShortJobs waits until Jobs that the cluster deletes when they have ended are gone: one that is being deleted cannot be taken over.
func (s chartStory) noShortJobs(t *testing.T) {
	t.Helper()
	eventually(t, "the Jobs with a time to live are gone", func() bool {
		jobs, err := s.cluster.Client().BatchV1().Jobs("").List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		return !slices.ContainsFunc(jobs.Items, func(job batchv1.Job) bool { return job.Spec.TTLSecondsAfterFinished != nil })
	})
}

// ofFile writes a program with the manifests of a file. What names no namespace goes where kubectl puts it.
func (s chartStory) ofFile(t *testing.T, file, inputs string) {
	t.Helper()
	s.program(t, "resources:\n  shop:\n    type: k8sconnect:Manifests\n    properties:\n      files: [%q]\n      namespace: default\n      %s\n", file, inputs)
}
