package ownership_test

import (
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// A Deployment that we applied. Another manager has added a sidecar, and the API server a default.
const deployment = `
metadata:
  name: web
  resourceVersion: "42"
  managedFields:
  - manager: ours
    operation: Apply
    apiVersion: apps/v1
    fieldsType: FieldsV1
    fieldsV1:
      f:spec:
        f:replicas: {}
        f:template:
          f:spec:
            f:containers:
              'k:{"name":"web"}': {.: {}, f:name: {}, f:image: {}}
              'k:{"name":"metrics"}': {.: {}, f:name: {}, f:image: {}}
spec:
  replicas: 3
  strategy: {type: RollingUpdate}
  template:
    spec:
      containers:
      - {name: sidecar, image: proxy:1}
      - {name: web, image: web:1, imagePullPolicy: IfNotPresent}
      - {name: metrics, image: metrics:1, imagePullPolicy: IfNotPresent}
`

// What the user wrote.
const applied = `
spec:
  replicas: 3
  template:
    spec:
      containers:
      - {name: web, image: web:1}
      - {name: metrics, image: metrics:1}
`

// read reads an object.
func read(text string) *unstructured.Unstructured {
	asJSON, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		panic(err)
	}
	object := &unstructured.Unstructured{}
	// Not encoding/json: whole numbers are int64 in what comes from an API server.
	if err := utiljson.Unmarshal(asJSON, &object.Object); err != nil {
		panic(err)
	}
	return object
}

// show prints a tree as YAML.
func show(tree any) {
	text, err := yaml.Marshal(tree)
	if err != nil {
		panic(err)
	}
	fmt.Print(string(text))
}

// The projection holds what we applied and nothing else: neither the sidecar of another manager, which stands before our
// container, nor the defaults of the API server.
func ExampleProject() {
	live := read(deployment)
	fields, _, err := ownership.Applied(live, "ours")
	if err != nil {
		panic(err)
	}
	show(ownership.Project(live.Object, fields, read(applied).Object))
	// Output:
	// spec:
	//   replicas: 3
	//   template:
	//     spec:
	//       containers:
	//       - image: web:1
	//         name: web
	//       - image: metrics:1
	//         name: metrics
}

// Drift is what differs between two projections on the same fields. List items are found by their keys, and what is wholly
// gone is one change.
func ExampleCompare() {
	live := read(deployment)
	fields, _, err := ownership.Applied(live, "ours")
	if err != nil {
		panic(err)
	}
	template := read(applied).Object
	before := ownership.Project(live.Object, fields, template)
	after := ownership.Project(read(`
spec:
  replicas: 5
  template:
    spec:
      containers:
      - {name: sidecar, image: proxy:2}
      - {name: metrics, image: metrics:1}
`).Object, fields, template)

	for _, change := range ownership.Compare(before, after, fields) {
		switch change.Kind {
		case ownership.Changed:
			fmt.Printf("%s: %v -> %v\n", ownership.Format(change.Path), change.Old, change.New)
		case ownership.Added:
			fmt.Printf("%s: added %v\n", ownership.Format(change.Path), change.New)
		case ownership.Removed:
			fmt.Printf("%s: removed %v\n", ownership.Format(change.Path), change.Old)
		}
	}
	// Output:
	// spec.replicas: 3 -> 5
	// spec.template.spec.containers[name=web]: removed map[image:web:1 name:web]
}

// Releasing a field edits managedFields and nothing else, so the value stays. The patch names the resourceVersion that was
// read: if the object has changed meanwhile, the API server answers 409.
func ExampleRelease() {
	live := read(deployment)
	replicas := fieldpath.NewSet(fieldpath.MakePathOrDie("spec", "replicas"))
	patch, err := ownership.Release("ours", replicas).Patch(live)
	if err != nil {
		panic(err)
	}
	var operations []struct {
		Path  string `json:"path"`
		Value any    `json:"value"`
	}
	if err := json.Unmarshal(patch, &operations); err != nil {
		panic(err)
	}
	for _, operation := range operations {
		fmt.Println(operation.Path + ":")
		show(operation.Value)
	}
	// Output:
	// /metadata/managedFields:
	// - apiVersion: apps/v1
	//   fieldsType: FieldsV1
	//   fieldsV1:
	//     f:spec:
	//       f:template:
	//         f:spec:
	//           f:containers:
	//             k:{"name":"metrics"}:
	//               .: {}
	//               f:image: {}
	//               f:name: {}
	//             k:{"name":"web"}:
	//               .: {}
	//               f:image: {}
	//               f:name: {}
	//   manager: ours
	//   operation: Apply
	// /metadata/resourceVersion:
	// "42"
}

// A takeover moves what the manifest sets from the entry of another manager to ours. The rest stays with the other manager.
func ExampleHandOver() {
	live := read(`
metadata:
  managedFields:
  - manager: helm
    operation: Apply
    apiVersion: v1
    fieldsType: FieldsV1
    fieldsV1: {f:data: {f:host: {}, f:port: {}}}
data: {host: db, port: "5432"}
`)
	shared := ownership.Shared(fieldpath.NewSet(fieldpath.MakePathOrDie("data", "host")))
	taken, err := ownership.HandOver("ours", func(_ metav1.ManagedFieldsEntry, owned *fieldpath.Set) ownership.Handover {
		return ownership.Handover{Moved: shared(owned)}
	})(live)
	if err != nil {
		panic(err)
	}
	for _, entry := range taken.GetManagedFields() {
		fmt.Println(entry.Manager, entry.FieldsV1.GetRawString())
	}
	// Output:
	// ours {"f:data":{"f:host":{}}}
	// helm {"f:data":{"f:port":{}}}
}
