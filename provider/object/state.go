package object

import (
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// The names of the hidden outputs that are this resource's own.
const (
	keyAppliedFields = "__appliedFields"
	keyIgnoredFields = "__ignoredFields"
	keyPending       = "__pendingProjection"
	keyTakenOver     = "__takenOverFrom"
	keyKept          = "__kept"
	keyLeftBehind    = "__leftBehind"
	keyAbsent        = "__absentFields"
)

// state is what the engine stores for one resource. In projections, a Secret's stringData is folded into data.
type state struct {
	tracked.State

	// fields are the fields that were applied.
	fields *fieldpath.Set

	// ignored are applied fields that are now ignored but still ours: they were sent when the object was created.
	// They are released before the first apply without them.
	ignored *fieldpath.Set

	// takenOver are the managers that the program named in its last run.
	takenOver string

	// left are fields that left the manifest but stayed on the object because other managers own them, too. A
	// takeover from those managers removes them.
	left *fieldpath.Set
	// leftSecret means that names among them come from secrets.
	leftSecret bool

	// dropped are fields that the API server accepted and did not keep.
	dropped *fieldpath.Set

	// absent are fields of ours that the live object lacks, in maps and items that have content of which nothing is ours. An
	// apply without them would remove that content.
	absent *fieldpath.Set

	// unsettled is drift that the last update had to leave.
	unsettled unsettled

	// ignoredSecret means that names among the ignored fields come from secrets.
	ignoredSecret bool

	// kept means that the live object, when last read, asked not to be deleted.
	kept bool

	// job is about a Job that the cluster deletes after it has ended.
	job shortLived
}

// form describes how to write the state of a resource with these inputs. The manifest as the user wrote it says which
// of a Secret's keys appear as stringData.
func form(in inputs) tracked.Form {
	return tracked.Form{
		Live: keyManifest, Pending: keyPending,
		Present: func(tree map[string]any) map[string]any { return manifest.UnfoldStringData(tree, in.written) },
		Read:    manifest.FoldStringData,
		AsText:  in.asText,
	}
}

// encode writes the state of a resource with these inputs.
func (s state) encode(in inputs) (property.Map, error) {
	form := form(in)
	if s.Ownership != nil && s.fields != nil {
		s.Ownership = ownership.Condense(s.Ownership, s.fields)
		if in.asText {
			form.Owners = ownership.Outline(s.Ownership, s.fields)
		}
	}
	out, err := s.Encode(form)
	if err != nil {
		return property.Map{}, err
	}
	if s.takenOver != "" {
		out[keyTakenOver] = property.New(s.takenOver)
	}
	if s.fields != nil && s.fields.Empty() {
		// An object may own no field, which differs from not knowing which fields it owns.
		out[keyAppliedFields] = property.New("{}").WithSecret(s.NamesSecret)
	}
	if s.kept {
		out[keyKept] = property.New(true)
	}
	s.job.encode(out)
	if err := s.unsettled.encode(out, s.NamesSecret || in.namesSecret(s.unsettled.fields)); err != nil {
		return property.Map{}, err
	}
	err = tracked.EncodeFields(out,
		tracked.SavedFields{Key: keyAppliedFields, Fields: s.fields, Secret: s.NamesSecret},
		tracked.SavedFields{Key: keyLeftBehind, Fields: s.left, Secret: s.NamesSecret || s.leftSecret},
		tracked.SavedFields{Key: tracked.KeyDropped, Fields: s.dropped, Secret: s.NamesSecret || in.namesSecret(s.dropped)},
		tracked.SavedFields{Key: keyAbsent, Fields: s.absent, Secret: true}, // Their names may come from secrets of a run whose inputs are lost.
		tracked.SavedFields{Key: keyIgnoredFields, Fields: s.ignored, Secret: s.NamesSecret || s.ignoredSecret},
	)
	return property.NewMap(out), err
}

// IsUnfinished reports from the outputs whether the last apply was not confirmed, which the engine saves as an
// initialization error.
func IsUnfinished(outputs property.Map) bool { return values.Flag(outputs.Get(keyPending)) }

// decodeState reads a state of any version.
func decodeState(properties property.Map) (state, error) {
	shared, err := tracked.DecodeState(properties, form(inputs{}))
	ignored, left := properties.Get(keyIgnoredFields), properties.Get(keyLeftBehind)
	return state{
		State:         shared,
		fields:        tracked.DecodeFields(properties.Get(keyAppliedFields)),
		ignored:       tracked.DecodeFields(ignored),
		ignoredSecret: ignored.Secret(),
		left:          tracked.DecodeFields(left),
		leftSecret:    left.Secret(),
		takenOver:     values.Text(properties.Get(keyTakenOver)),
		kept:          values.Flag(properties.Get(keyKept)),
		dropped:       tracked.DecodeFields(properties.Get(tracked.KeyDropped)),
		absent:        tracked.DecodeFields(properties.Get(keyAbsent)),
		unsettled:     decodeUnsettled(properties),
		job:           decodeShortLived(properties.Get(keyJob)),
	}, err
}

// isImported reports whether no update has followed the import of the object: nothing has been applied yet.
func (s state) isImported() bool { return s.Manager == "" }
