package probe_test

import (
	"fmt"
	"strings"
)

// immutableFields asks what proves that a field cannot be changed in place: the change of the live object is refused as
// a dry-run, and the same under a name that nobody has is accepted.
func immutableFields(p *probe) {
	p.defineGadgets()
	const (
		labelled = "selector: {matchLabels: {app: VALUE}}, template: {metadata: {labels: {app: VALUE}}, spec: {containers: [{name: main, image: nginx}]}}"
		selected = "selector: {matchLabels: {app: a}}, template: {metadata: {labels: {app: a}}, spec: {containers: [{name: main, image: nginx}]}}"
		port     = "ports: [{port: 80}]"
		job      = "{apiVersion: batch/v1, kind: Job, metadata: {name: NAME}, spec: {"
		claim    = "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: NAME}, spec: {accessModes: [ReadWriteOnce], "
	)
	for i, c := range []struct{ name, manifest, from, to string }{
		{"data of a ConfigMap that is immutable", "{apiVersion: v1, kind: ConfigMap, metadata: {name: NAME}, immutable: true, data: {a: VALUE}}", "b", "c"},
		{"type of a Secret", "{apiVersion: v1, kind: Secret, metadata: {name: NAME}, type: VALUE}", "Opaque", "probe.example/other"},
		{"data of a Secret that is immutable", "{apiVersion: v1, kind: Secret, metadata: {name: NAME}, immutable: true, data: {a: VALUE}}", "YQ==", "Yg=="},
		{"clusterIP of a Service", "{apiVersion: v1, kind: Service, metadata: {name: NAME}, spec: {clusterIP: VALUE, " + port + "}}", "10.96.7.6", "10.96.7.7"},
		{"clusterIP of a Service that is none", "{apiVersion: v1, kind: Service, metadata: {name: NAME}, spec: {clusterIP: VALUE, " + port + "}}", "10.96.7.8", "10.96.7.888"},
		{"nodePort that another Service holds", "{apiVersion: v1, kind: Service, metadata: {name: NAME}, spec: {type: NodePort, ports: [{port: 80, nodePort: VALUE}]}}", "31001", "31000"},
		{"variable of a Pod", pod, "a", "b"},
		{"activeDeadlineSeconds of a Pod that is none", "{apiVersion: v1, kind: Pod, metadata: {name: NAME}, spec: {activeDeadlineSeconds: VALUE, containers: [{name: main, image: nginx}]}}", "7", "-1"},
		{"selector of a Deployment", "{apiVersion: apps/v1, kind: Deployment, metadata: {name: NAME}, spec: {" + labelled + "}}", "a", "b"},
		{"selector of a DaemonSet", "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: NAME}, spec: {" + labelled + "}}", "a", "b"},
		{"serviceName of a StatefulSet", "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: NAME}, spec: {serviceName: VALUE, " + selected + "}}", "a", "b"},
		{"podManagementPolicy of a StatefulSet", "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: NAME}, spec: {podManagementPolicy: VALUE, " + selected + "}}", "OrderedReady", "Parallel"},
		{"volumeClaimTemplates of a StatefulSet", "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: NAME}, spec: {volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: VALUE}}}}], " + selected + "}}", "1Gi", "2Gi"},
		{"template of a Job", job + "template: {spec: {restartPolicy: Never, containers: [{name: main, image: VALUE}]}}}}", "a", "b"},
		{"completions of a Job", job + "completions: VALUE, template: {spec: {restartPolicy: Never, containers: [{name: main, image: a}]}}}}", "1", "2"},
		{"resources of a Job that is suspended", job + "suspend: true, template: {spec: {restartPolicy: Never, containers: [{name: main, image: a, resources: {requests: {cpu: VALUE}}}]}}}}", "1m", "2m"},
		{"storageClassName of a claim", claim + "storageClassName: VALUE, resources: {requests: {storage: 1Gi}}}}", "a", "b"},
		{"size of a claim that is not bound", claim + "storageClassName: a, resources: {requests: {storage: VALUE}}}}", "1Gi", "2Gi"},
		{"source of a volume", "{apiVersion: v1, kind: PersistentVolume, metadata: {name: probe-NAME}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], hostPath: {path: VALUE}}}", "/a", "/b"},
		{"parameters of a StorageClass", "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: probe-NAME}, provisioner: probe.example/it, parameters: {a: VALUE}}", "b", "c"},
		{"attachRequired of a CSIDriver", "{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: probe-NAME}, spec: {attachRequired: VALUE}}", "true", "false"},
		{"roleRef of a RoleBinding", "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: NAME}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: VALUE}}", "view", "edit"},
		{"value of a PriorityClass", "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: probe-NAME}, value: VALUE}", "7", "8"},
		{"handler of a RuntimeClass", "{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: probe-NAME}, handler: VALUE}", "a", "b"},
		{"class of an Ingress, which is not immutable", "{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: NAME}, spec: {ingressClassName: VALUE, defaultBackend: {service: {name: web, port: {number: 80}}}}}", "a", "b"},
		{"scope of a definition", "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: NAME.probe.example}, spec: {group: probe.example, scope: VALUE, names: {kind: One, plural: one, singular: one, listKind: OneList}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}}", "Cluster", "Namespaced"},
		{"field of a custom kind with a rule", "{apiVersion: probe.example/v1, kind: Gadget, metadata: {name: NAME}, spec: {text: a, fixed: VALUE}}", "a", "b"},
	} {
		p := p.in(fmt.Sprintf("immutable-%d", i))
		p.topic("%s", c.name)
		if c.to == "31000" {
			p.make(fill(c.manifest, "holder", c.to))
		}
		if one := fill(c.manifest, "one", c.from); strings.Contains(one, "CustomResourceDefinition") {
			p.define(one)
		} else {
			p.make(one)
		}
		p.ask("change", p.apply(fill(c.manifest, "one", c.to), dryRun, "force=true"))
		p.ask("the same as new", p.apply(onlyCreate(fill(c.manifest, "fresh", c.to)), dryRun, "force=true"))
	}
}
