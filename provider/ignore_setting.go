package provider

import (
	"fmt"
	"slices"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/fieldtags"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/object"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// The setting and its parts.
const (
	keyIgnore      = "ignore"
	partKinds      = "kinds"
	partNamespaces = "namespaces"
	partFields     = "fields"
	partManagers   = "managers"
)

// IgnoreRule says what is left to others of the objects of some kinds.
type IgnoreRule struct {
	Kinds      []string `pulumi:"kinds"`
	Namespaces []string `pulumi:"namespaces,optional"`
	Fields     []string `pulumi:"fields,optional"`
	Managers   []string `pulumi:"managers,optional"`
}

var _ infer.Annotated = (*IgnoreRule)(nil)

// Annotate describes the type for the schema.
func (r *IgnoreRule) Annotate(a infer.Annotator) {
	a.SetToken("index", "IgnoreRule")
	a.Describe(&r, texts.Of("IgnoreRule"))
	texts.Describe(a, "IgnoreRule", r)
}

// ignoreRules is the setting.
var ignoreRules = ruleSetting{
	key: keyIgnore, public: "previews show which fields they hide",
	example: `{ kinds: ["Deployment.apps"], managers: ["kube-controller-manager"] }`,
	parts:   fieldtags.Names[IgnoreRule](),
}

// ignoreRule is a rule that was read.
type ignoreRule struct {
	kinds      kinds.Selection
	namespaces []string
	ignored    object.Ignored
}

// Ignored returns what all rules together say of an object.
func (c *Configuration) Ignored(id manifest.Identity) object.Ignored {
	var ignored object.Ignored
	rules, _ := c.ignore.Load().([]ignoreRule)
	for _, rule := range rules {
		if !rule.kinds.Has(id.GroupKind()) || len(rule.namespaces) > 0 && !slices.Contains(rule.namespaces, id.Namespace) {
			continue
		}
		ignored.Fields = append(ignored.Fields, rule.ignored.Fields...)
		for _, manager := range rule.ignored.Managers {
			if !ignored.Managers.Names(manager) {
				ignored.Managers = append(ignored.Managers, manager)
			}
		}
	}
	return ignored
}

// decodeIgnore reads the setting. It leaves out rules with unknown values.
func decodeIgnore(setting property.Value) (rules []ignoreRule, failures []p.CheckFailure) {
	failures = ignoreRules.each(setting, func(_ int, parts property.Map, fail func(at, reason string)) {
		if rule, ok := decodeIgnoreRule(parts, fail); ok {
			rules = append(rules, rule)
		}
	})
	return rules, failures
}

// decodeIgnoreRule reads one rule. ok means that it is correct.
func decodeIgnoreRule(parts property.Map, fail func(at, reason string)) (rule ignoreRule, ok bool) {
	ok = true
	wrong := func(at, reason string) {
		fail(at, reason)
		ok = false
	}
	selected := values.Scalars(parts.Get(partKinds))
	if len(selected) == 0 {
		wrong("."+partKinds, "Name the kinds that the rule is for, such as Deployment.apps or *.cert-manager.io.")
	}
	for i, name := range selected {
		kind, err := kinds.ParseSelection(name)
		if err != nil {
			wrong(fmt.Sprintf(".%s[%d]", partKinds, i), err.Error())
		}
		rule.kinds = append(rule.kinds, kind...)
	}
	rule.namespaces = values.Scalars(parts.Get(partNamespaces))
	fields := values.Scalars(parts.Get(partFields))
	for i, path := range fields {
		pattern, err := ownership.ParsePattern(path)
		if err != nil {
			wrong(fmt.Sprintf(".%s[%d]", partFields, i), err.Error())
		}
		rule.ignored.Fields = append(rule.ignored.Fields, pattern)
	}
	managers := parts.Get(partManagers)
	tracked.CheckIgnoredManagers(managers, "", nil, func(at, reason string) { wrong("."+partManagers+at, reason) })
	rule.ignored.Managers, _ = tracked.DecodeIgnoredManagers(managers)
	if len(fields) == 0 && len(rule.ignored.Managers) == 0 && ok {
		wrong("", "Name what the rule ignores, in fields or in managers.")
	}
	return rule, ok
}
