package provider

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/check"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/choice"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/description"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/fieldtags"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/readiness"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/policy"
)

//go:embed descriptions.md
var descriptions string

var texts = description.Parse(descriptions)

// Config is the provider's configuration as the schema shows it. Infer never decodes it, because infer would keep
// options that were removed.
type Config struct {
	connection.ClusterConnection

	Namespace      *string                `pulumi:"namespace,optional"`
	DriftDetection *DriftDetection        `pulumi:"driftDetection,optional"`
	ConflictPolicy *policy.ConflictPolicy `pulumi:"conflictPolicy,optional"`
	ResumeWithin   *string                `pulumi:"resumeWithin,optional"`

	ForgetClusters []string `pulumi:"forgetClusters,optional"`

	Readiness []ReadinessRule `pulumi:"readiness,optional"`

	Ignore []IgnoreRule `pulumi:"ignore,optional"`
}

var _ infer.Annotated = (*Config)(nil)

// Annotate describes the configuration for the schema.
func (c *Config) Annotate(a infer.Annotator) {
	texts.Describe(a, "Config", c)
}

// DriftDetection says when to look for drift.
type DriftDetection string

// Annotate names the type for the schema.
func (d *DriftDetection) Annotate(a infer.Annotator) { a.SetToken("index", "DriftDetection") }

// Values lists the values for the schema and for Check.
func (DriftDetection) Values() []infer.EnumValue[DriftDetection] {
	return []infer.EnumValue[DriftDetection]{
		{Name: "Preview", Value: driftInPreview, Description: "Read the live objects before every preview, update and destroy. This is the default."},
		{Name: "Refresh", Value: driftInRefresh, Description: "Read the live objects only in `pulumi refresh`."},
	}
}

// These are the settings of the configuration in addition to the connection.
const (
	keyNamespace      = "namespace"
	keyDriftDetection = "driftDetection"

	keyResumeWithin     = "resumeWithin"
	defaultResumeWithin = time.Hour

	keyForgetClusters = "forgetClusters"

	driftInPreview = "preview"
	driftInRefresh = "refresh"
)

// otherKeys are the keys that are allowed in addition to those for the connection: our other options, and keys that the engine
// adds.
var otherKeys = append(fieldtags.Names[Config](), "version", "pluginDownloadURL", "pluginChecksums")

// Configuration is the configuration of one running provider.
type Configuration struct {
	source         *connection.Source
	driftInRefresh atomic.Bool
	resumeWithin   atomic.Int64
	rules          atomic.Pointer[readiness.Rules]
	conflictPolicy atomic.Value // string
	ignore         atomic.Value // []ignoreRule
}

// NewConfiguration returns the configuration of a provider that is not configured yet. It uses the kubeconfig that
// kubectl would use. options are for tests.
func NewConfiguration(version string, options ...cluster.Option) *Configuration {
	c := &Configuration{source: connection.NewSource("pulumi-k8sconnect/"+version, options...)}
	c.resumeWithin.Store(int64(defaultResumeWithin))
	c.source.Forget(nil)
	return c
}

// DriftInPreview reports whether previews look for drift.
func (c *Configuration) DriftInPreview() bool { return !c.driftInRefresh.Load() }

// ResumeWithin returns the maximum age of an earlier run's object that is continued.
func (c *Configuration) ResumeWithin() time.Duration { return time.Duration(c.resumeWithin.Load()) }

// Rules returns the user's readiness rules.
func (c *Configuration) Rules() *readiness.Rules { return c.rules.Load() }

// ConflictPolicy returns the policy for objects without their own; empty for the default.
func (c *Configuration) ConflictPolicy() string {
	policy, _ := c.conflictPolicy.Load().(string)
	return policy
}

// Check validates the configuration, without the network.
func (c *Configuration) Check(_ context.Context, req p.CheckRequest) (p.CheckResponse, error) {
	wrong := check.Mistakes(connection.Check(property.New(req.Inputs), "", otherKeys...))
	fail := wrong.Add
	wrong.Text(req.Inputs, keyNamespace)
	inputs := req.Inputs
	allow := func(key string, words choice.Words) {
		if word, given := inputs.GetOk(key); given {
			inputs = inputs.Set(key, connection.UnpackText(word))
		}
		if !words.Allow(inputs.Get(key)) {
			fail(key, fmt.Sprintf("%s must be one of %s.", key, words))
		}
	}
	allow(keyDriftDetection, choice.Of[DriftDetection]())
	allow(policy.KeyConflictPolicy, choice.Of[policy.ConflictPolicy]())
	if v := req.Inputs.Get(keyResumeWithin); !v.IsNull() && !v.IsComputed() {
		if _, ok := resumeWithin(v); !ok {
			fail(keyResumeWithin, `resumeWithin must be a duration that is not negative, such as "30m", "2h" or "0s".`)
		}
	}
	if _, ok := connection.DecodeList(req.Inputs.Get(keyForgetClusters)); !ok {
		fail(keyForgetClusters, "forgetClusters must be a list of cluster ids, none of them empty.")
	}
	_, problems := decodeRules(req.Inputs.Get(keyReadiness))
	wrong = append(wrong, problems...)
	_, problems = decodeIgnore(req.Inputs.Get(keyIgnore))
	wrong = append(wrong, problems...)
	return p.CheckResponse{Inputs: connection.MarkSecret(inputs), Failures: wrong}, nil
}

// Diff never replaces the provider: a replaced provider would replace every resource with it. A change takes effect
// with the next request. Each resource finds out for its own object whether the change leads to another cluster.
func (c *Configuration) Diff(_ context.Context, req p.DiffRequest) (p.DiffResponse, error) {
	diff := p.DiffResponse{DetailedDiff: map[string]p.PropertyDiff{}}
	change := req.OldInputs.Diff(req.Inputs)
	if change == nil {
		return diff, nil
	}
	for _, key := range change.ChangedKeys() {
		if strings.HasPrefix(key, "__") || key == "version" {
			continue
		}
		kind := p.Update
		switch {
		case change.Added(key):
			kind = p.Add
		case !change.Updated(key):
			kind = p.Delete
		}
		diff.HasChanges = true
		diff.DetailedDiff[key] = p.PropertyDiff{Kind: kind, InputDiff: true}
	}
	return diff, nil
}

// Configure applies the configuration. It does not use the network.
func (c *Configuration) Configure(_ context.Context, req p.ConfigureRequest) error {
	c.source.Configure(req.Args)
	c.driftInRefresh.Store(values.Text(req.Args.Get(keyDriftDetection)) == driftInRefresh)
	c.conflictPolicy.Store(values.Text(req.Args.Get(policy.KeyConflictPolicy)))
	within, ok := resumeWithin(req.Args.Get(keyResumeWithin))
	if !ok {
		within = defaultResumeWithin
	}
	c.resumeWithin.Store(int64(within))
	forgotten, _ := connection.DecodeList(req.Args.Get(keyForgetClusters))
	c.source.Forget(forgotten)
	rules, _ := decodeRules(req.Args.Get(keyReadiness)) // settings that Check has refused never arrive here
	c.rules.Store(rules)
	ignored, _ := decodeIgnore(req.Args.Get(keyIgnore))
	c.ignore.Store(ignored)
	return nil
}

// resumeWithin reads the duration.
func resumeWithin(v property.Value) (time.Duration, bool) {
	if !v.IsString() {
		return 0, false
	}
	within, err := time.ParseDuration(v.AsString())
	return within, err == nil && within >= 0
}
