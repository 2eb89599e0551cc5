package wait

import (
	"fmt"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// The names of the outputs. The hidden ones begin with __.
const (
	keyStatus  = "status"
	keyPending = "__pendingWait"
	keyUID     = "__uid"
	keyGaveUp  = "__gaveUp"
)

// keyReadable stands in a diff for a status that is readable but must become secret. There is no such output.
const keyReadable = "__secretStatus"

// state are the outputs of one resource.
type state struct {
	// status are the fields that the wait is for; a null property if there are none.
	status property.Value
	// pending means that the goal has not been reached.
	pending bool
	// gaveUp means that the goal was not reached, but the engine continued with what depends on the Wait.
	gaveUp bool
	// uid is the UID of the object of the wait.
	uid string
	// origin is the cluster of the wait.
	origin tracked.Origin
}

// IsUnfinished reports from the outputs whether the goal was not reached, which the engine saves as an initialization error.
func IsUnfinished(outputs property.Map) bool { return values.Flag(outputs.Get(keyPending)) }

// decodeState reads an old state; missing parts are empty.
func decodeState(outputs property.Map) state {
	return state{
		status: outputs.Get(keyStatus), origin: tracked.DecodeOrigin(outputs.Get(tracked.KeyCluster)),
		uid: values.Text(outputs.Get(keyUID)), pending: values.Flag(outputs.Get(keyPending)),
		gaveUp: values.Flag(outputs.Get(keyGaveUp)),
	}
}

// isAnother reports whether live is not the object of the wait, but a new one with the same name.
func (s state) isAnother(live *unstructured.Unstructured) bool {
	return live != nil && s.uid != "" && s.uid != string(live.GetUID())
}

// encode returns the outputs as the engine stores them.
func (s state) encode() property.Map {
	out := map[string]property.Value{keyStatus: s.status}
	if s.pending {
		out[keyPending] = property.New(true)
	}
	if s.gaveUp {
		out[keyGaveUp] = property.New(true)
	}
	if !s.origin.IsZero() {
		out[tracked.KeyCluster] = s.origin.Encode()
	}
	if s.uid != "" {
		out[keyUID] = property.New(s.uid)
	}
	return property.NewMap(out)
}

// observed returns the state when everything holds. A part of the status that was secret before stays secret. A part that
// contains a secret text of the program becomes secret, in the run that knows the text and in all later runs.
func (in inputs) observed(live *unstructured.Unstructured, before state, known tracked.KnownSecrets) (state, error) {
	s := state{}
	if live == nil {
		return s, nil
	}
	s.uid = string(live.GetUID())
	extract := in.spec.Goal.Extract(live)
	if extract == nil {
		return s, nil
	}
	var secrets values.Marks
	tracked.MarkKind(&secrets, manifest.IdentityOf(live.Object))
	known.Mark(&secrets, extract)
	_, hidden, err := values.FromProperty(before.status)
	if err != nil {
		return state{}, fmt.Errorf("status: %w", err)
	}
	for path := range hidden.Secrets() {
		if len(slices.Collect(path.Segments)) > 0 { // the whole is secret only if waitFor is, which is checked below
			secrets.Add(path)
		}
	}
	status, err := values.ToProperty(extract, secrets)
	if err != nil {
		return state{}, fmt.Errorf("status: %w", err)
	}
	if in.spec.Secret {
		status = status.WithSecret(true)
	}
	s.status = status
	return s, nil
}

// isReadable reports whether the status shows a secret text of the program that was not known when the status was saved.
func (s state) isReadable(known tracked.KnownSecrets) bool {
	status, hidden, err := values.FromProperty(s.status)
	if err != nil {
		return false
	}
	var found values.Marks
	known.Mark(&found, status)
	for path := range found.Secrets() {
		if !hidden.IsSecret(path) {
			return true
		}
	}
	return false
}

// planned returns the outputs for the preview of a wait.
func (in inputs) planned() property.Map {
	s := state{}
	if in.extracts {
		s.status = property.New(property.Computed)
	}
	return s.encode()
}
