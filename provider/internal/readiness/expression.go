package readiness

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/google/cel-go/cel"
	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/ext"
)

// evaluationLimit bounds the time of one evaluation. It is far above what reading the largest possible object takes,
// and stops nested loops over it. CEL's cost limit does not help: counting the cost takes time that grows with the
// square of a list's length.
const evaluationLimit = 5 * time.Second

// environment is what an expression can use: the variable object, CEL's standard library
// (https://github.com/google/cel-spec), optional fields (object.?status), and the string, list, set and math
// functions.
var environment = sync.OnceValues(func() (*cel.Env, error) {
	return cel.NewEnv(
		cel.Variable("object", cel.MapType(cel.StringType, cel.DynType)),
		cel.OptionalTypes(), cel.CrossTypeNumericComparisons(true),
		ext.Strings(), ext.Lists(), ext.Sets(), ext.Math(),
	)
})

// expression is a CEL expression about an object.
type expression struct {
	text    string
	program cel.Program
	status  bool
}

// readsStatus reports whether the expression may look below status.
func (e *expression) readsStatus() bool { return e.status }

// mayReadStatus examines every use of the variable object in an expression. Any use may reach the status, except
// selecting another field by its name.
func mayReadStatus(root celast.Expr) bool {
	elsewhere := map[int64]bool{} // the uses of object that select another field
	may := false
	celast.PreOrderVisit(root, celast.NewExprVisitor(func(e celast.Expr) {
		switch e.Kind() {
		case celast.SelectKind:
			if operand := e.AsSelect().Operand(); e.AsSelect().FieldName() != "status" {
				elsewhere[operand.ID()] = true
			}
		case celast.IdentKind:
			may = may || e.AsIdent() == "object" && !elsewhere[e.ID()]
		}
	}))
	return may
}

func parseExpression(text string) (*expression, error) {
	env, err := environment()
	if err != nil {
		return nil, err
	}
	ast, issues := env.Compile(text)
	if issues.Err() != nil {
		return nil, errors.New(strings.ReplaceAll(issues.Err().Error(), "ERROR: <input>:", "at "))
	}
	if kind := ast.OutputType(); !kind.IsExactType(cel.BoolType) && !kind.IsExactType(cel.DynType) {
		return nil, fmt.Errorf("the expression gives %s and not true or false", kind)
	}
	// All loops check the clock at each step: an outer loop would take the interruption of an inner one for a failed
	// step, and continue.
	program, err := env.Program(ast, cel.InterruptCheckFrequency(1), cel.EvalOptions(cel.OptOptimize))
	if err != nil {
		return nil, err
	}
	return &expression{text, program, mayReadStatus(ast.NativeRep().Expr())}, nil
}

// evaluate says whether the expression is true. It is not while fields that it reads are missing, and the error says
// so.
func (e *expression) evaluate(object map[string]any) (bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), evaluationLimit)
	defer cancel()
	result, _, err := e.program.ContextEval(ctx, map[string]any{"object": object})
	if err != nil && ctx.Err() != nil {
		return false, fmt.Errorf("evaluating it takes longer than %s", evaluationLimit)
	}
	if err != nil {
		return false, err
	}
	if result.Type() != types.BoolType {
		return false, fmt.Errorf("it gives %s and not true or false", result.Type().TypeName())
	}
	return result.Value() == true, nil
}

// expressionCriterion holds when an expression is true.
type expressionCriterion struct{ *expression }

func (c expressionCriterion) String() string { return c.text }

func (c expressionCriterion) missing(object map[string]any) string {
	switch holds, err := c.evaluate(object); {
	case err != nil:
		return fmt.Sprintf("%s: %v", c.text, err)
	case !holds:
		return c.text + " is false"
	default:
		return ""
	}
}
