package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

const (
	// mostBadValues bounds how many values that cannot be decoded are searched for; each takes a few requests.
	mostBadValues = 8
	// longestQuoted bounds the values that are quoted.
	longestQuoted = 60
)

// How strict a create is about fields that it does not know.
const (
	strict  = "Strict"
	lenient = "Ignore"
)

// Diagnose finds all mistakes in a manifest of which an apply was refused with a typed-patch error. Such an error names
// one unknown field of each map and hides what else is wrong there, and does not say where the value is that has no
// place in its type, such as a quantity that is none. A create says more, so the same object is created as a dry-run:
// it lists all unknown fields; and a value that it cannot decode is found by sending it shorter and shorter beginnings
// of the manifest. Nothing is written.
//
// The result unwraps to refusal, and is refusal itself where nothing more is found out, for instance because the user
// may patch objects and not create them.
func (c *Cluster) Diagnose(ctx context.Context, object *unstructured.Unstructured, refusal error) error {
	if !failure.IsTypedPatchError(refusal) {
		return refusal
	}
	resource, err := c.Resource(ctx, object.GetAPIVersion(), object.GetKind())
	if err != nil {
		return refusal
	}
	path, err := collectionPath(resource, object.GetNamespace())
	if err != nil {
		return refusal
	}
	d := diagnosis{cluster: c, path: path, object: object.DeepCopy().Object}
	d.unknownFields(ctx)
	d.merge(failure.Mistakes(refusal))
	if len(d.found) == 0 {
		return refusal
	}
	return &failure.ManifestError{Mistakes: d.found, Err: refusal}
}

// diagnosis is one Diagnose.
type diagnosis struct {
	cluster *Cluster
	path    []string
	// object is the manifest without what was found to be wrong in it.
	object map[string]any
	found  []failure.Mistake
	// unknowns and values say of which sort something was found.
	unknowns, values bool
}

// unknownFields asks what is wrong with the object until the API server has nothing more to say about its shape.
func (d *diagnosis) unknownFields(ctx context.Context) {
	err := d.create(ctx, d.object, strict)
	for range mostBadValues {
		if _, undecodable := failure.Undecodable(err); !undecodable || !d.badValue(ctx) {
			break
		}
		err = d.create(ctx, d.object, strict)
	}
	for _, field := range failure.UnknownFields(err) {
		d.found = append(d.found, failure.Mistake{Field: field, Message: "unknown field"})
		d.unknowns = true
	}
	if d.unknowns {
		// Strictness comes first, so a custom resource was not compared with its schema yet.
		err = d.create(ctx, d.object, lenient)
	}
	for _, mistake := range wrongValues(err) {
		d.found = append(d.found, mistake)
		d.values = true
	}
}

// wrongValues are the values that a schema does not allow, whatever else there is in the cluster. The rest of a
// validation is left out: as a new object the manifest may be refused for what would be right in an update.
func wrongValues(err error) []failure.Mistake {
	var status apierrors.APIStatus
	if !apierrors.IsInvalid(err) || !errors.As(err, &status) || status.Status().Details == nil {
		return nil
	}
	var mistakes []failure.Mistake
	for _, cause := range status.Status().Details.Causes {
		if cause.Type == metav1.CauseTypeTypeInvalid || cause.Type == metav1.CauseTypeFieldValueNotSupported {
			mistakes = append(mistakes, failure.Mistake{Field: cause.Field, Message: cause.Message})
		}
	}
	return mistakes
}

// badValue finds the first value that cannot be decoded, and takes it out. The API server refuses the shortest
// beginning of the manifest that has the value, and decodes the one that ends just before it: that is the proof.
func (d *diagnosis) badValue(ctx context.Context) bool {
	reasons := map[int]string{}
	var trouble error
	size := countNodes(d.object)
	n := 1 + sort.Search(size, func(i int) bool {
		if trouble != nil {
			return true
		}
		err := d.create(ctx, beginning(d.object, i+1), lenient)
		reason, undecodable := failure.Undecodable(err)
		if undecodable {
			reasons[i+1] = reason
		} else if err != nil && failure.Outcome(err) != failure.Refused {
			trouble = err
		}
		return undecodable
	})
	reason, proved := reasons[n]
	if trouble != nil || !proved {
		return false
	}
	at := nodeAt(d.object, n)
	if text, ok := at.value.(string); ok && len(text) <= longestQuoted {
		reason = fmt.Sprintf("%q is not accepted: %s", text, reason)
	}
	d.found = append(d.found, failure.Mistake{Field: at.String(), Message: reason})
	d.values = true
	at.remove(d.object)
	return true
}

// merge adds what the refusal itself has named, unless it was found out completely.
func (d *diagnosis) merge(named []failure.Mistake) {
	for _, mistake := range named {
		unknown := strings.HasPrefix(mistake.Message, "field not declared")
		value := strings.HasPrefix(mistake.Message, "expected ")
		if (unknown && d.unknowns) || (value && d.values) {
			continue
		}
		d.found = append(d.found, mistake)
	}
	slices.SortStableFunc(d.found, func(a, b failure.Mistake) int { return strings.Compare(a.Field, b.Field) })
}

// create asks for a dry-run of a create.
func (d *diagnosis) create(ctx context.Context, object map[string]any, validation string) error {
	body, err := (&unstructured.Unstructured{Object: object}).MarshalJSON()
	if err != nil {
		return &failure.NotSentError{Err: err}
	}
	_, err = d.cluster.write(ctx, d.cluster.client.Post().AbsPath(d.path...).
		Param("dryRun", "All").
		Param("fieldValidation", validation).
		Body(body))
	return err
}

// A node is a value in a manifest: a scalar, or a map or list without what is in it. Nodes are in the order of a walk
// that visits a container before its contents, maps by their sorted keys. The identity of the object is no node.

// place is a node and how to come to it, by keys of maps (string) and positions in lists (int).
type place struct {
	steps []any
	value any
}

// String is the place as the API server writes fields: spec.containers[0].image.
func (p place) String() string {
	var b strings.Builder
	for _, step := range p.steps {
		switch step := step.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", step)
		case string:
			switch {
			case strings.ContainsAny(step, `.[]"/`):
				b.WriteString("[" + strconv.Quote(step) + "]")
			case b.Len() > 0:
				b.WriteString("." + step)
			default:
				b.WriteString(step)
			}
		}
	}
	return b.String()
}

// remove takes the node out of the object. In a list it leaves null, so that the others keep their places.
func (p place) remove(object map[string]any) {
	var tree any = object
	for i, step := range p.steps {
		last := i == len(p.steps)-1
		switch container := tree.(type) {
		case map[string]any:
			if last {
				delete(container, step.(string))
				return
			}
			tree = container[step.(string)]
		case []any:
			if last {
				container[step.(int)] = nil
				return
			}
			tree = container[step.(int)]
		}
	}
}

// isIdentity reports whether a place says which object it is.
func isIdentity(steps []any, key string) bool {
	switch key {
	case "apiVersion", "kind":
		return len(steps) == 0
	case "metadata":
		return len(steps) == 0 // the container of the name
	case "name", "namespace":
		return len(steps) == 1 && steps[0] == "metadata"
	}
	return false
}

// walk calls visit with every node, in order, until it returns false.
func walk(tree any, steps []any, visit func(place) bool) bool {
	at := func(step any) []any { return append(steps[:len(steps):len(steps)], step) }
	switch tree := tree.(type) {
	case map[string]any:
		for _, key := range sortedKeys(tree) {
			if !isIdentity(steps, key) && !visit(place{at(key), tree[key]}) {
				return false
			}
			if !walk(tree[key], at(key), visit) {
				return false
			}
		}
	case []any:
		for i, item := range tree {
			if !visit(place{at(i), item}) || !walk(item, at(i), visit) {
				return false
			}
		}
	}
	return true
}

func sortedKeys(tree map[string]any) []string {
	keys := make([]string, 0, len(tree))
	for key := range tree {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func countNodes(object map[string]any) int {
	n := 0
	walk(object, nil, func(place) bool { n++; return true })
	return n
}

// nodeAt is the nth node, counted from 1.
func nodeAt(object map[string]any, n int) place {
	var found place
	walk(object, nil, func(p place) bool {
		n--
		found = p
		return n > 0
	})
	return found
}

// beginning is the object with its identity and its first n nodes.
func beginning(object map[string]any, n int) map[string]any {
	left := n
	return begin(object, nil, &left).(map[string]any)
}

func begin(tree any, steps []any, left *int) any {
	at := func(step any) []any { return append(steps[:len(steps):len(steps)], step) }
	switch tree := tree.(type) {
	case map[string]any:
		out := map[string]any{}
		for _, key := range sortedKeys(tree) {
			if isIdentity(steps, key) {
				out[key] = begin(tree[key], at(key), left)
			} else if *left > 0 {
				*left--
				out[key] = begin(tree[key], at(key), left)
			}
		}
		return out
	case []any:
		out := []any{}
		for i, item := range tree {
			if *left == 0 {
				break
			}
			*left--
			out = append(out, begin(item, at(i), left))
		}
		return out
	default:
		return tree
	}
}
