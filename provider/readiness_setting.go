package provider

import (
	"fmt"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

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

// readinessRules is the setting.
var readinessRules = ruleSetting{
	key: keyReadiness, public: "a wait that fails shows the expression that is not true",
	example: `{ kinds: ["*.cert-manager.io"], expression: "…" }`,
	parts:   fieldtags.Names[ReadinessRule](), texts: []string{readiness.NameExpression, readiness.NameFailWhen},
}

// decodeRules reads the setting. It leaves out unknown values.
func decodeRules(setting property.Value) (*readiness.Rules, []p.CheckFailure) {
	var rules []readiness.UserRule
	var indexes []int // of the rules in the setting
	failures := readinessRules.each(setting, func(i int, parts property.Map, _ func(at, reason string)) {
		rules, indexes = append(rules, ruleOf(parts)), append(indexes, i)
	})
	compiled, problems := readiness.CompileRules(rules)
	for _, problem := range problems {
		at := fmt.Sprintf("%s[%d].%s", keyReadiness, indexes[problem.Rule], problem.Part)
		failures = append(failures, p.CheckFailure{Property: at, Reason: problem.Reason})
	}
	return compiled, failures
}

func ruleOf(parts property.Map) readiness.UserRule {
	return readiness.UserRule{
		Kinds:      values.Scalars(parts.Get(readiness.NameKinds)),
		Expression: values.Text(parts.Get(readiness.NameExpression)), FailWhen: values.Text(parts.Get(readiness.NameFailWhen)),
	}
}
