package e2e

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// gap stands for what varies, in the texts of the code and on the pages.
const gap = "…"

// texts are the texts in the code of the provider, as a constant expression has them: what is put in
// is a gap, by a verb of fmt or between two texts.
var texts = sync.OnceValues(func() ([]string, error) {
	var found []string
	err := filepath.WalkDir(filepath.Join("..", "..", "..", "provider"), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(node ast.Node) bool {
			if function, ok := node.(*ast.FuncDecl); ok && function.Name.Name == "Annotate" {
				return false // descriptions for the schema, which nobody is shown
			}
			expression, ok := node.(ast.Expr)
			if !ok {
				return true
			}
			text, ok := textIn(expression)
			if ok {
				found = append(found, gaps.ReplaceAllString(verb.ReplaceAllString(text, gap), gap))
			}
			_, sum := expression.(*ast.BinaryExpr)
			return !ok || !sum // its operands are part of it
		})
		return nil
	})
	return found, err
})

var (
	verb = regexp.MustCompile(`%[-+# 0]*[0-9]*(?:\.[0-9]+)?[a-zA-Z]`)
	gaps = regexp.MustCompile(gap + `(?:\s*` + gap + `)+`)
)

// textIn is the text that an expression is, with gaps for what is not a literal. It reports false if no
// operand is one.
func textIn(expression ast.Expr) (string, bool) {
	switch expression := expression.(type) {
	case *ast.BasicLit:
		if expression.Kind != token.STRING {
			return "", false
		}
		text, err := strconv.Unquote(expression.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		if expression.Op != token.ADD {
			return "", false
		}
		left, isLeft := textIn(expression.X)
		right, isRight := textIn(expression.Y)
		if !isLeft {
			left = gap
		}
		if !isRight {
			right = gap
		}
		return left + right, isLeft || isRight
	}
	return "", false
}

// requireSaid wants that the provider has a text in which this one is. Gaps in it are those of the
// code.
func requireSaid(t *testing.T, text string) {
	t.Helper()
	all, err := texts()
	require.NoError(t, err)
	wanted := strings.Trim(text, gap+" ")
	require.NotEmpty(t, wanted)
	for _, said := range all {
		if strings.Contains(said, wanted) {
			return
		}
	}
	require.Fail(t, "the provider says nothing like it", text)
}

// requireShown wants every line of a block in what was printed. A gap in a line stands for anything, and at
// the end of one for the rest.
func requireShown(t *testing.T, block, printed string) {
	t.Helper()
	for line := range strings.Lines(block) {
		var parts []string
		for part := range strings.SplitSeq(strings.TrimSpace(line), gap) {
			parts = append(parts, regexp.QuoteMeta(part))
		}
		require.Regexp(t, strings.Join(parts, ".*"), printed)
	}
}
