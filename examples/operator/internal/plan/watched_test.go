package plan_test

import (
	"testing"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/plan"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// watching is a Ready Environment whose objects are watched, long before its next look.
func watching(w *world) {
	w.environment.Spec.DriftDetection = &v1alpha1.DriftDetection{Interval: &metav1.Duration{Duration: 24 * time.Hour}, Watch: true}
	w.applies()
	w.now = w.now.Add(time.Minute)
	w.sees("as applied")
	w.rests()
}

// sees is what the watches say, for long enough.
func (w *world) sees(digest string, change ...func(*plan.Watched)) {
	w.watched = &plan.Watched{Digest: digest, Objects: 2, Quiet: time.Hour}
	for _, change := range change {
		change(w.watched)
	}
}

func TestWatchedObjects(t *testing.T) { // [X65]
	const looks = "DriftCheck 2"
	check(t, []decided{
		{"nothing is looked at while nothing changes", watching, plan.Nothing, applied, "", status.CurrentStatus},
		{"a change is looked at at once", func(w *world) { watching(w); w.sees("changed") }, plan.FreezeInputs, applied, looks, status.CurrentStatus},
		{"but not before it is over", func(w *world) {
			watching(w)
			w.sees("changed", func(seen *plan.Watched) { seen.Quiet = 0 })
		}, plan.Nothing, applied, "", status.CurrentStatus},
		{"nothing is concluded as long as not all is known", func(w *world) { watching(w); w.watched = nil }, plan.Nothing, applied, "", status.CurrentStatus},
		{"it waits for a slot", func(w *world) { watching(w); w.noSlot = true; w.sees("changed") }, plan.Nothing, applied, "", status.CurrentStatus},
		{"and is not forgotten meanwhile", func(w *world) {
			watching(w)
			w.noSlot = true
			w.sees("changed")
			w.rests()
			w.noSlot = false
		}, plan.FreezeInputs, applied, looks, status.CurrentStatus},
		{"an object that was gone after the run is looked for, also after a wait for a slot", func(w *world) {
			w.environment.Spec.DriftDetection = &v1alpha1.DriftDetection{Interval: &metav1.Duration{Duration: 24 * time.Hour}, Watch: true}
			w.applies()
			w.sees("one is gone", func(seen *plan.Watched) { seen.Missing = true })
			w.noSlot = true
			w.rests()
			w.noSlot = false
		}, plan.FreezeInputs, applied, looks, status.CurrentStatus},
		{"what others changed while the run went on is looked at", func(w *world) {
			w.environment.Spec.DriftDetection = &v1alpha1.DriftDetection{Interval: &metav1.Duration{Duration: 24 * time.Hour}, Watch: true}
			w.applies()
			w.sees("touched", func(seen *plan.Watched) { seen.Touched = w.now })
		}, plan.FreezeInputs, applied, looks, status.CurrentStatus},
		{"a change of inputs comes first", func(w *world) { watching(w); w.sees("changed"); w.change("inputs-2") },
			plan.FreezeInputs, updating, "Update 2", status.InProgressStatus},
		{"one who is suspended looks at nothing", func(w *world) { watching(w); w.environment.Spec.Suspend = true; w.sees("changed") },
			plan.Nothing, "Ready=True/Applied Suspended=True/Suspended", "", status.CurrentStatus},
	})
}

func TestALookEndsWhenNothingChangesMeanwhile(t *testing.T) { // [X65]
	touch := func(w *world) func(*plan.Watched) { return func(seen *plan.Watched) { seen.Touched = w.now } }
	for name, end := range map[string]func(*world){
		"without drift":           func(w *world) { w.succeeds() },
		"with drift for a person": func(w *world) { w.drifts() },
		"with a failure":          func(w *world) { w.fails() },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			watching(w)
			w.sees("changed", touch(w))
			w.settle(func() { end(w) })
			require.EqualValues(t, 2, w.status().Serial, "the change was looked at")
			require.Equal(t, "changed", w.status().Watched.Digest)

			w.sees("changed again")
			w.settle(func() { w.sees("changed during the look", touch(w)); end(w) })
			require.EqualValues(t, 4, w.status().Serial, "a look does not see what changes behind it")
		})
	}
	t.Run("with a correction", func(t *testing.T) {
		w := newWorld()
		watching(w)
		w.sees("changed", touch(w))
		w.now = w.now.Add(2 * time.Second)
		w.settle(func() {
			w.sees("as applied")
			w.ends(state.Succeeded, func(record *state.Record) { record.Drifted, record.Applied = true, true })
		})
		require.EqualValues(t, 2, w.status().Serial, "one run is enough")
		require.Equal(t, "as applied", w.status().Watched.Digest)
	})
	t.Run("which is not watched any more", func(t *testing.T) {
		w := newWorld()
		watching(w)
		require.NotNil(t, w.status().Watched)
		w.edit(func(spec *v1alpha1.EnvironmentSpec) { spec.DriftDetection.Watch = false })
		w.rests()
		require.Nil(t, w.status().Watched)
	})
}
