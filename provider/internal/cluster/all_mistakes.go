package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
)

const (
	// maxBadValues bounds how many undecodable values are searched for by requests; each takes several.
	maxBadValues = 8
	// diagnosisManager is the field manager of dry-runs that look for mistakes. Nothing is ever stored under it.
	diagnosisManager = "k8sconnect-diagnosis"
	// maxQuoted is the maximum length of a value that an error quotes.
	maxQuoted = 60
)

// The ways in which a create treats unknown fields.
const (
	strict  = "Strict"
	lenient = "Ignore"
)

// Diagnose finds all mistakes in a manifest whose apply was refused with a typed-patch error. Such an error names one
// unknown field of each map and hides what else is wrong there. It does not say where a value of the wrong type is,
// such as an invalid quantity. A create says more, so Diagnose creates the same object in a dry-run: the API server
// lists all unknown fields. If it does not name the value that it cannot decode, Diagnose checks all quantities and
// base64 values itself. It finds any other such value by sending shorter and shorter beginnings of the manifest. It
// writes nothing.
//
// The result unwraps to refusal. It is refusal itself if Diagnose finds out nothing more, for example because the user
// may patch objects but not create them.
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
	d.examine(ctx)
	d.merge(failure.Mistakes(refusal))
	if d.unknowns {
		// The apply may have stopped at an unknown field. Applying again without those fields shows what it would have
		// named next: list items with the same key.
		_, err := c.Apply(ctx, &unstructured.Unstructured{Object: d.object}, ApplyOptions{
			FieldManager: diagnosisManager, Force: true, DryRun: true,
		})
		if failure.IsTypedPatchError(err) {
			d.merge(failure.Mistakes(err))
		}
	}
	slices.SortStableFunc(d.found, func(a, b failure.Mistake) int { return strings.Compare(a.Field, b.Field) })
	if len(d.found) == 0 {
		return refusal
	}
	return &failure.ManifestError{Mistakes: d.found, Err: refusal}
}

// diagnosis is one run of Diagnose.
type diagnosis struct {
	cluster *Cluster
	path    []string
	// object is the manifest without the mistakes found so far.
	object map[string]any
	found  []failure.Mistake
	// unknowns and values mean that unknown fields, or invalid values, were found.
	unknowns, values bool
}

// examine asks what is wrong with the object until the API server finds no further mistake in its structure.
func (d *diagnosis) examine(ctx context.Context) {
	err := d.create(ctx, d.object, strict)
	for range maxBadValues {
		reason, undecodable := failure.Undecodable(err)
		if !undecodable || !d.badlyEncoded(reason) && !d.badValue(ctx) {
			break
		}
		err = d.create(ctx, d.object, strict)
	}
	unknown := failure.UnknownFields(err)
	for _, field := range unknown {
		d.found = append(d.found, failure.Mistake{Field: field, Message: "unknown field"})
		d.unknowns = true
	}
	if d.unknowns {
		d.drop(unknown)
		// The API server checks for unknown fields first, so it has not compared a custom resource with its schema yet.
		err = d.create(ctx, d.object, lenient)
	}
	for _, mistake := range wrongValues(err) {
		d.found = append(d.found, mistake)
		d.values = true
	}
}

// drop removes the fields that the API server has named.
func (d *diagnosis) drop(fields []string) {
	for _, n := range slices.Backward(nodes(d.object)) { // contents before their containers
		if slices.Contains(fields, n.plain()) {
			n.remove(d.object)
		}
	}
}

// wrongValues returns the values that the schema does not allow in any cluster. It leaves out the rest of the
// validation: as a new object, the manifest may be refused for something that is valid in an update.
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

// badlyEncoded finds all invalid quantities, or all invalid base64, if the API server has complained about one, and
// removes them. It needs no request: it parses them by the API server's own rules.
func (d *diagnosis) badlyEncoded(complaint string) bool {
	kind := (&unstructured.Unstructured{Object: d.object}).GroupVersionKind().GroupKind()
	var bad []node
	var reasons []string
	for _, n := range nodes(d.object) {
		value := kinds.EncodedValue(kind, n.path)
		if _, isText := n.value.(string); !isText || value == nil {
			continue
		}
		text, err := json.Marshal(n.value)
		if err == nil {
			err = json.Unmarshal(text, value)
		}
		if err != nil {
			bad, reasons = append(bad, n), append(reasons, err.Error())
		}
	}
	if !slices.Contains(reasons, complaint) {
		return false
	}
	for i, n := range bad {
		d.takeOut(n, reasons[i])
	}
	return true
}

// badValue finds the first value of any type that cannot be decoded, and removes it. It searches for the shortest
// beginning of the manifest that the API server refuses. That this one is refused, and the one without its last value
// is decoded, proves that this value is the mistake.
func (d *diagnosis) badValue(ctx context.Context) bool {
	reasons := map[int]string{}
	var trouble error
	all := nodes(d.object)
	n := sort.Search(len(all), func(i int) bool {
		if trouble != nil {
			return true
		}
		err := d.create(ctx, beginning(d.object, i+1), lenient)
		reason, undecodable := failure.Undecodable(err)
		if undecodable {
			reasons[i] = reason
		} else if err != nil && failure.Outcome(err) != failure.Refused {
			trouble = err
		}
		return undecodable
	})
	reason, proved := reasons[n]
	if trouble != nil || !proved {
		return false
	}
	d.takeOut(all[n], reason)
	return true
}

// takeOut records that a value cannot be decoded, and removes it.
func (d *diagnosis) takeOut(n node, reason string) {
	if text, ok := n.value.(string); ok && len(text) <= maxQuoted {
		reason = fmt.Sprintf("%q is not accepted: %s", text, reason)
	}
	d.found = append(d.found, failure.Mistake{Field: n.String(), Message: reason})
	d.values = true
	n.remove(d.object)
}

// merge adds the mistakes that the refusal itself has named, except the sorts of mistakes that were found completely.
func (d *diagnosis) merge(named []failure.Mistake) {
	for _, mistake := range named {
		unknown := strings.HasPrefix(mistake.Message, "field not declared")
		value := strings.HasPrefix(mistake.Message, "expected ")
		if (unknown && d.unknowns) || (value && d.values) || slices.Contains(d.found, mistake) {
			continue
		}
		d.found = append(d.found, mistake)
	}
}

// create creates an object in a dry-run.
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
