package lives_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// The law: where the program has no option of ours, the object is what "kubectl apply --server-side --force-conflicts" of the same
// manifests makes of a twin in another namespace of the same world, to which neighbours do the same.
//
// Manifests are folded first: kubectl keeps a key that has left stringData. The twin is made anew where the object was, and is not
// compared any more where kubectl's apply is refused, or where an up failed or did not do all of the program. Kinds whose objects
// get values of their own from controllers have no twin, and no object has where admission rewrites creations alone: kubectl applies what
// is unchanged, too.
const asTwin = "without options of ours, the object is as kubectl apply makes it"

// compareTwin applies the manifest to the twin and compares.
func (l *life) compareTwin(th *thing, live, before *unstructured.Unstructured) {
	if worlds[l.world].at == "CREATE" || l.twin == "" || !th.plain || th.odd || th.untwinned {
		return
	}
	if th.applied != nil && !th.meddled && equal(th.applied.manifest, th.manifest) {
		return
	}
	if before != nil && before.GetUID() != live.GetUID() {
		l.erase(l.twin, th.kind(), th.object)
	}
	body := merge(folded(th.manifest), m{"metadata": m{"namespace": l.twin}})
	twin, err := client(th.kind(), l.twin).Apply(l.Context(), th.object, &unstructured.Unstructured{Object: body},
		metav1.ApplyOptions{FieldManager: "kubectl", Force: true})
	if apierrors.IsInvalid(err) || apierrors.IsForbidden(err) {
		th.odd = true
		return
	}
	if err != nil {
		l.rapid.Fatalf("the twin of %s: %v", th.object, err)
	}
	l.book.count("held: " + asTwin)
	ours, theirs := leaves(stripped(live)), leaves(stripped(twin))
	for _, name := range slices.Sorted(maps.Keys(ours)) {
		if other, there := theirs[name]; !there || !equal(other.value, ours[name].value) {
			l.breaks(violation{law: asTwin, thing: th, before: before, text: fmt.Sprintf("%s of %s is %s, and %s of its twin", name, th.object, asJSON(ours[name].value), asJSON(other.value))})
			return
		}
	}
	for _, name := range slices.Sorted(maps.Keys(theirs)) {
		if _, there := ours[name]; !there {
			l.breaks(violation{law: asTwin, thing: th, before: before, text: fmt.Sprintf("%s of %s is not there, and %s of its twin", name, th.object, asJSON(theirs[name].value))})
			return
		}
	}
}

// stripped is an object without what the API server and controllers set.
func stripped(live *unstructured.Unstructured) m {
	object := live.DeepCopy()
	metadata := m{}
	if labels := object.GetLabels(); labels != nil {
		metadata["labels"] = object.Object["metadata"].(m)["labels"]
	}
	annotations := object.GetAnnotations()
	maps.DeleteFunc(annotations, func(name, _ string) bool { return strings.HasPrefix(name, "deployment.kubernetes.io/") })
	kept := m{}
	for name, value := range annotations {
		kept[name] = value
	}
	metadata["annotations"] = kept
	object.Object["metadata"] = metadata
	delete(object.Object, "status")
	return object.Object
}
