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
	// maxBadValues bounds how many values that cannot be decoded are searched for by requests; each takes a few.
	maxBadValues = 8
	// diagnosisManager is the field manager of dry-runs that look for obstacles. Nothing is ever stored under it.
	diagnosisManager = "k8sconnect-diagnosis"
	// maxQuoted bounds the values that are quoted.
	maxQuoted = 60
)

// How strict a create is about fields that it does not know.
const (
	strict  = "Strict"
	lenient = "Ignore"
)

// Diagnose finds all mistakes in a manifest of which an apply was refused with a typed-patch error. Such an error names
// one unknown field of each map and hides what else is wrong there, and does not say where the value is that has no
// place in its type, such as a quantity that is none. A create says more, so the same object is created as a dry-run:
// it lists all unknown fields. Where it does not name the value that it cannot decode, that is a quantity or base64 that
// can be found here; any other is found by sending it shorter and shorter beginnings of the manifest. Nothing is written.
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
	d.examine(ctx)
	d.merge(failure.Mistakes(refusal))
	if d.unknowns {
		// What else the apply would have named where it stopped at an unknown field: items of a list with the same key.
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

// examine asks what is wrong with the object until the API server has nothing more to say about its shape.
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
		// Strictness comes first, so a custom resource was not compared with its schema yet.
		err = d.create(ctx, d.object, lenient)
	}
	for _, mistake := range wrongValues(err) {
		d.found = append(d.found, mistake)
		d.values = true
	}
}

// drop takes fields out that the API server has named.
func (d *diagnosis) drop(fields []string) {
	for _, n := range slices.Backward(nodes(d.object)) { // contents before their containers
		if slices.Contains(fields, n.plain()) {
			n.remove(d.object)
		}
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

// badlyEncoded finds all quantities that are none, and base64 that is none, if the API server has complained of one of
// them, and takes them out. No request is needed: they are read here by the server's own rules.
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

// badValue finds the first value that cannot be decoded, of whatever sort, and takes it out. The API server refuses the
// shortest beginning of the manifest that has the value, and decodes the one that ends just before it: that is the proof.
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

// takeOut notes that a value cannot be decoded, and removes it.
func (d *diagnosis) takeOut(n node, reason string) {
	if text, ok := n.value.(string); ok && len(text) <= maxQuoted {
		reason = fmt.Sprintf("%q is not accepted: %s", text, reason)
	}
	d.found = append(d.found, failure.Mistake{Field: n.String(), Message: reason})
	d.values = true
	n.remove(d.object)
}

// merge adds what the refusal itself has named, unless it was found out completely.
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
