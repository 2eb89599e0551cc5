package readiness

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// libraryCase are objects of a kind that a rule of the library is for.
type libraryCase struct {
	Of                             string // GROUP/KIND
	Ready, Waits, Fails, Suspended *libraryObject
	// Says is the message of the kind that a failure quotes.
	Says string
}

// libraryObject is an object in short. C are its conditions: status, reason and message by type.
type libraryObject struct {
	Metadata, Spec, Status object
	C                      map[string]string
}

func (o libraryObject) of(t *testing.T, kind schema.GroupKind) object {
	t.Helper()
	more := object{"metadata": o.Metadata, "spec": o.Spec, "status": o.Status}
	if o.C != nil {
		conditions := list{}
		for name, text := range o.C {
			parts := strings.SplitN(text, " ", 3)
			condition := object{"type": name, "status": parts[0]}
			for i, field := range []string{"reason", "message"} {
				if len(parts) > i+1 && parts[i+1] != "." {
					condition[field] = parts[i+1]
				}
			}
			conditions = append(conditions, condition)
		}
		more["status"] = merged(object{"conditions": conditions}, o.Status)
	}
	for name, part := range more {
		if fields, is := part.(object); is && fields == nil {
			delete(more, name)
		}
	}
	text, err := yaml.Marshal(more)
	require.NoError(t, err)
	return manifest(t, kind.Group+"/v1", kind.Kind, string(text))
}

func libraryCases(t *testing.T) []libraryCase {
	t.Helper()
	files, err := filepath.Glob("testdata/library/*.yaml")
	require.NoError(t, err)
	var all []libraryCase
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var cases []libraryCase
		require.NoError(t, yaml.UnmarshalStrict(text, &cases), file)
		all = append(all, cases...)
	}
	return all
}

func TestRulesOfTheLibrary(t *testing.T) {
	for _, c := range libraryCases(t) {
		group, name, _ := strings.Cut(c.Of, "/")
		kind := schema.GroupKind{Group: group, Kind: name}
		t.Run("[R10] "+name+" of "+group+" has a rule", func(t *testing.T) {
			assert.True(t, (*Rules)(nil).HasReadiness(kind))
			t.Run("by which it is ready, and not by a guess", func(t *testing.T) {
				verdict := judge(t, ready, c.Ready.of(t, kind))
				assert.Equal(t, Verdict{Holds: true}, verdict)
			})
			t.Run("by which it is not ready yet", func(t *testing.T) {
				verdict := judge(t, ready, c.Waits.of(t, kind))
				assert.NotEmpty(t, verdict.Missing)
				assert.Empty(t, verdict.Failed)
				assert.NotContains(t, strings.Join(verdict.Missing, ""), "object.", "an expression is no reason")
			})
			if c.Fails != nil {
				t.Run("by which it has failed", func(t *testing.T) {
					verdict := judge(t, ready, c.Fails.of(t, kind))
					assert.False(t, verdict.Holds)
					assert.Contains(t, verdict.Failed, c.Says)
					assert.NotEmpty(t, c.Says)
					assert.NotEmpty(t, verdict.Next)
					assert.False(t, verdict.Suspended)
				})
			}
			if c.Suspended != nil {
				t.Run("by which it is suspended", func(t *testing.T) {
					verdict := judge(t, ready, c.Suspended.of(t, kind))
					assert.False(t, verdict.Holds)
					assert.True(t, verdict.Suspended)
				})
			}
		})
	}
}

func TestEveryRuleOfTheLibraryIsComplete(t *testing.T) {
	type proof struct{ ready, waits, fails, suspended bool }
	proofs := map[*libraryRule]proof{}
	for _, c := range libraryCases(t) {
		group, name, _ := strings.Cut(c.Of, "/")
		found := findInLibrary(schema.GroupKind{Group: group, Kind: name})
		require.NotNil(t, found, c.Of)
		p := proofs[found]
		proofs[found] = proof{p.ready || c.Ready != nil, p.waits || c.Waits != nil, p.fails || c.Fails != nil, p.suspended || c.Suspended != nil}
	}
	files, err := library()
	require.NoError(t, err)
	for f := range files {
		file := &files[f]
		for r := range file.Rules {
			rule := &file.Rules[r]
			t.Run("[R11] "+strings.Join(rule.Kinds, ", ")+" of "+strings.Join(rule.Groups, ", "), func(t *testing.T) {
				_, err := rule.compiled()
				require.NoError(t, err)
				assert.NotEmpty(t, file.Operator)
				assert.NotEmpty(t, file.Version, "the version that it is written for")
				require.NotEmpty(t, file.Sources, "where the status is described")
				assert.Regexp(t, `^https://`, file.Sources[0])
				assert.NotEmpty(t, rule.APIVersion)
				assert.True(t, rule.Ready == "" || rule.Shows != nil || rule.Messages != nil, "an expression is no reason")
				if rule.Exists {
					for _, name := range rule.Kinds {
						kind := schema.GroupKind{Group: strings.ReplaceAll(rule.Groups[0], "*", "a"), Kind: strings.ReplaceAll(name, "*", "Any")}
						assert.Equal(t, Verdict{Holds: true}, judge(t, ready, libraryObject{}.of(t, kind)))
						assert.False(t, (*Rules)(nil).HasReadiness(kind), "a set need not wait for it")
					}
					return
				}
				p := proofs[rule]
				assert.True(t, p.ready, "an object that is ready")
				assert.True(t, p.waits, "one that is not ready yet")
				assert.Equal(t, rule.Failed != "", p.fails, "one that has failed")
				assert.Equal(t, rule.Suspended != "", p.suspended, "one that is suspended")
			})
		}
	}
}

func TestTheLibraryGivesWay(t *testing.T) {
	certificate := &unstructured.Unstructured{Object: manifest(t, "cert-manager.io/v1", "Certificate", `{status: {conditions: [{type: Ready, status: "False"}]}}`)}
	t.Run("[R12] to a rule of the user", func(t *testing.T) {
		rules := rulesOf(t, UserRule{Kinds: []string{"*.cert-manager.io"}, Expression: "true"})
		assert.True(t, compile(t, ready).By(rules).Judge(certificate).Holds)
	})
	t.Run("[R12] to a wait for something else", func(t *testing.T) {
		assert.True(t, compile(t, Criteria{Condition: "Ready=False"}).Judge(certificate).Holds)
	})
	t.Run("[R12] and in it, a rule for all kinds to one that names the kind", func(t *testing.T) {
		config := findInLibrary(schema.GroupKind{Group: "aws.upbound.io", Kind: "ProviderConfig"})
		bucket := findInLibrary(schema.GroupKind{Group: "s3.aws.upbound.io", Kind: "Bucket"})
		assert.True(t, config.Exists)
		assert.False(t, bucket.Exists)
	})
	t.Run("[R12] and one that names the group goes before one for all groups below another", func(t *testing.T) {
		group := schema.GroupKind{Group: "s3.acme.io", Kind: "Bucket"}
		all, one := libraryRule{Groups: []string{"*.acme.io"}, Kinds: []string{"*"}}, libraryRule{Groups: []string{"s3.acme.io"}, Kinds: []string{"*"}}
		assert.Positive(t, all.fit(group))
		assert.Greater(t, one.fit(group), all.fit(group))
		assert.Zero(t, all.fit(schema.GroupKind{Group: "acme.io", Kind: "Bucket"}), "acme.io itself is not below acme.io")
	})
	t.Run("[R12] to the conventions, for a kind that it does not know", func(t *testing.T) {
		found := findInLibrary(schema.GroupKind{Group: "acme.io", Kind: "Widget"})
		assert.Nil(t, found)
	})
}
