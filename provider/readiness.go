package provider

import (
	"fmt"
	"slices"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/fieldtags"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/readiness"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

const keyReadiness = "readiness"

// ReadinessRule says when the objects of some kinds are ready.
type ReadinessRule struct {
	Kinds      []string `pulumi:"kinds"`
	Expression string   `pulumi:"expression"`
	FailWhen   *string  `pulumi:"failWhen,optional"`
}

var _ infer.Annotated = (*ReadinessRule)(nil)

// Annotate describes the type for the schema.
func (r *ReadinessRule) Annotate(a infer.Annotator) {
	a.SetToken("index", "ReadinessRule")
	a.Describe(&r, texts.Of("ReadinessRule"))
	texts.Describe(a, "ReadinessRule", r)
}

// ruleParts are the names of the parts of a rule.
var ruleParts = fieldtags.Names[ReadinessRule]()

// decodeRules reads the setting. It leaves out unknown values.
func decodeRules(setting property.Value) (*readiness.Rules, []p.CheckFailure) {
	var failures []p.CheckFailure
	fail := func(path, format string, args ...any) {
		failures = append(failures, p.CheckFailure{Property: keyReadiness + path, Reason: fmt.Sprintf(format, args...)})
	}
	setting = connection.UnpackList(setting)
	switch {
	case setting.IsNull(), setting.IsComputed():
		return nil, nil
	case setting.HasSecrets():
		fail("", "The rules must not be secret: a wait that fails shows the expression that is not true.")
		return nil, failures
	case !setting.IsArray():
		fail("", "The value must be a list of rules such as { kinds: [\"*.cert-manager.io\"], expression: \"…\" }.")
		return nil, failures
	}
	var rules []readiness.UserRule
	var indexes []int // of the rules in the setting
	for i, item := range setting.AsArray().All {
		path := fmt.Sprintf("[%d]", i)
		if item.IsComputed() {
			continue
		}
		if !item.IsMap() {
			fail(path, "The value must be a rule such as { kinds: [\"*.cert-manager.io\"], expression: \"…\" }.")
			continue
		}
		before := len(failures)
		for key, part := range item.AsMap().AllStable {
			switch {
			case !slices.Contains(ruleParts, key):
				fail(path+"."+key, "There is no %q in a rule. There are %s.", key, strings.Join(ruleParts, ", "))
			case part.HasComputed(), part.IsNull():
			case key == readiness.NameKinds && !isTexts(part):
				fail(path+"."+key, "The value must be a list of texts.")
			case key != readiness.NameKinds && !part.IsString():
				fail(path+"."+key, "The value must be a text.")
			}
		}
		if item.HasComputed() || len(failures) > before {
			continue
		}
		rules, indexes = append(rules, ruleOf(item.AsMap())), append(indexes, i)
	}
	compiled, problems := readiness.CompileRules(rules)
	for _, problem := range problems {
		fail(fmt.Sprintf("[%d].%s", indexes[problem.Rule], problem.Part), "%s", problem.Reason)
	}
	return compiled, failures
}

func ruleOf(parts property.Map) readiness.UserRule {
	return readiness.UserRule{
		Kinds:      values.Scalars(parts.Get(readiness.NameKinds)),
		Expression: values.Text(parts.Get(readiness.NameExpression)), FailWhen: values.Text(parts.Get(readiness.NameFailWhen)),
	}
}

func isTexts(value property.Value) bool {
	return value.IsArray() && !slices.ContainsFunc(value.AsArray().AsSlice(), func(item property.Value) bool { return !item.IsString() })
}
