package operator

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
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
		"a name over 40 characters":      {name: strings.Repeat("a", 41), message: "the name is at most 40 characters long"},
		"no service account":             {spec: fields{"serviceAccountName": ""}, message: "spec.serviceAccountName"},
		"no program":                     {spec: fields{"program": fields{"configMapRef": fields{"name": ""}}}, message: "spec.program.configMapRef.name"},
		"another approval":               {spec: fields{"approval": "Perhaps"}, message: `supported values: "Automatic", "Manual"`},
		"another deletion":               {spec: fields{"onDelete": "Keep"}, message: `supported values: "Destroy", "Orphan"`},
		"a time-out that is no duration": {spec: fields{"timeout": "soon"}, message: "spec.timeout"},
		"a time-out of nothing":          {spec: fields{"timeout": "0s"}, message: "timeout is from 1s to 24h"},
		"a time-out of two days":         {spec: fields{"timeout": "48h"}, message: "timeout is from 1s to 24h"},
		"drift detection all the time":   {spec: fields{"driftDetection": fields{"interval": "10ms"}}, message: "interval is at least 1s"},
		"a negative interval":            {spec: fields{"driftDetection": fields{"interval": "-1m"}}, message: "interval is at least 1s"},
		"a backoff of nothing":           {spec: fields{"retry": fields{"backoff": "0s"}}, message: "backoff is from 1s to 30m"},
		"a backoff of an hour":           {spec: fields{"retry": fields{"backoff": "1h"}}, message: "backoff is from 1s to 30m"},
		"fewer than no repetitions":      {spec: fields{"retry": fields{"limit": -1}}, message: "greater than or equal to 0"},
		"repetitions without end":        {spec: fields{"retry": fields{"limit": 101}}, message: "less than or equal to 100"},
		"outputs in a Secret of no name": {spec: fields{"outputsSecretName": "Shop_Outputs"}, message: "spec.outputsSecretName"},
		"a backend without a URL":        {spec: fields{"backend": fields{"url": ""}}, message: "spec.backend.url"},
		// [X44]
		"a backend in the file system of the pod": {spec: backend("file:///state"), message: "the state would be lost with the pod of each run"},
		"a backend in the memory of the run":      {spec: backend("mem://"), message: "the state would be lost with the pod of each run"},
		"a backend that is a path":                {spec: backend("/state"), message: "the URL begins with s3://"},
		"a secret from no key":                    {spec: fields{"secretConfig": fields{"a": fields{"secretKeyRef": fields{"name": "one", "key": ""}}}}, message: "secretKeyRef.key"},
		"secret configuration of 65 keys":         {spec: fields{"secretConfig": many}, message: "must have at most 64 items"},
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

func TestWhichBackendsThereAre(t *testing.T) { // [X44]
	t.Parallel()
	s := with(t)
	for _, url := range []string{
		"s3://bucket?region=eu-west-1", "gs://bucket/path", "azblob://container", "postgres://user@host/database", "https://api.pulumi.com",
		"http://pulumi.example.com:8080",
	} {
		t.Run(url, func(t *testing.T) {
			require.NoError(t, s.client.Create(t.Context(), environmentOf(s.namespace, "shop", backend(url)), client.DryRunAll))
		})
	}
}

func TestAnEnvironmentWithABackendThatIsRefusedNow(t *testing.T) { // [X44]
	t.Parallel()
	c := cluster.ForTest(t, cluster.Options{})
	asAdmin, err := client.New(c.RESTConfig(), client.Options{})
	require.NoError(t, err)
	s := &surroundings{T: t, cluster: c, client: asAdmin, namespace: "default"}
	run := func(args ...string) {
		out, err := kubectl(t.Context(), c, args...)
		require.NoError(t, err, out)
	}
	file := filepath.Join(definitions, "platform.example.com_environments.yaml")
	run("apply", "-f", file)
	run("patch", "crd", definition, "--type=json", "--patch", `[{"op":"remove","path":"/spec/versions/0/schema/openAPIV3Schema`+
		`/properties/spec/properties/backend/properties/url/x-kubernetes-validations"}]`)
	run("wait", "-f", file, "--for", "condition=Established")
	s.eventually(func() bool {
		return asAdmin.Create(t.Context(), environmentOf("default", "shop", backend("file:///state"))) == nil
	}, "the rule is not in force")
	run("apply", "-f", file)
	s.eventually(func() bool {
		return asAdmin.Create(t.Context(), environmentOf("default", "other", backend("file:///state")), client.DryRunAll) != nil
	}, "the rule is in force")

	e := &environment{surroundings: s, name: "shop"}
	e.change(fields{"suspend": true})
	e.annotate("platform.example.com/orphan", "true")
	e.change(fields{"backend": fields{"credentialsSecretRef": fields{"name": "keys"}}})
	e.delete()
}

func backend(url string) fields { return fields{"backend": fields{"url": url}} }

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
