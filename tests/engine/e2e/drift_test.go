package e2e

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const workload = `
resources:
  web:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: apps/v1
        kind: Deployment
        metadata:
          name: web
          namespace: %s
          labels: {tier: front, team: blue}
          annotations: {example.com/note: keep}
        spec:
          replicas: 2
          selector: {matchLabels: {app: web}}
          template:
            metadata: {labels: {app: web}}
            spec:
              nodeSelector: {disk: ssd, zone: a}
              containers:
                - name: main
                  image: nginx:1.29
                  args: [-g, daemon off;]
                  env:
                    - {name: A, value: "1"}
                    - {name: B, value: "2"}
                - name: side
                  image: busybox:1
`

func TestDrift(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
	id := "apps/v1/Deployment/" + space + "/web"
	s.program(t, workload, space)
	s.up(t)

	for _, drift := range []struct {
		name    string
		disturb func(t *testing.T)
		diff    []string
		path    []any
		want    any
	}{
		{
			"a changed label is found and put right [O20, O29]",
			func(t *testing.T) { k.merge(t, id, `{metadata: {labels: {team: red}}}`) },
			[]string{`~ team: "red" => "blue"`},
			[]any{"metadata", "labels"}, map[string]any{"tier": "front", "team": "blue"},
		}, {
			"a removed label is found and put right [O20, O29]",
			func(t *testing.T) { k.merge(t, id, `{metadata: {labels: {tier: null}}}`) },
			[]string{`+ tier: "front"`},
			[]any{"metadata", "labels"}, map[string]any{"tier": "front", "team": "blue"},
		}, {
			"a dotted key is compared and applied [O25, O29]",
			func(t *testing.T) { k.merge(t, id, `{metadata: {annotations: {example.com/note: lose}}}`) },
			[]string{`~ example.com/note: "lose" => "keep"`},
			[]any{"metadata", "annotations", "example.com/note"}, "keep",
		}, {
			"a change in a nested map is found and put right [O20]",
			func(t *testing.T) {
				k.merge(t, id, `{spec: {template: {spec: {nodeSelector: {disk: hdd, zone: null}}}}}`)
			},
			[]string{`~ disk: "hdd" => "ssd"`, `+ zone: "a"`},
			[]any{"spec", "template", "spec", "nodeSelector"}, map[string]any{"disk": "ssd", "zone": "a"},
		}, {
			"a change in an item of a keyed list is found and put right [O20]",
			func(t *testing.T) {
				k.jsonPatch(t, id, `[{op: replace, path: /spec/template/spec/containers/1/image, value: "busybox:2"}]`)
			},
			[]string{`~ image: "busybox:2" => "busybox:1"`},
			[]any{"spec", "template", "spec", "containers", 1, "image"}, "busybox:1",
		}, {
			"a removed item of a keyed list is found and put right [O20]",
			func(t *testing.T) {
				k.jsonPatch(t, id, `[{op: remove, path: /spec/template/spec/containers/0/env/1}]`)
			},
			[]string{`+ name: "B"`, `+ value: "2"`},
			[]any{"spec", "template", "spec", "containers", 0, "env", 1, "value"}, "2",
		}, {
			"a changed plain list is found and put right [O20]",
			func(t *testing.T) {
				k.jsonPatch(t, id, `[{op: add, path: /spec/template/spec/containers/0/args/-, value: -q}]`)
			},
			nil, // how the CLI shows a list is its own affair
			[]any{"spec", "template", "spec", "containers", 0, "args"}, []any{"-g", "daemon off;"},
		},
	} {
		step(t, drift.name, func(t *testing.T) {
			drift.disturb(t)
			out := s.preview(t)
			assert.Contains(t, out, "~ 1 to update")
			if drift.diff != nil {
				assert.Equal(t, drift.diff, changedLines(out), out)
			}
			s.up(t)
			assert.Equal(t, drift.want, k.value(t, id, drift.path...))
			s.previewEmpty(t)
		})
	}

	step(t, "a field that another manager has taken is taken back, though its value is right again [O20]", func(t *testing.T) {
		manifest := func(replicas int) string {
			return fmt.Sprintf("{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: %s}, spec: {replicas: %d}}",
				space, replicas)
		}
		k.apply(t, id, "thief", manifest(7))
		k.apply(t, id, "thief", manifest(2))
		assert.False(t, owns(k.get(t, id), "k8sconnect-", "f:replicas"))
		assert.Contains(t, s.preview(t), "~ 1 to update")
		s.up(t)
		assert.True(t, owns(k.get(t, id), "k8sconnect-", "f:replicas"))
		s.previewEmpty(t)
	})

	step(t, "foreign labels and fields are not drift", func(t *testing.T) {
		k.merge(t, id, `{metadata: {labels: {theirs: x}, annotations: {theirs: x}}, spec: {minReadySeconds: 5}}`)
		s.previewEmpty(t)
		assert.Equal(t, "x", k.value(t, id, "metadata", "labels", "theirs"))
	})
}

// owns reports whether a manager whose name begins with prefix owns a field of the spec.
func owns(object *unstructured.Unstructured, prefix, field string) bool {
	for _, entry := range object.GetManagedFields() {
		if len(entry.Manager) < len(prefix) || entry.Manager[:len(prefix)] != prefix || entry.FieldsV1 == nil {
			continue
		}
		if at(parse(entry.FieldsV1.GetRawBytes()), "f:spec", field) != nil {
			return true
		}
	}
	return false
}

func TestKeysAndSets(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, space := kubeOf(t, c), c.Namespace(t)

	t.Run("keys with dots are applied, compared and removed [O25]", func(t *testing.T) {
		s := newStack(t)
		id := "v1/ConfigMap/" + space + "/dotted"
		s.program(t, "resources:"+configMapResource("dotted", "dotted", space,
			`{app.properties: "a=1", "a.b.c": x, a-b_c.d: y, _: z}`))
		s.up(t)
		k.merge(t, id, `{data: {app.properties: "a=2", a-b_c.d: null}}`)
		out := s.preview(t)
		assert.ElementsMatch(t, []string{`~ app.properties: "a=2" => "a=1"`, `+ a-b_c.d: "y"`}, changedLines(out), out)
		s.program(t, "resources:"+configMapResource("dotted", "dotted", space, `{app.properties: "a=3", a-b_c.d: y, _: z}`))
		s.up(t)
		assert.Equal(t, map[string]any{"app.properties": "a=3", "a-b_c.d": "y", "_": "z"}, k.value(t, id, "data"))
		s.previewEmpty(t)
	})

	t.Run("finalizers, a list that is a set, are compared as one [O27]", func(t *testing.T) {
		s := newStack(t)
		id := "v1/ConfigMap/" + space + "/held"
		program := `
resources:
  held:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: held, namespace: %s, finalizers: %s}
`
		s.program(t, program, space, "[example.com/one, example.com/two]")
		s.up(t)
		s.previewEmpty(t)

		k.merge(t, id, `{metadata: {finalizers: [example.com/theirs, example.com/two]}}`)
		out := s.preview(t)
		assert.Contains(t, out, "~ 1 to update")
		assert.Contains(t, out, "example.com/one")
		s.up(t)
		assert.ElementsMatch(t, []string{"example.com/theirs", "example.com/one", "example.com/two"}, k.get(t, id).GetFinalizers())
		s.previewEmpty(t)

		s.program(t, program, space, "[]")
		s.up(t)
		assert.Equal(t, []string{"example.com/theirs"}, k.get(t, id).GetFinalizers(), "theirs stays")
		s.previewEmpty(t)
		k.merge(t, id, `{metadata: {finalizers: null}}`)
		s.destroy(t)
		k.gone(t, id)
	})

	t.Run("a Secret's stringData is seen when it changes, and so is drift of its data [O26]", func(t *testing.T) {
		s := newStack(t)
		id := "v1/Secret/" + space + "/strings"
		program := `
resources:
  strings:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: Secret
        metadata: {name: strings, namespace: %s}
        stringData: {user: admin, password: %s}
        data: {binary: AAEC}
`
		s.program(t, program, space, "first")
		s.up(t)
		assert.Equal(t, map[string]any{"user": "YWRtaW4=", "password": "Zmlyc3Q=", "binary": "AAEC"}, k.value(t, id, "data"))
		s.previewEmpty(t)

		s.program(t, program, space, "second")
		out := s.preview(t)
		assert.Contains(t, out, "~ 1 to update")
		assert.NotRegexp(t, `first|second|Zmlyc3Q|c2Vjb25k`, out)
		s.up(t)
		assert.Equal(t, "c2Vjb25k", k.value(t, id, "data", "password"))
		s.previewEmpty(t)

		k.merge(t, id, `{data: {password: aGFja2Vk, binary: AAED}}`)
		assert.Contains(t, s.preview(t), "~ 1 to update")
		s.up(t)
		assert.Equal(t, map[string]any{"user": "YWRtaW4=", "password": "c2Vjb25k", "binary": "AAEC"}, k.value(t, id, "data"))
		s.previewEmpty(t)
	})
}

func TestNoDrift(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
	s.program(t, `
resources:
  service:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: Service
        metadata: {name: svc, namespace: %[1]s}
        spec: {type: NodePort, selector: {app: web}, ports: [{name: http, port: 80}, {name: dns, port: 53, protocol: UDP}]}
  quota:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: ResourceQuota
        metadata: {name: quota, namespace: %[1]s}
        spec: {hard: {requests.cpu: 1000m, requests.memory: 1024Mi, limits.memory: "2147483648", pods: 10}}
  claim:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: PersistentVolumeClaim
        metadata: {name: claim, namespace: %[1]s}
        spec: {accessModes: [ReadWriteOnce], storageClassName: none, resources: {requests: {storage: 1024Mi}}}
  web:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: web, namespace: %[1]s, creationTimestamp: null}
        spec:
          selector: {matchLabels: {app: web}}
          template:
            metadata: {labels: {app: web}, creationTimestamp: null}
            spec:
              containers:
                - name: main
                  image: nginx
                  resources: {requests: {cpu: 0.5, memory: 1024Mi}, limits: {cpu: 1000m, memory: 1.5Gi}}
                  ports: [{containerPort: 80}]
        status: {}
`, space)
	s.up(t)
	service, quota := "v1/Service/"+space+"/svc", "v1/ResourceQuota/"+space+"/quota"

	step(t, "nodePort, clusterIP, defaults and the spelling of quantities are not drift [O22, O23]", func(t *testing.T) {
		assert.NotEmpty(t, k.value(t, service, "spec", "clusterIP"))
		assert.NotZero(t, k.value(t, service, "spec", "ports", 0, "nodePort"))
		assert.Equal(t, "1Gi", k.value(t, quota, "spec", "hard", "requests.memory"), "the API server spells it its way")
		s.previewEmpty(t)
	})
	step(t, "nor after a refresh, nor for the next up [O22, O23]", func(t *testing.T) {
		versions := map[string]string{}
		for name, r := range s.export(t).resources {
			versions[name] = k.get(t, r.ID).GetResourceVersion()
		}
		s.refresh(t)
		s.previewEmpty(t)
		s.up(t, "--expect-no-changes")
		for name, r := range s.export(t).resources {
			if name == "service" || name == "claim" { // nobody else writes these
				assert.Equal(t, versions[name], k.get(t, r.ID).GetResourceVersion(), name)
			}
		}
	})
	step(t, "another spelling in the program is no difference [O23]", func(t *testing.T) {
		text, err := readFile(s.dir, "Pulumi.yaml")
		assert.NoError(t, err)
		s.file(t, "Pulumi.yaml", replaceAll(text, "1000m", `"1"`, "1024Mi", "1Gi", "cpu: 0.5", "cpu: 500m"))
		s.previewEmpty(t)
	})
	step(t, "another quantity is [O23]", func(t *testing.T) {
		k.merge(t, quota, `{spec: {hard: {requests.memory: 2Gi}}}`)
		out := s.preview(t)
		assert.Equal(t, []string{`~ requests.memory: "2Gi" => "1Gi"`}, changedLines(out), out)
		s.up(t)
		assert.Equal(t, "1Gi", k.value(t, quota, "spec", "hard", "requests.memory"))
	})
}
