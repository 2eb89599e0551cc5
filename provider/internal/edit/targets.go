package edit

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/resid"
)

// place returns the path of an item of a list.
func place(list string, index int) string { return fmt.Sprintf("%s[%d]", list, index) }

// targetField is a field of a target that is set.
type targetField struct {
	name, value string
	selector    bool
}

func (t Target) fields() []targetField {
	var given []targetField
	for _, field := range []targetField{
		{"group", t.Group, false}, {"version", t.Version, false}, {"kind", t.Kind, false},
		{"name", t.Name, false}, {"namespace", t.Namespace, false},
		{"labelSelector", t.LabelSelector, true}, {"annotationSelector", t.AnnotationSelector, true},
	} {
		if field.value != "" {
			given = append(given, field)
		}
	}
	return given
}

// String names the target in mistakes.
func (t Target) String() string {
	var fields []string
	for _, field := range t.fields() {
		fields = append(fields, fmt.Sprintf("%s %q", field.name, field.value))
	}
	return "the target with " + cmp.Or(strings.Join(fields, ", "), "no fields")
}

// mistake says what is wrong with the target.
func (t Target) mistake(path string) *Mistake {
	for _, field := range t.fields() {
		if field.selector {
			if _, err := labels.Parse(field.value); err != nil {
				return &Mistake{Path: path + "." + field.name, Reason: fmt.Sprintf("%q is no selector; write one such as app=web,tier!=cache", field.value)}
			}
		} else if _, err := regexp.Compile("^(?:" + field.value + ")$"); err != nil {
			return &Mistake{Path: path + "." + field.name, Reason: fmt.Sprintf("%q is no regular expression; write one such as web-.*", field.value)}
		}
	}
	return nil
}

func (t Target) selector() types.Selector {
	return types.Selector{
		ResId: resid.ResId{
			Gvk:  resid.Gvk{Group: t.Group, Version: t.Version, Kind: t.Kind},
			Name: t.Name, Namespace: t.Namespace,
		},
		LabelSelector: t.LabelSelector, AnnotationSelector: t.AnnotationSelector,
	}
}

// described names the object that a patch is for.
func described(id resid.ResId) string {
	name := strings.TrimSpace(id.ApiVersion() + " " + id.Kind + " " + id.Name)
	if id.Namespace != "" {
		name += " in the namespace " + id.Namespace
	}
	return name
}
