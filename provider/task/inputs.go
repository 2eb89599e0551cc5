package task

import (
	"cmp"
	"slices"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/waitfor"
)

// The names of the inputs.
const (
	keyManifest     = "manifest"
	keyRunOn        = "runOn"
	keyTriggers     = "triggers"
	keyWith         = "with"
	keyTimeout      = "timeout"
	keyKeep         = "keep"
	keyLogLines     = "logLines"
	keyForceDestroy = "forceDestroy"
)

// contentKeys are the inputs that begin another run when they change.
var contentKeys = []string{keyManifest, keyWith, keyTriggers}

const (
	// defaultLogLines is the default number of log lines that are kept.
	defaultLogLines = 20
	// maxLogLines is the greatest number of log lines that a program may ask for.
	maxLogLines = 300
)

// inputs are the checked inputs of one resource.
type inputs struct {
	// object is the Job or Pod to run; nil if it is entirely unknown.
	object map[string]any
	// with are the objects that exist only for the run.
	with []map[string]any
	// content is everything that begins another run when it changes.
	content any
	// sensitive are the secret texts in content.
	sensitive []string
	// secret means that what the run writes may hold a secret.
	secret bool
	// unknown are the paths that are not known yet.
	unknown []string

	// hook is nil for a Task that is no hook of a release.
	hook *hook

	runOn        []string
	timeout      time.Duration
	keep         string
	logLines     int
	forceDestroy bool
}

// runsOn reports whether the Task runs in an operation.
func (in inputs) runsOn(operation string) bool { return slices.Contains(in.runOn, operation) }

// id is the identity of the Job or Pod to run, as the manifest gives it.
func (in inputs) id() manifest.Identity { return manifest.IdentityOf(in.object) }

// isJob reports whether an object of this kind has a controller that runs pods for it.
func isJob(kind schema.GroupKind) bool { return kind == kinds.Job }

// decodeInputs reads what Check returned.
func decodeInputs(properties property.Map) (inputs, error) {
	in := inputs{
		runOn: values.Scalars(properties.Get(keyRunOn)), keep: cmp.Or(values.Text(properties.Get(keyKeep)), keepFailed),
		forceDestroy: values.Flag(properties.Get(keyForceDestroy)), hook: decodeHook(properties.Get(tracked.KeyHook)),
	}
	if len(in.runOn) == 0 {
		in.runOn = []string{onCreate, onUpdate}
	}
	if err := in.decodeWait(properties); err != nil {
		return in, err
	}
	content := map[string]any{}
	for _, key := range contentKeys {
		plain, err := in.decodeContent(key, properties.Get(key))
		if err != nil {
			return in, err
		}
		content[key] = plain
	}
	in.object, _ = content[keyManifest].(map[string]any)
	if with, ok := content[keyWith].([]any); ok {
		for _, item := range with {
			if object, ok := item.(map[string]any); ok {
				in.with = append(in.with, object)
			}
		}
	}
	in.content = content
	return in, nil
}

// decodeWait reads how long to wait for a run, and how much of its log to show.
func (in *inputs) decodeWait(properties property.Map) error {
	in.logLines = defaultLogLines
	if lines := properties.Get(keyLogLines); lines.IsNumber() {
		in.logLines = int(lines.AsNumber())
	}
	text := values.Text(properties.Get(keyTimeout))
	if text == "" {
		return nil
	}
	var err error
	if in.timeout, err = waitfor.ParseTimeout(text); err != nil {
		return failure.Errorf(failure.ReasonInvalid, "%s: %w", keyTimeout, err)
	}
	return nil
}

// decodeContent reads a part of the content, and notes its secrets and its unknown values. path is the path of the input.
func (in *inputs) decodeContent(path string, v property.Value) (plain any, err error) {
	plain, secrets, err := values.FromProperty(v)
	if err != nil {
		return nil, failure.Errorf(failure.ReasonInvalid, "%s: %w", path, err)
	}
	in.secret = in.secret || !secrets.Empty()
	in.sensitive = append(in.sensitive, tracked.Sensitive(plain, secrets)...)
	for _, unknown := range values.UnknownPaths(plain, secrets) {
		in.unknown = append(in.unknown, values.JoinPath(path, unknown))
	}
	return plain, nil
}

// keeps reports whether the object of a run stays after its end.
func (in inputs) keeps(end outcome) bool {
	if in.hook != nil {
		return in.hook.keeps(end)
	}
	return in.keep == keepAlways || in.keep == keepFailed && end == afterFailure
}
