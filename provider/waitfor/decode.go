package waitfor

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/fieldtags"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/readiness"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

const keyTimeout = "timeout"

var keys = fieldtags.Names[WaitFor]()

// Spec is a decoded waitFor.
type Spec struct {
	Goal *readiness.Goal
	// Timeout bounds the wait; 0 means that the user set none.
	Timeout time.Duration
	// Secret means that part of the waitFor is secret, so that none of it may be printed.
	Secret bool
}

// By returns the same spec, with readiness judged by the provider's rules first.
func (s Spec) By(rules *readiness.Rules) Spec {
	s.Goal = s.Goal.By(rules)
	return s
}

// StillMissing says in a few words what keeps a wait pending; empty if the goal is reached. live is nil if the object does not
// exist, and verdict what [Spec.Look] has found. sensitive are texts that must not be shown: what a controller writes into a
// status may repeat them.
func (s Spec) StillMissing(live *unstructured.Unstructured, verdict readiness.Verdict, sensitive []string) string {
	hide := failure.NewRedactor(sensitive)
	switch {
	case verdict.Holds:
		return ""
	case s.isSecret(live):
		return "the awaited state is not reached yet"
	case verdict.Failed != "":
		return hide.Redact(verdict.Failed)
	default:
		return hide.Redact(verdict.Missing[0])
	}
}

// isSecret reports whether nothing about the goal and the object may be shown.
func (s Spec) isSecret(live *unstructured.Unstructured) bool {
	return s.Secret || live != nil && manifest.IsSecretKind(live.GetAPIVersion(), live.GetKind())
}

// SayGuess says so if an object has reached the goal by no more than a guess. A read may find that before the next wait does.
func (s Spec) SayGuess(ctx context.Context, live *unstructured.Unstructured, sensitive []string) {
	if live == nil {
		return
	}
	if by := s.Goal.Judge(live).Guessed; by != "" {
		p.GetLogger(ctx).Info(s.guess(live, by, sensitive))
	}
}

// guess says why an object counts as ready of whose kind nothing is known.
func (s Spec) guess(live *unstructured.Unstructured, by string, sensitive []string) string {
	if s.isSecret(live) {
		by = "its status seems so"
	}
	return fmt.Sprintf("%s counts as ready because %s, which is a guess: there is no rule for %s. If it is wrong, say when the kind is "+
		"ready in the provider's setting readiness.", cluster.RefOf(live), shorten(oneLine(failure.NewRedactor(sensitive).Redact(by))), live.GetKind())
}

// Decode reads a waitFor that [Check] has passed. The spec has no goal while part of the waitFor is unknown.
func Decode(value property.Value) (Spec, error) {
	spec := Spec{Secret: value.HasSecrets()}
	if value.HasComputed() || !value.IsMap() {
		return spec, nil
	}
	fields := value.AsMap()
	goal, problems := readiness.Compile(criteriaOf(fields))
	switch {
	case len(problems) > 0 && spec.Secret:
		return spec, failure.Errorf(failure.ReasonInvalid, "%s: %s", Key, secretReason)
	case len(problems) > 0:
		return spec, failure.Errorf(failure.ReasonInvalid, "%s: %s", Key, problems[0].Reason)
	}
	spec.Goal = goal
	if text := values.Scalar(fields.Get(keyTimeout)); text != "" {
		timeout, err := ParseTimeout(text)
		if err != nil {
			if spec.Secret {
				err = errors.New(secretReason)
			}
			return spec, failure.Errorf(failure.ReasonInvalid, "%s.%s: %w", Key, keyTimeout, err)
		}
		spec.Timeout = timeout
	}
	return spec, nil
}

// Extracts reports whether the wait is for fields, whose values become an output. It reports true while the whole waitFor is
// unknown.
func Extracts(value property.Value) bool {
	if !value.IsMap() {
		return value.IsComputed()
	}
	fields := value.AsMap()
	return !fields.Get(readiness.NameField).IsNull() || !fields.Get(readiness.NameFieldValue).IsNull()
}

// Check finds the mistakes in a waitFor for an object of a kind. kind is empty if it is unknown. Unknown values pass.
func Check(value property.Value, kind schema.GroupKind) []p.CheckFailure {
	c := &checker{}
	switch {
	case value.IsComputed():
		return nil
	case value.IsNull():
		c.fail("", "Say what to wait for.")
		return c.failures
	case !value.IsMap():
		c.fail("", "The value must be an object such as { condition: \"Ready\" }.")
		return c.failures
	}
	fields := value.AsMap()
	for key, field := range fields.AllStable {
		c.shape(key, field)
	}
	c.http(fields.Get(readiness.NameHTTP), kind)
	if timeout := fields.Get(keyTimeout); timeout.IsString() {
		if _, err := ParseTimeout(timeout.AsString()); err != nil {
			c.failQuoting(value, keyTimeout, "", err.Error())
		}
	}
	if rollout := fields.Get(readiness.NameRollout); values.Flag(rollout) && kind.Kind != "" && !readiness.HasRollout(kind) {
		c.fail(readiness.NameRollout, kind.Kind+" has no rollout; only Deployment, StatefulSet and DaemonSet of apps have one. "+
			"Use ready, condition, field or expression.")
	}
	if len(c.failures) > 0 || value.HasComputed() {
		return c.failures
	}
	_, problems := readiness.Compile(criteriaOf(fields))
	for _, problem := range problems {
		c.failQuoting(value, problem.Criterion, problem.Key, problem.Reason)
	}
	return c.failures
}

type checker struct{ failures []p.CheckFailure }

func (c *checker) fail(key, reason string) {
	path := Key
	if key != "" {
		path += "." + key
	}
	c.failures = append(c.failures, p.CheckFailure{Property: path, Reason: reason})
}

// secretReason replaces a reason that would quote a secret.
const secretReason = "the value is not valid; neither it nor the mistake is shown, because it is secret"

// failQuoting fails with a reason that may quote the value of a key, or of one of its members.
func (c *checker) failQuoting(waitFor property.Value, key, member, reason string) {
	switch {
	case waitFor.Secret(), key != "" && waitFor.AsMap().Get(key).Secret():
		c.fail(key, secretReason)
	case member != "":
		c.fail(key+"["+strconv.Quote(member)+"]", reason)
	default:
		c.fail(key, reason)
	}
}

// shape finds unknown names and wrong types.
func (c *checker) shape(key string, value property.Value) {
	if value.IsNull() || value.IsComputed() {
		return
	}
	switch key {
	case readiness.NameField, readiness.NameCondition, readiness.NameExpression, readiness.NameFailWhen:
		if !value.IsString() || strings.TrimSpace(value.AsString()) == "" {
			c.fail(key, "The value must be a text that is not empty.")
		}
	case keyTimeout:
		if !value.IsString() {
			c.fail(key, "The value must be a text with a unit, such as \"30s\" or \"10m\".")
		}
	case readiness.NameReady, readiness.NameRollout, readiness.NameDeleted:
		if !value.IsBool() {
			c.fail(key, "The value must be true or false.")
		}
	case readiness.NameFieldValue:
		c.fieldValues(key, value)
	case readiness.NameHTTP: // see http
	default:
		c.fail(key, fmt.Sprintf("There is no %q in %s. There are %s.", key, Key, strings.Join(keys, ", ")))
	}
}

// fieldValues checks a map from paths to the values that they must have.
func (c *checker) fieldValues(key string, value property.Value) {
	if !value.IsMap() || value.AsMap().Len() == 0 {
		c.fail(key, "The value must be a map from paths to values, such as { \"status.phase\": \"Bound\" }.")
		return
	}
	for path, want := range value.AsMap().AllStable {
		if !want.IsComputed() && !want.IsString() && !want.IsBool() && !want.IsNumber() {
			c.fail(key+"["+strconv.Quote(path)+"]", "The value must be a text.")
		}
	}
}

func criteriaOf(fields property.Map) readiness.Criteria {
	criteria := readiness.Criteria{
		Field:      values.Scalar(fields.Get(readiness.NameField)),
		Condition:  values.Scalar(fields.Get(readiness.NameCondition)),
		Ready:      values.Flag(fields.Get(readiness.NameReady)),
		Rollout:    values.Flag(fields.Get(readiness.NameRollout)),
		Expression: values.Scalar(fields.Get(readiness.NameExpression)),
		HTTP:       decodeHTTP(fields.Get(readiness.NameHTTP)),
		Deleted:    values.Flag(fields.Get(readiness.NameDeleted)),
		FailWhen:   values.Scalar(fields.Get(readiness.NameFailWhen)),
	}
	if wanted := fields.Get(readiness.NameFieldValue); wanted.IsMap() {
		criteria.FieldValue = map[string]string{}
		for path, want := range wanted.AsMap().All {
			criteria.FieldValue[path] = values.Scalar(want)
		}
	}
	return criteria
}

// ParseTimeout reads a positive duration.
func ParseTimeout(text string) (time.Duration, error) {
	timeout, err := time.ParseDuration(strings.TrimSpace(text))
	switch {
	case err != nil:
		return 0, fmt.Errorf("%q is no duration; write a number with a unit, such as 30s, 10m or 1h30m", text)
	case timeout <= 0:
		return 0, errors.New("the timeout must be greater than zero")
	}
	return timeout, nil
}
