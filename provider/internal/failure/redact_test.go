package failure_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

func TestSensitiveValuesAreRedacted(t *testing.T) {
	for _, c := range []struct {
		name       string
		sensitive  []string
		text, want string
	}{
		{"nothing is sensitive", nil, `a "b" c`, `a "b" c`},
		{"an empty value does not count", []string{""}, `a "" c`, `a "" c`},
		{"a long value goes wherever it stands", []string{"hunter2"}, `hunter2: "hunter2", xhunter2x`, `[secret]: "[secret]", x[secret]x`},
		{"a value leaves no rest of one that contains it", []string{"hunter", "hunter2"}, "hunter2 hunter", "[secret] [secret]"},
		{"whatever the order", []string{"hunter2", "hunter"}, "hunter2 hunter", "[secret] [secret]"},
		{"a short value leaves no rest of one that contains it", []string{"b", "a-b-c"}, "x a-b-c b", "x [secret] [secret]"},
		{"two values side by side", []string{"hunter2", "swordfish"}, "hunter2swordfish", "[secret][secret]"},
		{"a value that is there twice", []string{"hunter2", "hunter2"}, "hunter2", "[secret]"},
		{"what stands for a value is not replaced again", []string{"secret", "hunter2"}, "hunter2 secret", "[secret] [secret]"},
		{"a value with line breaks, as it is", []string{"one\ntwo\n"}, "<one\ntwo\n>", "<[secret]>"},
		{"a value with line breaks, quoted", []string{"one\ntwo\n"}, `value "one\ntwo\n": no`, `value "[secret]": no`},
		{"a value with quotes, quoted", []string{`say "no"`}, `value "say \"no\"": no`, `value "[secret]": no`},
		{"a value that JSON escapes more than Go", []string{"p<w>&d"}, `{"a":"p\u003cw\u003e\u0026d"}`, `{"a":"[secret]"}`},
		{"a value that Go escapes more than JSON", []string{"p\u200bw"}, "\"p\\u200bw\" \"p\u200bw\"", `"[secret]" "[secret]"`},
		{"a short value does not eat the text", []string{"a", "1"}, "a manifest of v1 has many names", "[secret] manifest of v1 has many names"},
		{"a short value where it is quoted", []string{"a"}, `"a" is bad`, "[secret] is bad"},
		{"a short value where it stands alone", []string{"db", "it"}, "ConfigMap db/it: db-it, (it) unit item ditto", "ConfigMap [secret]/[secret]: [secret]-[secret], ([secret]) unit item ditto"},
		{"a short value where it is all", []string{"db"}, "db", "[secret]"},
		{"a short value at both ends of a longer word", []string{"ab"}, "abab ab", "abab [secret]"},
		{"a short value in letters of many bytes", []string{"é"}, "é été", "[secret] été"},
		{"a short value that ends in no letter", []string{"a-"}, "a-b ba-", "[secret]b ba-"},
		{"a short value without letters, only where it is quoted", []string{" ", "\n"}, `a b " " "\n"`, "a b [secret] [secret]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, failure.NewRedactor(c.sensitive).Redact(c.text))
		})
	}
	t.Run("the zero redactor hides nothing", func(t *testing.T) {
		assert.Equal(t, "hunter2", failure.Redactor{}.Redact("hunter2"))
	})
}

func TestAnExplainedCauseIsRedactedToo(t *testing.T) {
	cause := answered(t, `{"message":"no hunter2 in db","reason":"BadRequest","code":400}`)
	explained := failure.Explain(cause, failure.Operation{Verb: "create", Subject: "Secret web", Sensitive: []string{"hunter2", "db"}})
	assert.Contains(t, explained.Error(), "no [secret] in [secret]")
	assert.Equal(t, "ConfigMap lab/c: no [secret] in [secret]", errors.Unwrap(explained).Error())
	assert.True(t, apierrors.IsBadRequest(explained), "the cause stays reachable")
}
