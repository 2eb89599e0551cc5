package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/stack"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// move is the way of a state from an Environment that is gone to another one.
type move struct {
	direct   client.Client
	from, to types.NamespacedName
	source   *state.Store
	target   *state.Store
}

// Move gives the state that an Environment has left to another one, which may not exist yet and goes on with the same objects. It returns
// what these are.
//
// It refuses what two could go on with, or nobody: while the first Environment exists, while or after a run of either has not ended, if the
// other one has made something, and if its program, where that is known, is of another project.
//
// The state is in the place of the other one, as a whole, before it goes from the first. So a Move that was interrupted is repeated, and
// until then either place has all of it.
func Move(ctx context.Context, direct client.Client, from, to types.NamespacedName, project string) ([]string, error) {
	m := &move{
		direct: direct, from: from, to: to,
		source: state.New(direct, from.Namespace, from.Name), target: state.New(direct, to.Namespace, to.Name),
	}
	moved, err := m.move(ctx, project)
	if err != nil {
		return nil, fmt.Errorf("move the state of %s to %s: %w", from, to, err)
	}
	var made []string
	for _, resource := range moved.Resources {
		made = append(made, place(resource))
	}
	return made, nil
}

func (m *move) move(ctx context.Context, project string) (*state.Record, error) {
	if m.from == m.to {
		return nil, errors.New("it is there already")
	}
	if err := m.requireGone(ctx); err != nil {
		return nil, err
	}
	left, err := m.source.ReadHead(ctx)
	lost := apierrors.IsNotFound(err)
	if err != nil && !lost {
		return nil, err
	}
	there, unmade := m.target.ReadHead(ctx)
	if client.IgnoreNotFound(unmade) != nil {
		return nil, unmade
	}
	switch {
	case unmade == nil && (lost && strings.HasPrefix(there.MovedFrom, m.mark(nil)) || !lost && there.MovedFrom == m.mark(left)):
		return &there.Record, m.forget(ctx) // An earlier Move was interrupted here, or has ended.
	case lost:
		return nil, fmt.Errorf("there is none: %w. Its Environment was deleted without the annotation %s=true, or has run nothing", err, v1alpha1.AnnotationOrphan)
	}
	if left, err = m.source.Read(ctx); err != nil {
		return nil, err
	}
	deployment, key, err := m.take(ctx, left, project)
	if err != nil {
		return nil, err
	}
	record, err := m.give(ctx, left, deployment, key)
	if err != nil {
		return nil, err
	}
	return record, m.forget(ctx)
}

// mark names the revision of a state that is moved; without one, only whose it is.
func (m *move) mark(of *state.Head) string {
	if of == nil {
		return m.from.String() + " "
	}
	return fmt.Sprintf("%s %s revision %d of run %d", m.from, of.UID(), of.Revision, of.Record.Serial)
}

// requireGone makes sure that nobody goes on with what is moved.
func (m *move) requireGone(ctx context.Context) error {
	err := m.direct.Get(ctx, m.from, &v1alpha1.Environment{})
	if err == nil {
		return fmt.Errorf("the Environment %s exists, and would go on with it. Let it go without its objects: set spec.suspend to true, wait until "+
			"it is Suspended, and then: kubectl annotate -n %s environment %s %s=true && kubectl delete -n %[2]s environment %[3]s",
			m.from, m.from.Namespace, m.from.Name, v1alpha1.AnnotationOrphan)
	}
	if !apierrors.IsNotFound(err) {
		return err
	}
	return m.requireIdle(ctx, m.from)
}

// requireFree makes sure that another state is not in use meanwhile, and that one in a Secret is used at all.
func (m *move) requireFree(ctx context.Context) (*v1alpha1.Environment, error) {
	owner := &v1alpha1.Environment{}
	err := m.direct.Get(ctx, m.to, owner)
	switch {
	case client.IgnoreNotFound(err) != nil:
		return nil, err
	case !owner.DeletionTimestamp.IsZero():
		return nil, fmt.Errorf("the Environment %s is being deleted, and would destroy the objects. Wait until it is gone", m.to)
	case owner.Spec.Backend != nil && owner.Spec.Backend.URL != "":
		return nil, fmt.Errorf("the state of %s is in %s, not in a Secret. Move it there by `pulumi stack rename` and `pulumi stack import`", m.to, owner.Spec.Backend.URL)
	}
	return owner, m.requireIdle(ctx, m.to)
}

func (m *move) requireIdle(ctx context.Context, of types.NamespacedName) error {
	holder, err := leaseHolder(ctx, m.direct, of.Namespace, of.Name)
	if err == nil && holder != "" {
		err = fmt.Errorf("the pod %s/%s works with the state of %s. Wait until its run has ended", of.Namespace, holder, of)
	}
	return err
}

// take reads what is moved, and the key of its secrets.
func (m *move) take(ctx context.Context, left *state.Head, project string) (*apitype.DeploymentV3, stack.Key, error) {
	deployment, err := unpack(left.Checkpoint())
	if err != nil {
		return nil, stack.Key{}, err
	}
	const again = "Create the Environment %s again, let its run end, and let it go then"
	switch {
	case len(deployment.Resources) == 0:
		return nil, stack.Key{}, errors.New("the state in the Secret has no resources: nothing was made, or the state is in a backend of Pulumi")
	case left.Record.Outcome == state.Running:
		return nil, stack.Key{}, fmt.Errorf("run %d was interrupted, and may have made what the state does not know. "+again, left.Record.Serial, m.from)
	case pending(deployment) > 0:
		return nil, stack.Key{}, fmt.Errorf("run %d has begun with %d resources and did not conclude them. "+again, left.Record.Serial, pending(deployment), m.from)
	}
	is, err := projectOf(deployment, stack.Name(m.from.Namespace, m.from.Name), left.Project)
	if err != nil {
		return nil, stack.Key{}, err
	}
	if project != "" && project != is {
		return nil, stack.Key{}, fmt.Errorf("it is of the project %q, and the program of %s calls its project %q, so its run would refuse the state. Call it %[1]q in Pulumi.yaml", is, m.to, project)
	}
	key, err := openKey(ctx, m.direct, m.from.Namespace, m.from.Name)
	return deployment, key, err
}

// give saves the state as that of the other Environment.
func (m *move) give(ctx context.Context, left *state.Head, deployment *apitype.DeploymentV3, key stack.Key) (*state.Record, error) {
	owner, err := m.requireFree(ctx)
	if err != nil {
		return nil, err
	}
	sealed, err := m.makeKey(ctx)
	if err != nil {
		return nil, err
	}
	if err := m.target.CreateEmpty(ctx); err != nil {
		return nil, err
	}
	head, err := m.target.Read(ctx)
	if err != nil {
		return nil, err
	}
	if head.Record.Outcome == state.Running {
		return nil, fmt.Errorf("run %d of %s has not ended, or was interrupted. Wait until it has", head.Record.Serial, m.to)
	}
	if count := head.Record.ResourceCount; count > 0 {
		return nil, fmt.Errorf("%s has a state already, with %d resources, which would be lost. Delete that one with what it has made, and repeat the move. "+
			"If these are the same objects, because an earlier move was interrupted and %s has run since, delete the Secrets of the state that is older", m.to, count, m.from)
	}
	name := stack.Name(m.to.Namespace, m.to.Name)
	change := &restack{from: stack.Name(m.from.Namespace, m.from.Name), to: name, open: key, seal: sealed}
	if err := change.deployment(ctx, deployment); err != nil {
		return nil, err
	}
	protect(deployment)
	checkpoint, err := pack(deployment, stack.Qualified("", left.Project, name))
	if err != nil {
		return nil, err
	}
	now := metav1.Now()
	head.Record = state.Record{
		Serial: max(head.Record.Serial, owner.Status.Serial, 1), Kind: v1alpha1.OperationUpdate, Outcome: state.Succeeded, Imported: true,
		StartedAt: now, EndedAt: now, Applied: true, // With which inputs it was made does not matter: the next run has others.
	}
	inventory(&head.Record, deployment, m.to.Namespace, nil)
	head.Project, head.Outputs, head.MovedFrom = left.Project, left.Outputs, m.mark(left)
	head.SetCheckpoint(checkpoint)
	return &head.Record, m.target.Save(ctx, head)
}

// protect makes the next run fail where it would delete an object because the other program does not have it. What that program has is as
// protected after the run as the program says.
func protect(deployment *apitype.DeploymentV3) {
	for i := range deployment.Resources {
		resource := &deployment.Resources[i]
		isProvider := strings.HasPrefix(string(resource.Type), providerPrefix)
		resource.Protect = resource.Protect || resource.Custom && !isProvider && !resource.External && !resource.Delete
	}
}

// makeKey opens the key of the other Environment, which finds it if it does not exist yet.
func (m *move) makeKey(ctx context.Context) (stack.Key, error) {
	passphrase, salt, err := stack.New()
	if err != nil {
		return stack.Key{}, err
	}
	named := v1alpha1.Environment{ObjectMeta: metav1.ObjectMeta{Name: m.to.Name}}
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: m.to.Namespace, Name: named.PassphraseSecretName(), Finalizers: []string{v1alpha1.StateFinalizer},
			Labels: ownership.Labels(m.to.Name, v1alpha1.PartPassphrase),
		},
		Immutable:  new(true),
		StringData: map[string]string{stack.PassphraseKey: passphrase, stack.SaltKey: salt},
	}
	if err := m.direct.Create(ctx, secret); err != nil && !apierrors.IsAlreadyExists(err) {
		return stack.Key{}, fmt.Errorf("make the passphrase of the state: %w", err)
	}
	return openKey(ctx, m.direct, m.to.Namespace, m.to.Name)
}

// forget removes what was moved. The passphrase goes last: without the state, it is of no use to anyone.
func (m *move) forget(ctx context.Context) error {
	if err := m.requireGone(ctx); err != nil {
		return err
	}
	if err := m.source.Delete(ctx); err != nil {
		return err
	}
	named := v1alpha1.Environment{ObjectMeta: metav1.ObjectMeta{Name: m.from.Name}}
	secret := &corev1.Secret{}
	err := m.direct.Get(ctx, client.ObjectKey{Namespace: m.from.Namespace, Name: named.PassphraseSecretName()}, secret)
	if err != nil || !ownership.IsPart(secret, m.from.Name, v1alpha1.PartPassphrase) {
		return client.IgnoreNotFound(err)
	}
	if controllerutil.RemoveFinalizer(secret, v1alpha1.StateFinalizer) {
		if err := m.direct.Update(ctx, secret); err != nil {
			return client.IgnoreNotFound(err)
		}
	}
	return client.IgnoreNotFound(m.direct.Delete(ctx, secret, client.Preconditions{UID: &secret.UID}))
}
