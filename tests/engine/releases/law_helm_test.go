package releases_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// The law of Helm. The objects of a release are those that "helm template" writes, field by field, but for what is drawn and for
// what the API server adds. Hooks have a law of their own.

func (p *play) judgeHelm(live [2]objects) {
	p.Helper()
	m := &p.m
	if m.absent {
		return
	}
	rendered := p.helmTemplate()
	for id, object := range rendered {
		if strings.HasPrefix(id, "Role") { // It belongs to the document of an operator.
			continue
		}
		d, known := p.documentNamed(id)
		require.True(p, known, "the test has no document %s", id)
		if d.hook != nil {
			continue
		}
		for _, f := range m.fieldsOf(d) {
			if f.isDrawn() {
				unset(object, "data", f.name)
				unset(object, "stringData", f.name)
			}
		}
		ours := live[m.space][id]
		if ours == nil {
			p.breaks("helm", nil, "helm template writes %s, which is not there", id)
			continue
		}
		unfold(object, ours.Object)
		if path := missing("", object, ours.Object); path != "" {
			p.breaks("helm", nil, "%s is not what helm template writes: %s", id, path)
		}
	}
	for _, d := range m.objects() {
		if rendered[d.idIn(m.releaseName())] == nil {
			p.breaks("helm", nil, "helm template does not write %s", d.idIn(m.releaseName()))
		}
	}
}

// helmTemplate are the objects that Helm renders, by kind and name.
func (p *play) helmTemplate() map[string]map[string]any {
	p.Helper()
	helm, err := cluster.Tool("helm")
	require.NoError(p, err)
	values, err := yaml.Marshal(p.m.values())
	require.NoError(p, err)
	file := filepath.Join(p.charts, "values.yaml")
	require.NoError(p, os.WriteFile(file, values, 0o600))
	cmd := exec.CommandContext(p.Context(), helm, "template", p.m.releaseName(), filepath.Join(p.charts, "web"),
		"--namespace", p.spaces[p.m.space], "--values", file)
	cmd.Env = append(os.Environ(), "HOME="+p.charts)
	var out, said strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &said
	require.NoError(p, cmd.Run(), "%s", &said)
	found := map[string]map[string]any{}
	for text := range strings.SplitSeq(out.String(), "\n---\n") {
		var object map[string]any
		require.NoError(p, yaml.Unmarshal([]byte(strings.TrimPrefix(text, "---\n")), &object), "%s", text)
		if len(object) == 0 {
			continue
		}
		found[fmt.Sprintf("%s/%s", object["kind"], object["metadata"].(map[string]any)["name"])] = object
	}
	return found
}

func unset(object map[string]any, in, field string) {
	if data, is := object[in].(map[string]any); is {
		delete(data, field)
	}
}

// unfold compares the data of Secrets as they are written.
func unfold(object, live map[string]any) {
	written, is := object["stringData"].(map[string]any)
	if !is {
		return
	}
	delete(object, "stringData")
	data, _ := live["data"].(map[string]any)
	for field, value := range written {
		if data[field] == needles(fmt.Sprint(value))[1] {
			continue
		}
		object["data"] = map[string]any{field: value}
	}
}

// missing is the first field of an object that another one has not.
func missing(path string, object, in any) string {
	switch object := object.(type) {
	case map[string]any:
		other, _ := in.(map[string]any)
		for field, value := range object {
			if value == nil {
				continue
			}
			if wrong := missing(path+"."+field, value, other[field]); wrong != "" {
				return wrong
			}
		}
	case []any:
		other, _ := in.([]any)
		if len(other) != len(object) {
			return path
		}
		for i := range object {
			if wrong := missing(fmt.Sprintf("%s[%d]", path, i), object[i], other[i]); wrong != "" {
				return wrong
			}
		}
	default:
		if !reflect.DeepEqual(object, in) && fmt.Sprint(object) != fmt.Sprint(in) {
			return fmt.Sprintf("%s is %v, not %v", path, in, object)
		}
	}
	return ""
}
