package controller

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/inputs"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/plan"
)

// observeInputs hashes what the spec leads to: the content of the program, the configuration, and which values its secrets have. It
// reads a secret when it has another version than the one that was read last.
func (r *Reconciler) observeInputs(ctx context.Context, observed *plan.Observed) error {
	environment := observed.Environment
	program, problem, err := r.programHash(ctx, environment)
	if err != nil || problem != nil {
		observed.Inputs.Problem = problem
		return err
	}
	if observed.Inputs.Problem = givenTwice(&environment.Spec); observed.Inputs.Problem != nil {
		return nil
	}
	values, problem, err := r.observeConfigFrom(ctx, environment)
	if err != nil || problem != nil {
		observed.Inputs.Problem = problem
		return err
	}
	before := maps.Clone(values)
	for _, key := range slices.Sorted(maps.Keys(environment.Spec.SecretConfig)) {
		from := environment.Spec.SecretConfig[key].SecretKeyRef
		secret, err := r.metadataOf(ctx, "Secret", environment.Namespace, from.Name)
		if apierrors.IsNotFound(err) {
			observed.Inputs.Problem = missing("Secret", from.Name, "spec.secretConfig."+key)
			return nil
		}
		if err != nil {
			return err
		}
		if problem := notConfiguration(secret, "spec.secretConfig."+key); problem != nil {
			observed.Inputs.Problem = problem
			return nil
		}
		digests, err := r.digests(ctx, environment, secret)
		if err != nil {
			return err
		}
		if _, has := digests[from.Key]; !has {
			observed.Inputs.Problem = missingKey(from, "spec.secretConfig."+key, slices.Sorted(maps.Keys(digests)))
			return nil
		}
		values[key] = inputs.Value{Secret: from.Name, Key: from.Key, Digest: digests[from.Key]}
		before[key] = inputs.Value{Secret: from.Name, Key: from.Key, ResourceVersion: secret.ResourceVersion}
	}
	config, backend := configOf(environment), backendOf(environment)
	observed.Inputs.Hash = inputs.Hash(program, config, values, backend)
	if old := inputs.Hash(program, config, before, backend); knowsHash(environment, old) {
		observed.Inputs.Hash = old
	}
	return nil
}

// givenTwice says which key of the configuration has two values, nil if none has.
func givenTwice(spec *v1alpha1.EnvironmentSpec) *plan.Problem {
	in := map[string][]string{}
	for key := range spec.Config {
		in[key] = append(in[key], "spec.config")
	}
	for key := range spec.SecretConfig {
		in[key] = append(in[key], "spec.secretConfig")
	}
	for key := range spec.ConfigFrom {
		in[key] = append(in[key], "spec.configFrom")
	}
	for _, key := range slices.Sorted(maps.Keys(in)) {
		if fields := in[key]; len(fields) > 1 {
			return &plan.Problem{Reason: "ConfigInvalid", Message: fmt.Sprintf(
				"The key %q is in %s. Keep one of them.", key, strings.Join(fields, " and in "))}
		}
	}
	return nil
}

// observeCredentials looks whether those of the backend are there. All runs need them, also one that needs no other inputs: a destroy.
func (r *Reconciler) observeCredentials(ctx context.Context, observed *plan.Observed) error {
	environment := observed.Environment
	name := credentialsOf(environment)
	if name == "" {
		return nil
	}
	secret, err := r.metadataOf(ctx, "Secret", environment.Namespace, name)
	switch {
	case apierrors.IsNotFound(err):
		observed.CredentialsProblem = missing("Secret", name, credentialsField)
	case err != nil:
		return err
	default:
		observed.CredentialsProblem = notConfiguration(secret, credentialsField)
	}
	if observed.Inputs.Problem == nil {
		observed.Inputs.Problem = observed.CredentialsProblem
	}
	return nil
}

const credentialsField = "spec.backend.credentialsSecretRef"

// credentialsOf is the name of the Secret with those of the backend; empty if there is none.
func credentialsOf(environment *v1alpha1.Environment) string {
	if backend := environment.Spec.Backend; backend != nil && backend.CredentialsSecretRef != nil {
		return backend.CredentialsSecretRef.Name
	}
	return ""
}

// knowsHash says whether a status has a hash: one of before, by the versions of the secrets, holds as long as these are the same.
func knowsHash(environment *v1alpha1.Environment, hash string) bool {
	status := &environment.Status
	return status.LastApplied != nil && status.LastApplied.Hash == hash ||
		status.CurrentOperation != nil && status.CurrentOperation.InputHash == hash ||
		status.PendingPlan != nil && status.PendingPlan.InputHash == hash ||
		status.Retry != nil && status.Retry.InputHash == hash
}

// digests are those of the values of a Secret, by their keys.
func (r *Reconciler) digests(ctx context.Context, environment *v1alpha1.Environment, metadata *metav1.PartialObjectMetadata) (map[string]string, error) {
	return r.remember(environment, metadata.Name, string(metadata.UID)+"/"+metadata.ResourceVersion, func() (secretDigests, error) {
		var secret corev1.Secret
		err := r.Direct.Get(ctx, client.ObjectKeyFromObject(metadata), &secret)
		return secretDigests{version: string(secret.UID) + "/" + secret.ResourceVersion, digests: digestsOf(&secret)}, err
	})
}

// remember returns what is known of a version of a Secret, and reads it if that is another one.
func (r *Reconciler) remember(
	environment *v1alpha1.Environment, name, version string, read func() (secretDigests, error),
) (map[string]string, error) {
	key := client.ObjectKeyFromObject(environment)
	if known := r.memory.get(key).secrets[name]; known.version == version {
		return known.digests, nil
	}
	now, err := read()
	if err != nil {
		return nil, err
	}
	r.memory.set(key, func(known *remembered) {
		known.secrets = maps.Clone(known.secrets)
		if known.secrets == nil {
			known.secrets = map[string]secretDigests{}
		}
		known.secrets[name] = now
	})
	return now.digests, nil
}

func digestsOf(secret *corev1.Secret) map[string]string {
	digests := map[string]string{}
	for key, value := range secret.Data {
		digests[key] = inputs.Digest(secret.UID, value)
	}
	return digests
}

func missing(kind, name, wantedBy string) *plan.Problem {
	return &plan.Problem{Reason: "InputsMissing", Message: fmt.Sprintf(
		"%s %s is not there, and %s names it. The run begins as soon as it is created.", kind, name, wantedBy)}
}

func missingKey(from v1alpha1.SecretKeyReference, wantedBy string, has []string) *plan.Problem {
	return &plan.Problem{Reason: "InputsMissing", Message: fmt.Sprintf(
		"Secret %s has no key %q, which %s names. It has: %s.", from.Name, from.Key, wantedBy, strings.Join(has, ", "))}
}

// notConfiguration refuses a Secret in which the operator keeps states, passphrases and inputs. Those with outputs are welcome: one
// Environment may be configured with what another one made.
func notConfiguration(secret metav1.Object, wantedBy string) *plan.Problem {
	if !ownership.IsOfAState(secret) {
		return nil
	}
	return &plan.Problem{Reason: "ConfigInvalid", Message: fmt.Sprintf(
		"Secret %s, which %s names, is where the operator keeps something for itself. Name another one.", secret.GetName(), wantedBy)}
}

// programHash reads the program when it has another version than the one that was read last.
func (r *Reconciler) programHash(ctx context.Context, environment *v1alpha1.Environment) (string, *plan.Problem, error) {
	if image := environment.Spec.Program.Image; image != "" {
		return inputs.HashImage(image), nil, nil
	}
	name := environment.Spec.Program.ConfigMapRef.Name
	metadata, err := r.metadataOf(ctx, "ConfigMap", environment.Namespace, name)
	if apierrors.IsNotFound(err) {
		return "", missing("ConfigMap", name, "spec.program.configMapRef"), nil
	}
	if err != nil {
		return "", nil, err
	}
	key, version := client.ObjectKeyFromObject(environment), string(metadata.UID)+"/"+metadata.ResourceVersion
	if known := r.memory.get(key); known.version == version {
		return known.program, nil, nil
	}
	files, problem, err := r.program(ctx, environment)
	if err != nil || problem != nil {
		return "", problem, err
	}
	hash := inputs.HashProgram(files)
	r.memory.set(key, func(known *remembered) { known.version, known.program = version, hash })
	return hash, nil, nil
}

// program reads the files of the program, none of one in an image.
func (r *Reconciler) program(ctx context.Context, environment *v1alpha1.Environment) (map[string][]byte, *plan.Problem, error) {
	if environment.Spec.Program.Image != "" {
		return nil, nil, nil
	}
	name := environment.Spec.Program.ConfigMapRef.Name
	var program corev1.ConfigMap
	err := r.Direct.Get(ctx, client.ObjectKey{Namespace: environment.Namespace, Name: name}, &program)
	if apierrors.IsNotFound(err) {
		return nil, missing("ConfigMap", name, "spec.program.configMapRef"), nil
	}
	if err != nil {
		return nil, nil, err
	}
	files := map[string][]byte{}
	for name, content := range program.Data {
		files[name] = []byte(content)
	}
	maps.Copy(files, program.BinaryData)
	return files, nil, nil
}

func configOf(environment *v1alpha1.Environment) map[string]json.RawMessage {
	config := map[string]json.RawMessage{}
	for key, value := range environment.Spec.Config {
		config[key] = json.RawMessage(value.Raw)
	}
	return config
}

func backendOf(environment *v1alpha1.Environment) string {
	if backend := environment.Spec.Backend; backend != nil {
		return backend.URL
	}
	return ""
}

// gather reads what an operation is run with. The hash is of exactly these values.
func (r *Reconciler) gather(ctx context.Context, environment *v1alpha1.Environment, operation *v1alpha1.Operation) (inputs.Inputs, *plan.Problem, error) {
	gathered := inputs.Inputs{
		Kind: operation.Kind, BackendURL: backendOf(environment), ApprovedPlan: operation.ApprovedPlan,
		Image: environment.Spec.Program.Image, Timeout: environment.Spec.RunTimeout(), Refresh: refreshes(environment, operation),
	}
	if instance := asInstance(r.instanceOf(ctx, environment)); instance != nil {
		gathered.Instance = instance.String()
	}
	if applied := environment.Status.LastApplied; applied != nil {
		gathered.AppliedSerial = applied.Serial
	}
	if detection := environment.Spec.DriftDetection; detection != nil && operation.Kind == v1alpha1.OperationDriftCheck {
		gathered.Correct = (detection.Correct == nil || *detection.Correct) && !environment.Spec.Approval.IsNeeded()
	}
	if name := credentialsOf(environment); name != "" {
		secret, problem, err := r.secret(ctx, environment, name, credentialsField)
		if err != nil || problem != nil {
			return gathered, problem, err
		}
		gathered.Credentials = map[string]string{}
		for name, value := range secret.Data {
			gathered.Credentials[name] = string(value)
		}
	}
	if operation.Kind.IsOfDeletion() {
		return gathered, nil, nil
	}

	files, problem, err := r.program(ctx, environment)
	if err != nil || problem != nil {
		return gathered, problem, err
	}
	gathered.Files, gathered.Config, gathered.SecretConfig = files, configOf(environment), map[string]string{}
	own := maps.Clone(gathered.Config)
	values, problem, err := r.gatherOutputs(ctx, environment, &gathered)
	if err != nil || problem != nil {
		return gathered, problem, err
	}
	before := maps.Clone(values)
	for key, from := range environment.Spec.SecretConfig {
		reference := from.SecretKeyRef
		secret, problem, err := r.secret(ctx, environment, reference.Name, "spec.secretConfig."+key)
		if err != nil || problem != nil {
			return gathered, problem, err
		}
		value, has := secret.Data[reference.Key]
		if !has {
			return gathered, missingKey(reference, "spec.secretConfig."+key, slices.Sorted(maps.Keys(secret.Data))), nil
		}
		gathered.SecretConfig[key] = string(value)
		values[key] = inputs.Value{Secret: reference.Name, Key: reference.Key, Digest: inputs.Digest(secret.UID, value)}
		before[key] = inputs.Value{Secret: reference.Name, Key: reference.Key, ResourceVersion: secret.ResourceVersion}
	}
	program := inputs.HashProgram(files)
	if gathered.Image != "" {
		program = inputs.HashImage(gathered.Image)
	}
	gathered.InputHash = inputs.Hash(program, own, values, gathered.BackendURL)
	if old := inputs.Hash(program, own, before, gathered.BackendURL); old == operation.InputHash {
		gathered.InputHash = old
	}
	return gathered, nil, nil
}

// refreshes says whether a run looks at each object first: one that was asked for, and one that corrects drift by an approved plan.
func refreshes(environment *v1alpha1.Environment, operation *v1alpha1.Operation) bool {
	plan := environment.Status.PendingPlan
	return operation.Request != "" || operation.ApprovedPlan != "" && plan != nil && plan.Drift && plan.Hash == operation.ApprovedPlan
}

func (r *Reconciler) secret(ctx context.Context, environment *v1alpha1.Environment, name, wantedBy string) (*corev1.Secret, *plan.Problem, error) {
	var secret corev1.Secret
	err := r.Direct.Get(ctx, client.ObjectKey{Namespace: environment.Namespace, Name: name}, &secret)
	if apierrors.IsNotFound(err) {
		return nil, missing("Secret", name, wantedBy), nil
	}
	return &secret, notConfiguration(&secret, wantedBy), err
}

// keptInputs are the Secrets with inputs of operations.
func (r *Reconciler) keptInputs(ctx context.Context, environment *v1alpha1.Environment) ([]metav1.PartialObjectMetadata, error) {
	kept := &metav1.PartialObjectMetadataList{}
	kept.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("SecretList"))
	err := r.Client.List(ctx, kept, client.InNamespace(environment.Namespace),
		client.MatchingLabels{v1alpha1.LabelEnvironment: environment.Name, v1alpha1.LabelPart: v1alpha1.PartInputs})
	slices.SortFunc(kept.Items, func(a, b metav1.PartialObjectMetadata) int { return strings.Compare(a.Name, b.Name) })
	return kept.Items, err
}
