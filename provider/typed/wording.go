package typed

import (
	"context"
	"regexp"
	"slices"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/diag"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// What a KubeObject says names its inputs: manifest.spec, ignoreFields. The class has them elsewhere: spec, k8sconnect.ignoreFields. This
// file is the only place that translates texts. It translates words that stand alone. What is quoted, part of a path or part of another
// word is left as it is: a name, a value, or what the API server says.

// wording says in the terms of a typed resource what the object says of it.
type wording struct {
	adapter

	// fields are the names at the top of the manifest. Such a word is the object's, also where an option has the same name.
	fields map[string]bool
}

// wording returns the wording for a resource with these properties, in the form of an object. ignored is its option ignoreChanges, in that
// form, too: of a manifest that is text, only messages about what is ignored have paths.
func (a adapter) wording(ignored []string, objects ...property.Map) wording {
	w := wording{a, map[string]bool{metadataField: true}}
	for _, object := range objects {
		if manifest := object.Get(manifestKey); manifest.IsMap() {
			for name := range manifest.AsMap().All {
				w.fields[name] = true
			}
		}
	}
	for _, path := range ignored {
		steps, err := resource.ParsePropertyPath(path)
		if err != nil || len(steps) < 2 || steps[0] != manifestKey {
			continue
		}
		if name, isName := steps[1].(string); isName {
			w.fields[name] = true
		}
	}
	return w
}

// phrases are about the inputs manifest and yaml themselves. A class has neither; yaml is in the state of a big object.
var phrases = map[string]string{
	`set ignoreChanges to ["manifest"]`: `set ignoreChanges to ["*"]`,
	`set ignoreChanges to ["yaml"]`:     `set ignoreChanges to ["*"]`,
	"ignoreChanges names yaml":          "ignoreChanges names " + Options + "." + textKey,
	"the object in manifest.":           "the object in the fields of the resource.",
	"Give the object as manifest, or as text in yaml.": "Pulumi cannot keep all fields of such a big object one by one. " +
		`To keep them as they were, set ignoreChanges to ["*"].`,
	"Give either manifest or yaml, not both.": "ignoreChanges names " + Options + ", which holds such a big object in the state. " +
		"Name single options in it, such as " + Options + ".adopt.",
}

var (
	quoted = `"(?:\\.|[^"\\\n])*"`
	// words are what may have to be translated, and what may not: the first alternative that fits is taken.
	words = regexp.MustCompile(strings.Join([]string{
		phrasesPattern(), quoted,
		manifestKey + `(?:\.[\w$@*-]+|\[(?:\d+|` + quoted + `)\])+`,
		`[\w$@/-]+(?:[.:][\w$@/-]+)*`,
	}, "|"))
)

func phrasesPattern() string {
	var all []string
	for phrase := range phrases {
		all = append(all, regexp.QuoteMeta(phrase))
	}
	slices.Sort(all)
	return strings.Join(all, "|")
}

// text translates a message.
func (w wording) text(message string) string {
	// As the name of an input before a message, the manifest is the resource itself.
	message = strings.TrimPrefix(message, manifestKey+": ")
	var out strings.Builder
	end := 0
	for _, at := range words.FindAllStringIndex(message, -1) {
		out.WriteString(message[end:at[0]])
		end = at[1]
		out.WriteString(w.word(message[at[0]:end], message[:at[0]], message[end:]))
	}
	out.WriteString(message[end:])
	return strings.ReplaceAll(out.String(), importOf+base+":index:KubeObject ", importOf+"--generate-code=false "+w.kind.Token()+" ")
}

// importOf begins the command line of an import. Pulumi cannot write a program for the classes of an extension.
const importOf = "pulumi import "

// word translates what stands between two texts.
func (w wording) word(word, before, after string) string {
	if phrase, ok := phrases[word]; ok {
		return phrase
	}
	if strings.HasPrefix(word, `"`) || before != "" && strings.ContainsAny(before[len(before)-1:], `.[]'\`) {
		return word
	}
	steps, err := resource.ParsePropertyPath(word)
	if err != nil || len(steps) == 0 {
		return word
	}
	first, _ := steps[0].(string)
	if first == manifestKey && len(steps) > 1 {
		if name, isName := steps[1].(string); !isName || w.fields[name] || name == "*" {
			return w.fromManifest(word)
		}
		return word
	}
	if !slices.Contains(w.options, first) || w.fields[first] || !isNameOfInput(first, before, after) {
		return word
	}
	return Options + "." + word
}

// isNameOfInput reports whether a word that is the name of an option is that, and no word of English: adopt is only in code.
func isNameOfInput(word, before, after string) bool {
	return word != strings.ToLower(word) || strings.HasSuffix(before, "`") && strings.HasPrefix(after, ":")
}

// failures translates the failures of a check.
func (w wording) failures(all []p.CheckFailure) {
	for i, failed := range all {
		all[i] = p.CheckFailure{Property: w.fromManifest(failed.Property), Reason: w.text(failed.Reason)}
	}
}

// unfinished translates what the state says of an operation that has not come to its end.
func (w wording) unfinished(failed *p.InitializationFailed) {
	if failed == nil {
		return
	}
	for i, reason := range failed.Reasons {
		failed.Reasons[i] = w.text(reason)
	}
}

// error translates an error.
func (w wording) error(err error) error {
	if err == nil {
		return nil
	}
	text := w.text(err.Error())
	if text == err.Error() {
		return err
	}
	return &wordedError{err, text}
}

// wordedError is an error with another text.
type wordedError struct {
	error

	text string
}

func (e *wordedError) Error() string { return e.text }

func (e *wordedError) Unwrap() error { return e.error }

// sink is where the framework's loggers write to. The framework keeps it in the context, and has no name for it.
type sink interface {
	Log(ctx context.Context, urn resource.URN, severity diag.Severity, message string)
	LogStatus(ctx context.Context, urn resource.URN, severity diag.Severity, message string)
}

// context returns a context in which what is logged is translated.
func (w wording) context(ctx context.Context) context.Context { return wordedContext{ctx, w} }

type wordedContext struct {
	context.Context //nolint:containedctx // It is a context.

	wording wording
}

// Value wraps the sink of the loggers, whatever its key.
func (c wordedContext) Value(key any) any {
	v := c.Context.Value(key)
	if inner, ok := v.(sink); ok {
		return wordedSink{inner, c.wording}
	}
	return v
}

type wordedSink struct {
	sink

	wording wording
}

func (s wordedSink) Log(ctx context.Context, urn resource.URN, severity diag.Severity, message string) {
	s.sink.Log(ctx, urn, severity, s.wording.text(message))
}

func (s wordedSink) LogStatus(ctx context.Context, urn resource.URN, severity diag.Severity, message string) {
	s.sink.LogStatus(ctx, urn, severity, s.wording.text(message))
}
