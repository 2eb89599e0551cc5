package lives_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// worldLabel is the label by which a namespace is in a world: all policies of the world select it, and nothing else.
const worldLabel = "lives.example.com/world"

// world is an admission that is in force in the namespaces that are in it.
type world struct {
	// at are the operations at which the mutation is made, and resources those that it is made to, by API group.
	at        string
	resources map[string]string
	// when is a CEL condition, and mutation a CEL list of JSONPatch: see MutatingAdmissionPolicy.
	when, mutation string
	// refuses is the CEL condition of an update that is refused.
	refuses string
	// rewrites says that what it does changes fields that a program may set, so that the object is not what the program says.
	rewrites bool
}

// worlds are the worlds by name. plain has no admission of its own.
var worlds = map[string]world{
	"plain": {},
	"mirror-at-create": {
		at: "CREATE", resources: map[string]string{"": "pods", "batch": "jobs", "apps": "deployments,statefulsets"}, rewrites: true,
		when:     `!` + podSpec + `.containers[0].image.startsWith("mirror.example/")`,
		mutation: `[JSONPatch{op: "replace", path: ` + podPath + ` + "/containers/0/image", value: "mirror.example/" + ` + podSpec + `.containers[0].image}]`,
	},
	"mirror-always": {
		at: "CREATE, UPDATE", resources: map[string]string{"batch": "jobs", "apps": "deployments,statefulsets"}, rewrites: true,
		when:     `!` + podSpec + `.containers[0].image.startsWith("mirror.example/")`,
		mutation: `[JSONPatch{op: "replace", path: ` + podPath + ` + "/containers/0/image", value: "mirror.example/" + ` + podSpec + `.containers[0].image}]`,
	},
	"labels-at-update": {
		at: "UPDATE", resources: map[string]string{"": "configmaps,secrets,services", "apps": "deployments"},
		when:     `!has(object.metadata.labels) || !("touched" in object.metadata.labels)`,
		mutation: `has(object.metadata.labels) ? [JSONPatch{op: "add", path: "/metadata/labels/touched", value: "yes"}] : [JSONPatch{op: "add", path: "/metadata/labels", value: {"touched": "yes"}}]`,
	},
	"claims-completed": {
		at: "CREATE", resources: map[string]string{"apps": "statefulsets"}, rewrites: true,
		when:     `has(object.spec.volumeClaimTemplates) && object.spec.volumeClaimTemplates.exists(c, !has(c.spec.storageClassName))`,
		mutation: `[JSONPatch{op: "add", path: "/spec/volumeClaimTemplates/0/spec/storageClassName", value: "growing"}]`,
	},
	"gated": {
		at: "CREATE, UPDATE", resources: map[string]string{"": "configmaps", "apps": "deployments"}, rewrites: true,
		when:     `object.kind == "ConfigMap" ? has(object.data) && "gated" in object.data : has(object.spec.template.spec.hostname)`,
		mutation: `[JSONPatch{op: "remove", path: object.kind == "ConfigMap" ? "/data/gated" : "/spec/template/spec/hostname"}]`,
	},
	"no-scaling-down": {
		at: "UPDATE", resources: map[string]string{"apps": "deployments,statefulsets"},
		refuses: `has(oldObject.spec.replicas) && has(object.spec.replicas) && object.spec.replicas < oldObject.spec.replicas`,
	},
	"no-new-images": {
		at: "UPDATE", resources: map[string]string{"apps": "deployments,statefulsets"},
		refuses: `object.spec.template.spec.containers.exists(c, oldObject.spec.template.spec.containers.exists(o, o.name == c.name && o.image != c.image))`,
	},
}

// mirror begins the images that admission rewrites.
const mirror = "mirror.example/"

// podSpec is the pod of an object of any kind that has one, and podPath where it is.
const (
	podSpec = `(object.kind == "Pod" ? object.spec : object.spec.template.spec)`
	podPath = `(object.kind == "Pod" ? "/spec" : "/spec/template/spec")`
)

// probe is the name of the ConfigMap that every policy reacts to, so that one sees that it is in force.
const probe = "probe"

// policies are the objects of a world.
func (w world) policies(name string) []string {
	if w.at == "" {
		return nil
	}
	rules := `[{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}`
	for _, group := range slices.Sorted(maps.Keys(w.resources)) {
		rules += fmt.Sprintf(`, {apiGroups: [%q], apiVersions: [v1], operations: [%s], resources: [%s]}`, group, w.at, w.resources[group])
	}
	kind, rest := "MutatingAdmissionPolicy", fmt.Sprintf(`
  reinvocationPolicy: Never
  matchConditions: [{name: ours, expression: %q}]
  mutations: [{patchType: JSONPatch, jsonPatch: {expression: %q}}]
`, `object.metadata.name == "probe" || (`+w.condition()+`)`,
		`object.metadata.name == "probe" ? [JSONPatch{op: "add", path: "/data", value: {"probe": "seen"}}] : `+w.mutation)
	enforced := ""
	if w.refuses != "" {
		kind, enforced = "ValidatingAdmissionPolicy", ", validationActions: [Deny]"
		rest = fmt.Sprintf(`
  validations: [{expression: %q, message: %q}]
`, `object.metadata.name != "probe" && !(`+w.condition()+`)`, "refused by the world "+name)
	}
	return []string{fmt.Sprintf(`
apiVersion: admissionregistration.k8s.io/v1
kind: %s
metadata: {name: lives-%s}
spec:
  failurePolicy: Fail
  matchConstraints:
    namespaceSelector: {matchLabels: {%s: %s}}
    resourceRules: %s]%s`, kind, name, worldLabel, name, rules, rest), fmt.Sprintf(`
apiVersion: admissionregistration.k8s.io/v1
kind: %sBinding
metadata: {name: lives-%s}
spec: {policyName: lives-%s%s}
`, kind, name, name, enforced)}
}

// condition is about objects that are not the probe. It is asked of every ConfigMap that is made, since the probe is one.
func (w world) condition() string {
	if w.refuses != "" {
		return `request.operation == "UPDATE" && ` + w.refuses
	}
	others := ""
	if !strings.Contains(w.resources[""], "configmaps") {
		others = `object.kind != "ConfigMap" && `
	}
	return fmt.Sprintf(`%srequest.operation in ["%s"] && (%s)`, others, strings.ReplaceAll(w.at, ", ", `", "`), w.when)
}

// install makes the custom kinds, the classes and the worlds, and waits until they are in force.
func install(ctx context.Context) error {
	all := slices.Clone(furniture)
	for name, w := range worlds {
		all = append(all, w.policies(name)...)
	}
	for _, text := range all {
		body := parse(text)
		if err := put(ctx, "", body); err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
	}
	for name, w := range worlds {
		if w.at == "" {
			continue
		}
		if err := w.await(ctx, name); err != nil {
			return fmt.Errorf("world %s is not in force: %w", name, err)
		}
	}
	return eventually(ctx, func() bool {
		for _, kind := range []string{"Sized", "Plain"} {
			if _, err := client(kind, "default").List(ctx, metav1.ListOptions{}); err != nil {
				return false
			}
		}
		return true
	})
}

// put applies an object as the manager of the furniture.
func put(ctx context.Context, namespace string, body m) error {
	_, err := client(body["kind"].(string), namespace).Apply(ctx, body["metadata"].(m)["name"].(string),
		&unstructured.Unstructured{Object: body}, metav1.ApplyOptions{FieldManager: "lives", Force: true})
	return err
}

// await waits until all that a world has reacts to the probe.
func (w world) await(ctx context.Context, name string) error {
	namespace := "world-" + name
	home := parsef(`{apiVersion: v1, kind: Namespace, metadata: {name: %s, labels: {%s: %s}}}`, namespace, worldLabel, name)
	if err := put(ctx, "", home); err != nil {
		return err
	}
	return eventually(ctx, func() bool {
		made, err := client("ConfigMap", namespace).Create(ctx, &unstructured.Unstructured{Object: parsef(
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: %s}}`, probe)}, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if w.refuses != "" {
			return err != nil && bytes.Contains([]byte(err.Error()), []byte("refused by the world"))
		}
		return err == nil && made.Object["data"] != nil
	})
}

// leave takes a namespace out of its world, and waits until that is in force.
func (p *place) leave() {
	p.Helper()
	body := fmt.Sprintf(`{"metadata":{"labels":{%q:"plain"}}}`, worldLabel)
	_, err := client("Namespace", "").Patch(p.Context(), p.namespace, types.MergePatchType, []byte(body), metav1.PatchOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		p.Errorf("the namespace cannot leave its world: %v", err)
		p.FailNow()
	}
	p.eventually("the namespace has left its world", func() bool {
		made, err := client("ConfigMap", p.namespace).Create(p.Context(), &unstructured.Unstructured{Object: parsef(
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: %s}}`, probe)}, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err == nil && made.Object["data"] == nil
	})
}

// furniture is what all worlds share.
var furniture = []string{`
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: growing}
provisioner: lives.example.com/by-hand
allowVolumeExpansion: true
volumeBindingMode: Immediate
`, `
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: sandboxed}
handler: sandbox
scheduling:
  nodeSelector: {sandbox: "yes"}
  tolerations: [{key: sandbox, operator: Exists, effect: NoSchedule}]
`, definition("Sized", `, x-kubernetes-validations: [{rule: "self >= oldSelf", message: "size cannot shrink"}]`), definition("Plain", "")}

// definition is that of a custom kind without a status subresource, whose size may have rules.
func definition(kind, rules string) string {
	return fmt.Sprintf(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %[2]ss.lives.example.com}
spec:
  group: lives.example.com
  scope: Namespaced
  names: {kind: %[1]s, plural: %[2]ss, singular: %[2]s}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: integer%[3]s}
              color: {type: string}
              units:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items:
                  type: object
                  required: [name]
                  properties: {name: {type: string}, size: {type: integer}}
          status: {type: object, x-kubernetes-preserve-unknown-fields: true}
`, kind, strings.ToLower(kind), rules)
}
