package runner

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/stack"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// deploymentVersion is the version of what "pulumi stack export" writes that is read here.
const deploymentVersion = 3

// Export returns the state of an Environment as "pulumi stack export" writes it. Its secrets stay encrypted.
func Export(ctx context.Context, direct client.Client, namespace, environment string) ([]byte, error) {
	head, err := state.New(direct, namespace, environment).Read(ctx)
	if err != nil {
		return nil, err
	}
	deployment, err := unpack(head.Checkpoint())
	if err != nil {
		return nil, err
	}
	content, err := json.Marshal(deployment)
	if err != nil {
		return nil, fmt.Errorf("export the state: %w", err)
	}
	return json.MarshalIndent(apitype.UntypedDeployment{Version: deploymentVersion, Deployment: content}, "", "    ")
}

// Import replaces the state of an Environment by what Export returned, or "pulumi stack export" wrote, of the same stack. It refuses a state
// whose secrets the Environment's passphrase does not open, one of another project or stack, and any while a run holds the Lease. A run that
// begins meanwhile makes one of the two fail, and nothing is lost. Outputs are those of the state; one that was not known before is shown
// in the Secret alone until the next run.
func Import(ctx context.Context, direct client.Client, namespace, environment string, exported []byte) error {
	if holder, err := leaseHolder(ctx, direct, namespace, environment); err != nil {
		return err
	} else if holder != "" {
		return fmt.Errorf("import the state: the pod %s works on it. Set spec.suspend to true, and wait until its run has ended", holder)
	}
	deployment, err := readExported(exported)
	if err != nil {
		return err
	}
	key, err := openKey(ctx, direct, namespace, environment)
	if err != nil {
		return err
	}
	if err := (&run{key: key, secrets: &redactor{}}).hide(ctx, deployment); err != nil {
		return fmt.Errorf("import the state: %w. Restore the Secret with the passphrase that it was exported with first", err)
	}
	var owner v1alpha1.Environment
	if err := direct.Get(ctx, client.ObjectKey{Namespace: namespace, Name: environment}, &owner); client.IgnoreNotFound(err) != nil {
		return err
	}
	store := state.New(direct, namespace, environment)
	if err := store.CreateEmpty(ctx); err != nil {
		return err
	}
	head, err := store.Read(ctx)
	if err != nil {
		return err
	}
	name := stack.Name(namespace, environment)
	project, err := projectOf(deployment, name, head.Project)
	if err != nil {
		return fmt.Errorf("import the state: %w", err)
	}
	checkpoint, err := pack(deployment, stack.Qualified("", project, name))
	if err != nil {
		return err
	}
	made, err := outputs(ctx, key, &redactor{}, deployment)
	if err != nil {
		return fmt.Errorf("import the state: %w", err)
	}
	for key, output := range made {
		// What the run was given, which makes an output secret, is not known here.
		was, known := head.Outputs[key]
		output.Secret = output.Secret || !known || was.Secret
		made[key] = output
	}
	now := metav1.Now()
	head.Record = state.Record{
		Serial: max(head.Record.Serial, owner.Status.Serial, 1), Kind: v1alpha1.OperationUpdate, Outcome: state.Succeeded, Imported: true,
		StartedAt: now, EndedAt: now, Applied: true, // With which inputs it was made is not known.
	}
	inventory(&head.Record, deployment, namespace, nil)
	head.Project, head.Outputs = project, made
	head.SetCheckpoint(checkpoint)
	return store.Save(ctx, head)
}

// Cancel takes the Lease from the run that holds it, which then ends without saving more, and names its pod; empty if none holds it.
func Cancel(ctx context.Context, direct client.Client, namespace, environment string) (string, error) {
	lease, err := ownLease(ctx, direct, namespace, environment)
	if err != nil || lease == nil || ptr.Deref(lease.Spec.HolderIdentity, "") == "" {
		return "", err
	}
	lease.Spec.HolderIdentity = new(string)
	return lease.Annotations[v1alpha1.AnnotationPod], direct.Update(ctx, lease)
}

func leaseHolder(ctx context.Context, direct client.Client, namespace, environment string) (string, error) {
	lease, err := ownLease(ctx, direct, namespace, environment)
	if err != nil || lease == nil || ptr.Deref(lease.Spec.HolderIdentity, "") == "" {
		return "", err
	}
	return lease.Annotations[v1alpha1.AnnotationPod], nil
}

// ownLease is the Environment's; nil if there is none.
func ownLease(ctx context.Context, direct client.Client, namespace, environment string) (*coordinationv1.Lease, error) {
	named := v1alpha1.Environment{ObjectMeta: metav1.ObjectMeta{Name: environment}}
	lease := &coordinationv1.Lease{}
	err := direct.Get(ctx, client.ObjectKey{Namespace: namespace, Name: named.LeaseName()}, lease)
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read the Lease %s/%s: %w", namespace, named.LeaseName(), err)
	case !ownership.IsPart(lease, environment, ""):
		return nil, fmt.Errorf("read the Lease %s/%s: %w", namespace, named.LeaseName(), errForeignLease)
	}
	return lease, nil
}

func openKey(ctx context.Context, direct client.Client, namespace, environment string) (stack.Key, error) {
	named := v1alpha1.Environment{ObjectMeta: metav1.ObjectMeta{Name: environment}}
	var secret corev1.Secret
	if err := direct.Get(ctx, client.ObjectKey{Namespace: namespace, Name: named.PassphraseSecretName()}, &secret); err != nil {
		return stack.Key{}, fmt.Errorf("read the passphrase of the state: %w. Restore it from the backup, or let the Environment make one", err)
	}
	if !ownership.IsPart(&secret, environment, v1alpha1.PartPassphrase) {
		return stack.Key{}, fmt.Errorf("read the passphrase of the state: the Secret %s/%s is not of the Environment %s. Delete or rename that object", namespace, secret.Name, environment)
	}
	return stack.Open(string(secret.Data[stack.PassphraseKey]), string(secret.Data[stack.SaltKey]))
}

func readExported(exported []byte) (*apitype.DeploymentV3, error) {
	var untyped apitype.UntypedDeployment
	if err := decodeExactly(exported, &untyped); err != nil {
		return nil, fmt.Errorf("import the state: it is not what `pulumi stack export` writes: %w", err)
	}
	if untyped.Version != deploymentVersion || len(untyped.Features) > 0 {
		return nil, fmt.Errorf("import the state: it has version %d and the features %v, and this operator knows version %d alone", untyped.Version, untyped.Features, deploymentVersion)
	}
	deployment := &apitype.DeploymentV3{}
	if err := decodeExactly(untyped.Deployment, deployment); err != nil {
		return nil, fmt.Errorf("import the state: it is not what `pulumi stack export` writes: %w", err)
	}
	return deployment, nil
}

// projectOf is the project whose resources a state has. It is the one that was there, if that is known. The resources are those of the
// stack: others would be deleted by the next run, and made once more.
func projectOf(deployment *apitype.DeploymentV3, name, was string) (string, error) {
	for _, resource := range deployment.Resources {
		if from := resource.URN.Stack(); from.String() != name {
			return "", fmt.Errorf("it is of the stack %q, and this Environment has %q: the next run would delete what is there and make it once more. Take it from "+
				"an Environment by `operator state move`, or rename a stack of your own by `pulumi stack rename %[2]s`, and import what that exports then", from, name)
		}
		project := string(resource.URN.Project())
		if was != "" && was != project {
			return "", fmt.Errorf("it is of the project %q, and the Environment has %q", project, was)
		}
		was = project
	}
	if was == "" {
		return "", errors.New("it has no resources")
	}
	return was, nil
}

// pack is the checkpoint that unpack reads.
func pack(deployment *apitype.DeploymentV3, name string) ([]byte, error) {
	latest, err := json.Marshal(apitype.CheckpointV3{Stack: tokens.QName(name), Latest: deployment})
	if err != nil {
		return nil, fmt.Errorf("import the state: %w", err)
	}
	content, err := json.Marshal(apitype.VersionedCheckpoint{Version: deploymentVersion, Checkpoint: latest})
	if err != nil {
		return nil, fmt.Errorf("import the state: %w", err)
	}
	var packed bytes.Buffer
	compressed := gzip.NewWriter(&packed)
	if _, err := compressed.Write(content); err != nil {
		return nil, err
	}
	if err := compressed.Close(); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}
