package state

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/ownership"
)

const (
	// HeadType is the type of the head.
	HeadType corev1.SecretType = "platform.example.com/state"
	// ChunkType is the type of the chunks.
	ChunkType corev1.SecretType = "platform.example.com/state-chunk"
)

var (
	// ErrOvertaken says that someone else has written the head since it was read: whoever gets it has lost, and stops.
	ErrOvertaken = errors.New("another run has written the state")
	// ErrForeign says that the Secret under the name of the state is not of this Environment. It is neither read nor written.
	ErrForeign = errors.New("it is not the state of this Environment")
	// ErrDamaged says that the state in the Secrets is not what was saved.
	ErrDamaged = errors.New("the state is damaged")
)

// Store is where the state of one Environment is. Its client reads from the API server: of a cache it could get a head
// that was replaced long ago.
type Store struct {
	client      client.Client
	namespace   string
	environment string
	name        string
}

// New opens the state of an Environment.
func New(direct client.Client, namespace, environment string) *Store {
	named := v1alpha1.Environment{ObjectMeta: metav1.ObjectMeta{Name: environment}}
	return &Store{client: direct, namespace: namespace, environment: environment, name: named.StateSecretName()}
}

// CreateEmpty makes the head of an Environment that has run nothing yet. A head that is there is left as it is; a Secret of others
// under its name is ErrForeign.
func (s *Store) CreateEmpty(ctx context.Context) error {
	data, err := encode(&Head{}, nil)
	if err != nil {
		return err
	}
	head := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:  s.namespace,
			Name:       s.name,
			Labels:     ownership.Labels(s.environment, v1alpha1.PartHead),
			Finalizers: []string{v1alpha1.StateFinalizer},
		},
		Type: HeadType,
		Data: data,
	}
	err = s.client.Create(ctx, head)
	if apierrors.IsAlreadyExists(err) {
		_, err = s.secret(ctx)
		return err
	}
	if err != nil {
		return fmt.Errorf("create the state %s/%s: %w", s.namespace, s.name, err)
	}
	return nil
}

// ReadHead returns the newest revision without its checkpoint, for whoever only looks: it cannot be saved.
func (s *Store) ReadHead(ctx context.Context) (*Head, error) {
	secret, err := s.secret(ctx)
	if err != nil {
		return nil, err
	}
	head, err := s.decode(secret)
	if err == nil && len(head.chunks) > 0 {
		head.partial = true
	}
	return head, err
}

// Read returns the newest revision.
func (s *Store) Read(ctx context.Context) (*Head, error) {
	// A head that was replaced while its chunks were read has lost them. The new one has its own.
	for {
		head, err := s.read(ctx)
		if err == nil || !errors.Is(err, ErrDamaged) {
			return head, err
		}
		again, readErr := s.secret(ctx)
		if readErr != nil {
			return nil, readErr
		}
		if head != nil && again.ResourceVersion == head.secret.ResourceVersion {
			return nil, err
		}
	}
}

func (s *Store) read(ctx context.Context) (*Head, error) {
	secret, err := s.secret(ctx)
	if err != nil {
		return nil, err
	}
	head, err := s.decode(secret)
	if err == nil && len(head.chunks) > 0 {
		head.checkpoint, err = s.assemble(ctx, head.chunks)
	}
	return head, err
}

// decode returns a head also where it is damaged, to be compared.
func (s *Store) decode(secret *corev1.Secret) (*Head, error) {
	head, err := decode(secret.Data)
	if err != nil {
		return &Head{secret: secret, partial: true}, fmt.Errorf("%w: Secret %s/%s: %w. Restore it from a backup", ErrDamaged, s.namespace, s.name, err)
	}
	head.secret = secret
	return head, nil
}

func (s *Store) secret(ctx context.Context) (*corev1.Secret, error) {
	var secret corev1.Secret
	if err := s.client.Get(ctx, client.ObjectKey{Namespace: s.namespace, Name: s.name}, &secret); err != nil {
		return nil, fmt.Errorf("read the state %s/%s: %w", s.namespace, s.name, err)
	}
	if !ownership.IsPart(&secret, s.environment, v1alpha1.PartHead) {
		return nil, fmt.Errorf("read the state: Secret %s/%s: %w", s.namespace, s.name, ErrForeign)
	}
	return &secret, nil
}

// Save writes a head, which was read or saved before and changed since, as the next revision. Everything is in place
// before the head names it, so that a reader finds the old revision or this one, whole. What no head names any more is
// removed afterwards; what cannot be removed is left to the next Save.
//
// An error that is not ErrOvertaken leaves open whether the head was written. Save the same Head again.
func (s *Store) Save(ctx context.Context, head *Head) error {
	if head.partial {
		return errors.New("save the state: the head was read without its checkpoint, which would be lost")
	}
	leftovers, err := s.chunks(ctx)
	if err != nil {
		return err
	}
	chunks, err := s.writeChunks(ctx, head)
	if err != nil {
		return err
	}
	if err := s.replace(ctx, head, chunks); err != nil {
		return err
	}
	head.chunks, head.changed = chunks, false
	if err := s.collect(ctx, leftovers, chunks); err != nil {
		log.FromContext(ctx).Error(err, "Parts of an older state are left. The next save removes them.")
	}
	return nil
}

// replace is the commit.
func (s *Store) replace(ctx context.Context, head *Head, chunks []chunk) error {
	next := *head
	if head.changed {
		next.Revision++
	}
	data, err := encode(&next, chunks)
	if err != nil {
		return err
	}
	written := head.secret.DeepCopy()
	written.Data = data
	err = s.client.Update(ctx, written)
	if apierrors.IsConflict(err) {
		// An earlier attempt may have succeeded without an answer, or someone has put a label on it.
		current, readErr := s.secret(ctx)
		if readErr != nil {
			return readErr
		}
		if mine(head, current) {
			written = current.DeepCopy()
			written.Data = data
			err = s.client.Update(ctx, written)
		}
	}
	switch {
	case apierrors.IsConflict(err), apierrors.IsNotFound(err):
		return fmt.Errorf("%w: Secret %s/%s: %w", ErrOvertaken, s.namespace, s.name, err)
	case err != nil:
		return fmt.Errorf("save the state %s/%s: %w", s.namespace, s.name, err)
	}
	head.Revision, head.secret = next.Revision, written
	return nil
}

// mine says whether what is there was written by the pod that writes now.
func mine(head *Head, current *corev1.Secret) bool {
	there, err := decode(current.Data)
	return err == nil && current.UID == head.secret.UID && head.Record.PodUID != "" &&
		there.Record.PodUID == head.Record.PodUID && there.Record.Serial == head.Record.Serial
}
