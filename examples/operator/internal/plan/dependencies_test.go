package plan_test

import (
	"fmt"
	"testing"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/plan"
)

// unmet is what keeps a run from beginning, empty if nothing does.
func (w *world) unmet() string {
	if len(w.circle) > 0 {
		return "circle"
	}
	for _, other := range w.dependencies {
		if !other.Ready || other.Deleted {
			return other.Name
		}
	}
	return ""
}

// dependsOn has the Environment depend on one that is like this.
func (w *world) dependsOn(other plan.Dependency) { w.dependencies = []plan.Dependency{other} }

const (
	notReady   = "Ready=False/DependencyNotReady Reconciling=True/DependencyNotReady"
	isMissing  = "Ready=False/DependencyMissing Reconciling=True/DependencyMissing"
	inCircle   = "Ready=False/DependencyCircle Stalled=True/DependencyCircle"
	dependents = "Ready=False/HasDependents Reconciling=True/HasDependents"
)

var (
	network = plan.Dependency{Name: "network", Ready: true}
	updated = plan.Dependency{Name: "network", Says: "Run 2 (Update) is under way in Job network-2."}
)

func TestDependencies(t *testing.T) { // [X67]
	check(t, []decided{
		{"one that is Ready lets a run begin", func(w *world) { w.decide(); w.dependsOn(network) },
			plan.FreezeInputs, updating, "Update 1", status.InProgressStatus},
		{"one that is updated is waited for", func(w *world) { w.decide(); w.dependsOn(updated) },
			plan.Nothing, notReady, "", status.InProgressStatus},
		{"also before a run whose Job is not created yet", func(w *world) { w.decide(); w.dependsOn(network); w.rests(); w.dependsOn(updated) },
			plan.Nothing, notReady, "", status.InProgressStatus},
		{"also before a plan", func(w *world) {
			w.decide()
			w.environment.Spec.Approval = v1alpha1.ApprovalManual
			w.dependsOn(updated)
		}, plan.Nothing, notReady, "", status.InProgressStatus},
		{"a run that goes on is brought to its end", func(w *world) { w.starts(); w.dependsOn(updated) },
			plan.Nothing, updating, "Update 1", status.InProgressStatus},
		{"one that was interrupted, too", func(w *world) { interrupted(w); w.dependsOn(updated) },
			plan.CreateJob, updating, "Update 2", status.InProgressStatus},
		{"what was applied stays Ready while another one is updated", func(w *world) { w.applies(); w.dependsOn(updated) },
			plan.Nothing, applied, "", status.CurrentStatus},
		{"and drift is looked for", func(w *world) { looked(w); w.dependsOn(updated) },
			plan.FreezeInputs, applied, "DriftCheck 2", status.CurrentStatus},
		{"but a plan against drift waits", func(w *world) { looked(w); w.settle(w.drifts); w.approve(); w.dependsOn(updated) },
			plan.Nothing, "DriftDetected=True/DriftDetected " + notReady, "", status.InProgressStatus},
		{"one that is not there is waited for", func(w *world) { w.decide(); w.dependsOn(plan.Dependency{Name: "network", Missing: true}) },
			plan.Nothing, isMissing, "", status.InProgressStatus},
		{"and told also to who was applied", func(w *world) { w.applies(); w.dependsOn(plan.Dependency{Name: "network", Missing: true}) },
			plan.Nothing, isMissing, "", status.InProgressStatus},
		{"one that is Stalled is a reason of its own", func(w *world) { w.decide(); w.dependsOn(plan.Dependency{Name: "network", Stalled: true}) },
			plan.Nothing, "Ready=False/DependencyStalled Reconciling=True/DependencyStalled", "", status.InProgressStatus},
		{"one that is deleted lets nothing begin", func(w *world) {
			w.decide()
			w.dependsOn(plan.Dependency{Name: "network", Ready: true, Deleted: true})
		}, plan.Nothing, notReady, "", status.InProgressStatus},
		{"an output that is not there yet is waited for with its Environment", func(w *world) {
			w.decide()
			w.dependsOn(updated)
			w.problem = &plan.Problem{Reason: "InputsMissing", Message: "There is no such output."}
		}, plan.Nothing, notReady, "", status.InProgressStatus},
		{"one that a Ready Environment does not have is missing", func(w *world) {
			w.decide()
			w.dependsOn(network)
			w.problem = &plan.Problem{Reason: "InputsMissing", Message: "There is no such output."}
		}, plan.Nothing, "Ready=False/InputsMissing Reconciling=True/InputsMissing", "", status.InProgressStatus},
		{"a circle is for a person to open", func(w *world) { w.decide(); w.dependsOn(network); w.circle = []string{"shop", "network"} },
			plan.Nothing, inCircle, "", status.FailedStatus},
		{"also where all of it was applied", func(w *world) { w.applies(); w.dependsOn(network); w.circle = []string{"shop", "network"} },
			plan.Nothing, inCircle, "", status.FailedStatus},
		{"a failure for good is told before what is waited for", func(w *world) { w.settle(w.fails); w.dependsOn(updated) },
			plan.Nothing, "Ready=False/UpdateFailed Stalled=True/UpdateFailed", "", status.FailedStatus},
		{"what others depend on is not destroyed", func(w *world) { w.applies(); w.dependents = []string{"cart"}; w.remove() },
			plan.Nothing, dependents, "", status.TerminatingStatus},
		{"until they are gone", func(w *world) {
			w.applies()
			w.dependents = []string{"cart"}
			w.remove()
			w.rests()
			w.dependents = nil
		}, plan.FreezeInputs, destroying, "Destroy 2", status.TerminatingStatus},
		{"it goes at once where its objects stay", func(w *world) { w.applies(); w.dependents = []string{"cart"}; w.orphan(); w.remove() },
			plan.KeepState, deleting, "", status.TerminatingStatus},
		{"and where it has made nothing", func(w *world) { w.decide(); w.dependents = []string{"cart"}; w.remove() },
			plan.DeleteState, "", "", status.TerminatingStatus},
		{"a namespace takes both along", func(w *world) { w.applies(); w.dependents = []string{"cart"}; w.terminate() },
			plan.DeleteState, deleting, "", status.TerminatingStatus},
	})
}

func TestTheMessageSaysWhatIsWaitedFor(t *testing.T) { // [X67]
	says := func(given func(*world)) string {
		w := newWorld()
		w.decide()
		given(w)
		w.rests()
		return w.ready().Message
	}
	other := func(other plan.Dependency) func(*world) { return func(w *world) { w.dependsOn(other) } }
	assert.Equal(t, "Waiting for Environment network. It says: Run 2 (Update) is under way in Job network-2.", says(other(updated)))
	assert.Equal(t, "Waiting for Environment network.", says(other(plan.Dependency{Name: "network"})))
	assert.Equal(t, "Waiting for Environment network, which is being deleted: create it again, or remove it from the spec.",
		says(other(plan.Dependency{Name: "network", Deleted: true, Ready: true})))
	assert.Equal(t, "Environment network is Stalled, and this one depends on it. It says: settings: cannot create ConfigMap.",
		says(other(plan.Dependency{Name: "network", Stalled: true, Says: "settings: cannot create ConfigMap"})))
	assert.Contains(t, says(other(plan.Dependency{Name: "network", Missing: true})), "Environment network is not there")
	assert.Contains(t, says(func(w *world) { w.circle = []string{"shop", "network", "zone"} }), "shop -> network -> zone -> shop")
	assert.Equal(t, "Waiting for Environment two.", says(func(w *world) {
		w.dependencies = []plan.Dependency{{Name: "one", Ready: true}, {Name: "two"}, {Name: "three"}}
	}))
	assert.Contains(t, says(func(w *world) {
		w.dependencies = []plan.Dependency{{Name: "one"}, {Name: "two", Stalled: true}}
	}), "Environment two is Stalled", "before what goes on by itself")
	deleted := says(func(w *world) { w.applies(); w.dependents = []string{"cart", "front"}; w.remove() })
	assert.Contains(t, deleted, "depend on this one: cart, front.")
	assert.Contains(t, deleted, "kubectl annotate --namespace team environment shop platform.example.com/orphan=true")
	var many []string
	for i := range 12 {
		many = append(many, fmt.Sprintf("e%02d", i))
	}
	assert.Contains(t, says(func(w *world) { w.applies(); w.dependents = many; w.remove() }), "e09 and 2 more")
}

func TestAWayIsTheShortestOne(t *testing.T) { // [X67]
	dependencies := map[string][]string{"a": {"b", "c"}, "b": {"d"}, "c": {"a"}, "d": {"a", "e"}, "e": {"e"}}
	of := func(name string) []string { return dependencies[name] }
	assert.Equal(t, []string{"a", "c"}, plan.Way("a", "a", of))
	assert.Equal(t, []string{"b", "d"}, plan.Way("b", "a", of))
	assert.Equal(t, []string{"e"}, plan.Way("e", "e", of))
	assert.Empty(t, plan.Way("e", "a", of))
	assert.Empty(t, plan.Way("nobody", "nobody", of))
}

func TestAWayIsThereIfAndOnlyIfOneCanGoIt(t *testing.T) { // [X67]
	rapid.Check(t, func(t *rapid.T) {
		names := []string{"a", "b", "c", "d", "e", "f"}
		edges := map[string][]string{}
		for _, name := range names {
			edges[name] = rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 2, rapid.ID).Draw(t, name)
		}
		reach := map[string]bool{} // Warshall's way, to compare with
		for _, from := range names {
			for _, to := range edges[from] {
				reach[from+to] = true
			}
		}
		for _, by := range names {
			for _, from := range names {
				for _, to := range names {
					reach[from+to] = reach[from+to] || reach[from+by] && reach[by+to]
				}
			}
		}
		for _, from := range names {
			for _, to := range names {
				way := plan.Way(from, to, func(name string) []string { return edges[name] })
				require.Equal(t, reach[from+to], len(way) > 0, "%s to %s: %v", from, to, way)
				steps := append(way, to)
				for i, name := range way {
					require.Contains(t, edges[name], steps[i+1], "%v", steps)
				}
			}
		}
	})
}
