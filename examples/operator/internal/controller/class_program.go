package controller

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/artifact"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/class"
)

// revision is the newest one of a class.
type revision struct {
	*class.Revision

	// after is when the program is looked at again; 0 is when a watch tells of it.
	after time.Duration
	// reason is why it is not what the class says now, if it is not, and before begins each message about its rollout.
	reason, before string
}

// revise keeps the newest revision, nil if there is none.
func (r *ClassReconciler) revise(ctx context.Context, of *v1alpha1.EnvironmentClass, status *v1alpha1.EnvironmentClassStatus) (*revision, error) {
	if of.Spec.Program != nil {
		return r.reviseFromRegistry(ctx, of, status)
	}
	r.lookups.forget(of.Name)
	status.Artifact = nil
	meta.RemoveStatusCondition(&status.Conditions, v1alpha1.ConditionProgramFetched)
	program := &corev1.ConfigMap{}
	if of.Spec.Template.Program.Image != "" {
		return r.keep(ctx, of, program, status) // The template says all.
	}
	key := client.ObjectKey{Namespace: of.Spec.Namespace, Name: of.Spec.Template.Program.ConfigMapRef.Name}
	err := r.Direct.Get(ctx, key, program)
	if apierrors.IsNotFound(err) {
		r.says(of, status, v1alpha1.ConditionRolledOut, metav1.ConditionFalse, "ProgramMissing", fmt.Sprintf(
			"ConfigMap %s is not there, and spec.template.program.configMapRef names it. Environments that exist stay as they are.", key))
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return r.keep(ctx, of, program, status)
}

// keep makes the ConfigMap of the revision that a class has with a program, and makes it the newest one.
func (r *ClassReconciler) keep(
	ctx context.Context, of *v1alpha1.EnvironmentClass, program *corev1.ConfigMap, status *v1alpha1.EnvironmentClassStatus,
) (*revision, error) {
	snapshot, err := class.Snapshot(of, program)
	if err != nil {
		return nil, err
	}
	kept := &corev1.ConfigMap{}
	err = r.Direct.Get(ctx, client.ObjectKeyFromObject(snapshot), kept)
	if apierrors.IsNotFound(err) {
		err = r.Direct.Create(ctx, snapshot, client.FieldOwner(FieldManager))
		kept = snapshot
	}
	if apierrors.IsNotFound(err) {
		r.says(of, status, v1alpha1.ConditionRolledOut, metav1.ConditionFalse, "NamespaceMissing", fmt.Sprintf("The namespace %s does not exist. Create it.", of.Spec.Namespace))
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	newest, err := class.Open(of.Name, kept)
	if err != nil {
		r.says(of, status, v1alpha1.ConditionRolledOut, metav1.ConditionFalse, "NameTaken", err.Error()+". It was not touched. Delete it.")
		return nil, nil
	}
	status.Revision = newest.Name
	return &revision{Revision: newest}, nil
}

// reviseFromRegistry keeps the revision with what the registry has, as soon as that is known. Until then, and whatever is wrong with the
// registry, the last one goes on: its ConfigMap has the program.
func (r *ClassReconciler) reviseFromRegistry(
	ctx context.Context, of *v1alpha1.EnvironmentClass, status *v1alpha1.EnvironmentClassStatus,
) (*revision, error) {
	from := of.Spec.Program.OCI
	last, err := r.lastRevision(ctx, of, status)
	if err != nil {
		return nil, err
	}
	known := v1alpha1.FetchedArtifact{}
	if last != nil && status.Artifact != nil {
		known = *status.Artifact
	}
	if from.Digest != "" && from.Digest == known.Digest {
		r.lookups.forget(of.Name)
		return r.keepFetched(ctx, of, last, known.Digest, status) // Whatever has this digest is this.
	}
	version, err := r.versionOf(ctx, of)
	if err != nil {
		return nil, err
	}
	answer, after := r.lookups.ask(of.Name, version, known.Digest, interval(of), func(ctx context.Context) (artifact.Found, error) {
		return r.pull(ctx, of, known.Digest)
	})
	if answer != nil && answer.problem == nil {
		program := last
		if answer.found.Digest != known.Digest {
			program = asConfigMap(answer.found.Files)
		}
		newest, err := r.keepFetched(ctx, of, program, answer.found.Digest, status)
		if newest != nil {
			newest.after = after
		}
		return newest, err
	}
	if answer != nil {
		r.fetchFailed(of, status, answer.problem, last != nil)
	}
	isProgram := from.Digest == "" && from.Ref == known.Ref
	newest, err := r.goOn(ctx, of, last, isProgram, status)
	if newest != nil {
		newest.after = after
	}
	return newest, err
}

// keepFetched keeps a program from a registry as the newest revision, and says so.
func (r *ClassReconciler) keepFetched(
	ctx context.Context, of *v1alpha1.EnvironmentClass, program *corev1.ConfigMap, digest string, status *v1alpha1.EnvironmentClassStatus,
) (*revision, error) {
	newest, err := r.keep(ctx, of, program, status)
	if err != nil || newest == nil {
		return nil, err
	}
	from := of.Spec.Program.OCI
	message := fmt.Sprintf("The program is %s@%s.", from.Ref, digest)
	status.Artifact = &v1alpha1.FetchedArtifact{Ref: from.Ref, Digest: digest}
	r.says(of, status, v1alpha1.ConditionProgramFetched, metav1.ConditionTrue, "Fetched", message)
	return newest, nil
}

// goOn goes on with the last revision while the registry has not said what the program is. If it is known to be the program that the class
// names, a changed template is rolled out with it.
func (r *ClassReconciler) goOn(
	ctx context.Context, of *v1alpha1.EnvironmentClass, last *corev1.ConfigMap, isProgram bool, status *v1alpha1.EnvironmentClassStatus,
) (*revision, error) {
	fetched := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionProgramFetched)
	asked := fetched != nil && fetched.ObservedGeneration == of.Generation
	switch {
	case last == nil && asked && fetched.Status == metav1.ConditionFalse:
		r.says(of, status, v1alpha1.ConditionRolledOut, metav1.ConditionFalse, fetched.Reason, "There is no program yet. "+fetched.Message)
		return nil, nil
	case last == nil:
		r.says(of, status, v1alpha1.ConditionRolledOut, metav1.ConditionFalse, "Progressing", fmt.Sprintf(
			"There is no program yet: the registry is asked for %s.", of.Spec.Program.OCI.Ref))
		return nil, nil
	case asked && isProgram:
		return r.keep(ctx, of, last, status)
	}
	opened, err := class.Open(of.Name, last)
	if err != nil {
		return nil, err
	}
	newest := &revision{Revision: opened, reason: "Progressing", before: "The registry is asked for the program. The last revision goes on: "}
	if asked {
		newest.reason, newest.before = fetched.Reason, "The program could not be fetched, as ProgramFetched says. The last revision goes on: "
	}
	return newest, nil
}

// fetchFailed says what happened.
func (r *ClassReconciler) fetchFailed(of *v1alpha1.EnvironmentClass, status *v1alpha1.EnvironmentClassStatus, problem *artifact.Problem, goesOn bool) {
	message := problem.Message
	if goesOn {
		message += " The last revision goes on."
	}
	r.says(of, status, v1alpha1.ConditionProgramFetched, metav1.ConditionFalse, problem.Reason, message)
}

// compare says whether the schema and the program agree.
func (r *ClassReconciler) compare(of *v1alpha1.EnvironmentClass, newest *class.Revision, status *v1alpha1.EnvironmentClassStatus) {
	if newest.Template.Program.Image != "" { // Nothing is known of it but its name.
		meta.RemoveStatusCondition(&status.Conditions, v1alpha1.ConditionProgramAgrees)
		return
	}
	reason, message := class.Disagreement(of, newest)
	if reason == "" {
		r.says(of, status, v1alpha1.ConditionProgramAgrees, metav1.ConditionTrue, "Agrees", "The program knows what objects may set, and gets what it requires, as far as Pulumi.yaml says.")
		return
	}
	r.says(of, status, v1alpha1.ConditionProgramAgrees, metav1.ConditionFalse, reason, message)
}

// lastRevision is the ConfigMap of the newest revision so far, nil if there is none.
func (r *ClassReconciler) lastRevision(ctx context.Context, of *v1alpha1.EnvironmentClass, status *v1alpha1.EnvironmentClassStatus) (*corev1.ConfigMap, error) {
	if status.Revision == "" {
		return nil, nil
	}
	last := &corev1.ConfigMap{}
	err := r.Direct.Get(ctx, client.ObjectKey{Namespace: of.Spec.Namespace, Name: status.Revision}, last)
	if err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	if _, err := class.Open(of.Name, last); err != nil {
		return nil, nil // One of others has its name.
	}
	return last, nil
}

// pull asks the registry.
func (r *ClassReconciler) pull(ctx context.Context, of *v1alpha1.EnvironmentClass, known string) (artifact.Found, error) {
	from := of.Spec.Program.OCI
	source := artifact.Source{Ref: from.Ref, Digest: from.Digest}
	if key := pullSecret(of); key.Name != "" {
		secret := &corev1.Secret{}
		if err := r.Direct.Get(ctx, key, secret); err != nil {
			return artifact.Found{}, &artifact.Problem{Reason: artifact.ReasonPullSecretInvalid, Message: fmt.Sprintf(
				"The pull Secret %s cannot be read: %v. Create it by kubectl create secret docker-registry, or correct pullSecretRef.", key, err)}
		}
		var err error
		if source.Login, err = artifact.LoginOf(secret); err != nil {
			return artifact.Found{}, err
		}
	}
	return artifact.Look(ctx, source, known)
}

// versionOf is another one when the registry has to be asked again at once.
func (r *ClassReconciler) versionOf(ctx context.Context, of *v1alpha1.EnvironmentClass) (string, error) {
	version := fmt.Sprintf("%s/%d", of.UID, of.Generation)
	key := pullSecret(of)
	if key.Name == "" {
		return version, nil
	}
	secret, err := r.metadataOf(ctx, "Secret", key.Namespace, key.Name)
	if err != nil {
		return version, client.IgnoreNotFound(err)
	}
	return version + "/" + string(secret.UID) + "/" + secret.ResourceVersion, nil
}

// pullSecret is the Secret that a class pulls its program with.
func pullSecret(of *v1alpha1.EnvironmentClass) types.NamespacedName {
	if of.Spec.Program == nil || of.Spec.Program.OCI.PullSecretRef == nil {
		return types.NamespacedName{}
	}
	return types.NamespacedName{Namespace: of.Spec.Namespace, Name: of.Spec.Program.OCI.PullSecretRef.Name}
}

func interval(of *v1alpha1.EnvironmentClass) time.Duration {
	const byDefault = 10 * time.Minute
	if set := of.Spec.Program.OCI.Interval; set != nil {
		return set.Duration
	}
	return byDefault
}

// asConfigMap has files as a person would put them into a ConfigMap: texts as texts.
func asConfigMap(files map[string][]byte) *corev1.ConfigMap {
	texts, others := map[string]string{}, map[string][]byte{}
	for name, content := range files {
		if utf8.Valid(content) {
			texts[name] = string(content)
		} else {
			others[name] = content
		}
	}
	program := &corev1.ConfigMap{Data: texts}
	if len(others) > 0 { // The API server keeps no empty map, and the revision is named after what it keeps.
		program.BinaryData = others
	}
	return program
}
