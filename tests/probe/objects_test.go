package probe_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"context"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"time"
)

// The manifests that most sections ask about. NAME is the object's name, VALUE something in it that may be changed.
const (
	configMap  = "{apiVersion: v1, kind: ConfigMap, metadata: {name: NAME}, data: {a: VALUE}}"
	account    = "{apiVersion: v1, kind: ServiceAccount, metadata: {name: NAME, labels: {a: VALUE}}}"
	service    = "{apiVersion: v1, kind: Service, metadata: {name: NAME, labels: {a: VALUE}}, spec: {ports: [{port: 80}]}}"
	gadget     = "{apiVersion: probe.example/v1, kind: Gadget, metadata: {name: NAME}, spec: {text: VALUE}}"
	deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: NAME}
spec:
  selector: {matchLabels: {app: it}}
  template:
    metadata: {labels: {app: it}}
    spec: {containers: [{name: main, image: "nginx:VALUE"}]}
`
	pod = `
apiVersion: v1
kind: Pod
metadata: {name: NAME}
spec: {containers: [{name: main, image: nginx, env: [{name: A, value: VALUE}]}]}
`
)

// fill puts a name and a value into a manifest.
func fill(manifest, name, value string) string {
	return strings.NewReplacer("NAME", name, "VALUE", value).Replace(manifest)
}

// gadgets are a custom kind with a schema.
const gadgets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.probe.example}
spec:
  group: probe.example
  scope: Namespaced
  names: {kind: Gadget, plural: gadgets, singular: gadget, listKind: GadgetList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}, scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [text]
            x-kubernetes-validations: [{rule: "!has(oldSelf.fixed) || has(self.fixed) && self.fixed == oldSelf.fixed", message: fixed cannot be changed}]
            properties:
              text: {type: string, maxLength: 20}
              size: {type: integer, minimum: 0, default: 1}
              mode: {type: string, enum: [fast, slow]}
              fixed: {type: string}
              ports: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name],
                items: {type: object, required: [name], properties: {name: {type: string}, port: {type: integer}}}}
          status: {type: object, x-kubernetes-preserve-unknown-fields: true}
`

// defineGadgets makes sure that the custom kind is served.
func (p *probe) defineGadgets() {
	p.t.Helper()
	p.define(gadgets)
	p.eventually(func() bool {
		return p.send(request{method: http.MethodGet, path: p.path("probe.example/v1", "Gadget", "")}).code == http.StatusOK
	})
}

// define makes a definition, which may be there, and waits until it is established.
func (p *probe) define(definition string) {
	p.t.Helper()
	p.make(definition)
	p.eventually(func() bool {
		// At first they are null.
		conditions, _, _ := unstructured.NestedSlice(p.send(p.get(definition)).object(p.t).Object, "status", "conditions")
		return slices.ContainsFunc(conditions, func(condition any) bool {
			fields, _ := condition.(map[string]any)
			return fields["type"] == "Established" && fields["status"] == "True"
		})
	})
}

// eventually waits for what the API server takes a moment for.
func (p *probe) eventually(done func() bool) {
	p.t.Helper()
	require.NoError(p.t, wait.PollUntilContextTimeout(p.t.Context(), 20*time.Millisecond, time.Minute, true,
		func(context.Context) (bool, error) { return done(), nil }))
}

// each asks the same about kinds of every sort. value is where the manifest has its VALUE.
func (p *probe) each(ask func(manifest string, value ...string)) {
	p.t.Helper()
	p.defineGadgets()
	for _, kind := range []struct {
		name, manifest string
		value          []string
	}{
		{"ConfigMap", configMap, []string{"data"}},
		{"ServiceAccount", account, []string{"metadata", "labels"}},
		{"Service", service, []string{"metadata", "labels"}},
		{"Deployment", deployment, []string{"spec", "template", "spec", "containers"}},
		{"custom kind", gadget, []string{"spec"}},
	} {
		p.topic("%s", kind.name)
		ask(kind.manifest, kind.value...)
	}
}

// withMetadata is a manifest with one more field in its metadata.
func withMetadata(manifest, format string, args ...any) string {
	return strings.Replace(manifest, "metadata: {", "metadata: {"+fmt.Sprintf(format, args...)+", ", 1)
}
