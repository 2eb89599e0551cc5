package releases_test

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stretchr/testify/require"
)

// Names of what a program has beside charts and sets.
const (
	configName   = "beside"
	workloadName = "beside-web"
	foreignName  = "foreign" // of others, and patched
)

func choreName(m *model) string { return fmt.Sprintf("chore%d", m.chores) }

// write writes the chart and the program of the model.
func (p *play) write() {
	p.Helper()
	m := &p.m
	m.version++
	m.written, m.earlier = copies(m.documents), m.written
	folder := p.chart("web", fmt.Sprintf("1.%d.0", m.version), m.templates())
	resources := program{}
	if !m.absent {
		inputs := map[string]any{"namespace": p.spaces[m.space], "values": m.values()}
		inputs["values"].(map[string]any)["password"] = map[string]any{"fn::secret": secretValue}
		if m.release != "" {
			inputs["releaseName"] = m.release
		}
		if m.skipHooks {
			inputs["hooks"] = "skip"
		}
		if len(m.rotate) > 0 {
			inputs["rotate"] = m.rotate
		}
		r := p.release(folder, inputs)
		r.Options = options(m.former)
		resources[m.resource] = r
	}
	if len(m.set) > 0 {
		text := ""
		for _, d := range m.set {
			text += d.template(m.document)
		}
		r := p.life.set(text)
		r.Options = options(m.setFormer)
		resources[m.setName] = r
	}
	if m.chore != nil {
		r := p.task(choreName(m), m.chore.image, m.chore.runOn...)
		r.Properties["triggers"], r.Properties["timeout"] = []any{m.chore.rev}, "15s"
		resources[choreName(m)] = r
	}
	if m.config > 0 {
		p.beside(resources)
	}
	p.declare(resources)
}

// options are those of components: what hangs fails soon.
func options(former []string) map[string]any {
	all := map[string]any{"customTimeouts": map[string]any{"create": "15s", "update": "15s", "delete": "15s"}}
	aliases := []any{}
	for _, name := range former {
		aliases = append(aliases, map[string]any{"name": name})
	}
	if len(aliases) > 0 {
		all["aliases"] = aliases
	}
	return all
}

// beside declares resources of the other kinds.
func (p *play) beside(resources program) {
	rev := fmt.Sprint(p.m.config)
	object := func(text string) map[string]any { return map[string]any{"manifest": manifest(text, p.space)} }
	resources[configName] = resource{Type: "k8sconnect:KubeObject", Properties: object(plain("ConfigMap", configName, fmt.Sprintf("rev: %q", rev)))}
	resources[workloadName] = resource{
		Type: "k8sconnect:KubeObject", Properties: object(strings.Replace(workload(workloadName, configName), "web:1", "web:"+rev, 1)),
		Options: map[string]any{"dependsOn": []any{"${" + configName + "}"}},
	}
	resources["rolled-out"] = resource{Type: "k8sconnect:Wait", Properties: map[string]any{
		"resourceRef": "${" + workloadName + ".resourceRef}", "waitFor": map[string]any{"rollout": true},
	}}
	resources["patched"] = resource{Type: "k8sconnect:Patch", Properties: map[string]any{
		"target": map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "namespace": p.space, "name": foreignName},
		"patch":  map[string]any{"data": map[string]any{"patched": rev}}, "takeOwnership": true,
	}}
}

// makeForeign makes the object that a Patch changes.
func (p *play) makeForeign() {
	p.Helper()
	object := &unstructured.Unstructured{Object: manifest(plain("ConfigMap", foreignName, `own: "1"`), p.space)}
	_, err := played.client.Resource(resources["ConfigMap"]).Namespace(p.space).Create(p.Context(), object, metav1.CreateOptions{})
	require.NoError(p, err)
}
