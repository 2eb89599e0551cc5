package plan

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
)

// Dependency is an Environment that this one depends on.
type Dependency struct {
	Name string
	// Missing says that it is not there, and Deleted that it is being deleted.
	Missing, Deleted bool
	// Ready says that what it is now was applied, Stalled that it will not be without a person.
	Ready, Stalled bool
	// Says is what its status says of that, empty if it says nothing yet.
	Says string
}

// The reasons why no run begins before something becomes of another Environment.
const (
	ReasonDependencyMissing  = "DependencyMissing"
	ReasonDependencyStalled  = "DependencyStalled"
	ReasonDependencyNotReady = "DependencyNotReady"
	ReasonDependencyCircle   = "DependencyCircle"
	ReasonHasDependents      = "HasDependents"
)

// neverMet says whether the spec names what cannot be waited for, or is not there. It is said also of an Environment whose inputs
// were applied, as of a Secret that is not there.
func (d *decision) neverMet() bool {
	if len(d.Circle) > 0 {
		d.inCircle()
		return true
	}
	for i := range d.Dependencies {
		if d.Dependencies[i].Missing {
			d.waiting(ReasonDependencyMissing, fmt.Sprintf(
				"Environment %s is not there, and this one depends on it. It goes on as soon as that is created and Ready.", d.Dependencies[i].Name))
			return true
		}
	}
	return false
}

// inCircle says that no run begins until a person changes the spec of one in the circle.
func (d *decision) inCircle() {
	message := fmt.Sprintf("Environments depend on each other in a circle, so none of them can be the first: %s. Remove one of these from "+
		"spec.dependsOn or spec.configFrom.", strings.Join(append(slices.Clip(d.Circle), d.Circle[0]), " -> "))
	d.remove(v1alpha1.ConditionReconciling)
	d.notReady(ReasonDependencyCircle, message)
	d.set(v1alpha1.ConditionStalled, metav1.ConditionTrue, ReasonDependencyCircle, message)
}

// waitForDependencies says whether a run has to wait for another Environment, and sets the conditions if so.
func (d *decision) waitForDependencies() bool {
	if d.neverMet() {
		return true
	}
	other := d.notReadyDependency()
	if other == nil {
		return false
	}
	reason, message := ReasonDependencyNotReady, fmt.Sprintf("Waiting for Environment %s", other.Name)
	switch {
	case other.Deleted:
		message += ", which is being deleted: create it again, or remove it from the spec"
	case other.Stalled:
		reason, message = ReasonDependencyStalled, fmt.Sprintf("Environment %s is Stalled, and this one depends on it", other.Name)
	}
	if other.Says != "" {
		message += ". It says: " + other.Says
	}
	d.waiting(reason, strings.TrimSuffix(message, ".")+".")
	return true
}

// notReadyDependency is the one that is waited for: one that is Stalled before others. Nil if all are ready.
func (d *decision) notReadyDependency() *Dependency {
	var first *Dependency
	for i := range d.Dependencies {
		other := &d.Dependencies[i]
		if other.Ready && !other.Deleted {
			continue
		}
		if first == nil || other.Stalled && !first.Stalled {
			first = other
		}
	}
	return first
}

// mayRun says whether what this one depends on lets a run begin. A look for drift changes no inputs: what is as it was applied is kept so.
func (d *decision) mayRun(kind v1alpha1.OperationKind) bool {
	switch kind {
	case v1alpha1.OperationDestroy, v1alpha1.OperationDestroyPreview, v1alpha1.OperationDriftCheck:
		return true
	default:
		return len(d.Circle) == 0 && d.notReadyDependency() == nil
	}
}

// waitForDependents says whether others have to go first, which were made with what this one's program made.
func (d *decision) waitForDependents() bool {
	if len(d.Dependents) == 0 {
		return false
	}
	d.waiting(ReasonHasDependents, fmt.Sprintf("Nothing is destroyed while other Environments depend on this one: %s. Delete them, or remove this "+
		"one from their spec.dependsOn and spec.configFrom; or leave what the program made: %s", listed(d.Dependents), d.orphanWith()))
	return true
}

// listed are names for people.
func listed(names []string) string {
	const most = 10
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// Way is the shortest way from a name to another one, or back to itself, by what each depends on: all names but the last. It is empty if
// there is none.
func Way(from, to string, dependencies func(string) []string) []string {
	before, next := map[string]string{}, []string{from}
	for len(next) > 0 {
		name := next[0]
		next = next[1:]
		for _, other := range dependencies(name) {
			if other == to {
				way := []string{name}
				for ; name != from; name = before[name] {
					way = append([]string{before[name]}, way...)
				}
				return way
			}
			if _, seen := before[other]; !seen {
				before[other] = name
				next = append(next, other)
			}
		}
	}
	return nil
}
