package failure_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// declared is how a reason is declared.
var declared = regexp.MustCompile(`(?m)^\t(Reason\w+) +Reason = "(\w+)"$`)

// row is how a reason is documented.
var row = regexp.MustCompile("(?m)^\\| `\\[(\\w+)\\]` \\| (.*?) \\| (.*?) \\|$")

func TestReasonsAreComplete(t *testing.T) {
	source, err := os.ReadFile("reason.go")
	require.NoError(t, err)
	var names []string
	var constants []failure.Reason
	for _, match := range declared.FindAllStringSubmatch(string(source), -1) {
		require.Equal(t, match[1], "Reason"+match[2], "a constant is called as its reason")
		names, constants = append(names, match[1]), append(constants, failure.Reason(match[2]))
	}
	t.Run("every reason is in the list", func(t *testing.T) {
		var reasons []failure.Reason
		for _, entry := range failure.Reasons {
			reasons = append(reasons, entry.Reason)
			assert.Regexp(t, `^[A-Z][a-z]+([A-Z][a-z]+)*$`, string(entry.Reason))
		}
		assert.Equal(t, constants, reasons)
	})
	t.Run("every reason is given by the code", func(t *testing.T) {
		code := codeOf(t, filepath.Join("..", ".."))
		for _, name := range names {
			assert.Regexp(t, `\b`+name+`\b`, code)
		}
	})
	t.Run("every reason is documented with its meaning and with what to do, and no other", func(t *testing.T) {
		page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "reasons.md"))
		require.NoError(t, err)
		rows := row.FindAllStringSubmatch(string(page), -1)
		require.Len(t, rows, len(failure.Reasons))
		for i, entry := range failure.Reasons {
			assert.Equal(t, string(entry.Reason), rows[i][1])
			assert.Equal(t, entry.Meaning, rows[i][2])
			assert.NotEmpty(t, rows[i][3], entry.Reason)
		}
	})
}

// codeOf is the code below a folder, but for the declaration of the reasons and for tests.
func codeOf(t *testing.T, folder string) string {
	t.Helper()
	var code strings.Builder
	require.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			filepath.Base(path) == "reason.go" {
			return err
		}
		text, err := os.ReadFile(path)
		code.Write(text)
		return err
	}))
	return code.String()
}

func TestTheReasonOfAnError(t *testing.T) {
	resource := schema.GroupResource{Resource: "configmaps"}
	for name, c := range map[string]struct {
		err  error
		want failure.Reason
	}{
		"is that of the API server, in Kubernetes' own word":  {apierrors.NewUnauthorized("no"), "Unauthorized"},
		"is what the API server's 403 is about":               {apierrors.NewForbidden(resource, "c", errors.New("no")), "Forbidden"},
		"is kept where the error is explained":                {failure.Explain(apierrors.NewNotFound(resource, "c"), failure.Operation{}), "NotFound"},
		"is kept where the error is wrapped":                  {fmt.Errorf("c: %w", apierrors.NewTooManyRequests("later", 1)), "TooManyRequests"},
		"is that of a proxy's nonsense":                       {&apierrors.StatusError{ErrStatus: metav1.Status{Code: 302}}, "UnexpectedAnswer"},
		"is that of a kind that can only be asked":            {apierrors.NewMethodNotSupported(resource, "patch"), "Invalid"},
		"is its own where it has a cause beside":              {failure.Errorf(failure.ReasonNotConfirmed, "c: %w", context.DeadlineExceeded), "NotConfirmed"},
		"is the outermost of several":                         {failure.Because(failure.ReasonImmutable, failure.Because(failure.ReasonInvalid, errors.New("x"))), "Immutable"},
		"is that of its cause where it has none itself":       {failure.Because("", apierrors.NewConflict(resource, "c", errors.New("x"))), "Conflict"},
		"is that of the connection where nothing was sent":    {&failure.NotSentError{Err: errors.New("x")}, "ClusterUnreachable"},
		"is its own although nothing was sent because of it":  {&failure.NotSentError{Err: failure.Errorf(failure.ReasonInvalid, "x")}, "Invalid"},
		"is that of the credentials and not of what was read": {&failure.CredentialsError{Err: context.DeadlineExceeded}, "CredentialPluginFailed"},
	} {
		t.Run(name, func(t *testing.T) {
			reason, ok := failure.ReasonOf(c.err)
			assert.True(t, ok)
			assert.Equal(t, c.want, reason)
		})
	}
	t.Run("is missing where nobody has thought of it", func(t *testing.T) {
		_, ok := failure.ReasonOf(errors.New("x"))
		assert.False(t, ok)
	})
	t.Run("is given for every class but the last", func(t *testing.T) {
		classes, err := os.ReadFile("classify.go")
		require.NoError(t, err)
		because, err := os.ReadFile("with_reason.go")
		require.NoError(t, err)
		for _, class := range regexp.MustCompile(`(?m)^\t(Class\w+) +Class = `).FindAllStringSubmatch(string(classes), -1) {
			if class[1] != "ClassOther" {
				assert.Contains(t, string(because), "\t"+class[1]+":")
			}
		}
	})
	t.Run("does not change its text", func(t *testing.T) {
		assert.Equal(t, "a: b", failure.Errorf(failure.ReasonInvalid, "a: %s", "b").Error())
	})
}
