package operator

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestWhatIsRefusedAtOnce sends Environments that can never work.
func TestWhatIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	s := with(t)
	many := fields{}
	for i := range 65 {
		many[fmt.Sprintf("key%d", i)] = fields{"secretKeyRef": fields{"name": "one", "key": "k"}}
	}
	for name, test := range map[string]struct {
		name    string
		spec    fields
		message string
	}{
		"a name over 40 characters":       {name: strings.Repeat("a", 41), message: "the name is at most 40 characters long"},
		"no service account":              {spec: fields{"serviceAccountName": ""}, message: "spec.serviceAccountName"},
		"no program":                      {spec: fields{"program": fields{"configMapRef": fields{"name": ""}}}, message: "spec.program.configMapRef.name"},
		"another approval":                {spec: fields{"approval": "Perhaps"}, message: `supported values: "Automatic", "Manual"`},
		"another deletion":                {spec: fields{"onDelete": "Keep"}, message: `supported values: "Destroy", "Orphan"`},
		"a time-out that is no duration":  {spec: fields{"timeout": "soon"}, message: "spec.timeout"},
		"a time-out of nothing":           {spec: fields{"timeout": "0s"}, message: "timeout is from 1s to 24h"},
		"a time-out of two days":          {spec: fields{"timeout": "48h"}, message: "timeout is from 1s to 24h"},
		"drift detection all the time":    {spec: fields{"driftDetection": fields{"interval": "10ms"}}, message: "interval is at least 1s"},
		"a negative interval":             {spec: fields{"driftDetection": fields{"interval": "-1m"}}, message: "interval is at least 1s"},
		"a backoff of nothing":            {spec: fields{"retry": fields{"backoff": "0s"}}, message: "backoff is from 1s to 30m"},
		"a backoff of an hour":            {spec: fields{"retry": fields{"backoff": "1h"}}, message: "backoff is from 1s to 30m"},
		"fewer than no repetitions":       {spec: fields{"retry": fields{"limit": -1}}, message: "greater than or equal to 0"},
		"repetitions without end":         {spec: fields{"retry": fields{"limit": 101}}, message: "less than or equal to 100"},
		"outputs in a Secret of no name":  {spec: fields{"outputsSecretName": "Shop_Outputs"}, message: "spec.outputsSecretName"},
		"a backend without a URL":         {spec: fields{"backend": fields{"url": ""}}, message: "spec.backend.url"},
		"a secret from no key":            {spec: fields{"secretConfig": fields{"a": fields{"secretKeyRef": fields{"name": "one", "key": ""}}}}, message: "secretKeyRef.key"},
		"secret configuration of 65 keys": {spec: fields{"secretConfig": many}, message: "must have at most 64 items"},
	} {
		t.Run(name, func(t *testing.T) {
			called := test.name
			if called == "" {
				called = "shop"
			}
			err := s.client.Create(t.Context(), environmentOf(s.namespace, called, test.spec), client.DryRunAll)
			require.True(t, apierrors.IsInvalid(err), "%v", err)
			assert.Contains(t, err.Error(), test.message)
		})
	}
}

func TestTheBackendCannotBeChanged(t *testing.T) {
	t.Parallel()
	s := with(t)
	local := s.create("local", fields{"suspend": true})
	remote := s.create("remote", fields{"suspend": true, "backend": fields{"url": "s3://here"}})
	for name, change := range map[string]struct {
		of   *environment
		spec fields
	}{
		"from Secrets to another one": {of: local, spec: fields{"backend": fields{"url": "s3://here"}}},
		"to another URL":              {of: remote, spec: fields{"backend": fields{"url": "s3://there"}}},
		"back to Secrets":             {of: remote, spec: fields{"backend": nil}},
	} {
		t.Run(name, func(t *testing.T) {
			object := change.of.read()
			before := object.DeepCopy()
			merge(object.Object, fields{"spec": change.spec})
			err := s.client.Patch(t.Context(), object, client.MergeFrom(before), client.DryRunAll)
			require.True(t, apierrors.IsInvalid(err), "%v", err)
			assert.Contains(t, err.Error(), "the backend cannot be changed: the state is there")
		})
	}
	t.Run("its credentials can", func(*testing.T) {
		remote.change(fields{"backend": fields{"credentialsSecretRef": fields{"name": "keys"}}})
	})
}
