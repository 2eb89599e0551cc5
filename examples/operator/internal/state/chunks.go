package state

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/ownership"
)

const (
	// capacity is how much a Secret takes: 1 MiB is the API server's limit for all of its data, and the head has a record and
	// outputs, too.
	capacity = 900_000
	// keyContent is the key of a chunk's data.
	keyContent = "content"
	// annotationNamed changes when a head is about to name a chunk that was left from before.
	annotationNamed = "platform.example.com/state-named"
)

// writeChunks writes what of a head does not fit into its Secret, and says what the head has to name.
func (s *Store) writeChunks(ctx context.Context, head *Head) ([]chunk, error) {
	data, err := encode(head, nil)
	if err != nil {
		return nil, err
	}
	size := 0
	for _, value := range data {
		size += len(value)
	}
	if size <= capacity {
		return nil, nil
	}
	if !head.changed && len(head.chunks) > 0 {
		return head.chunks, nil
	}
	var chunks []chunk
	for content := range slices.Chunk(head.checkpoint, capacity) {
		hash := sha256.Sum256(content)
		sum := hex.EncodeToString(hash[:])
		part := chunk{Name: s.name + "-" + sum[:32], SHA256: sum}
		if !slices.Contains(head.chunks, part) && !slices.Contains(chunks, part) {
			if err := s.writeChunk(ctx, part.Name, content); err != nil {
				return nil, fmt.Errorf("save a part of the state, %s/%s: %w", s.namespace, part.Name, err)
			}
		}
		chunks = append(chunks, part)
	}
	return chunks, nil
}

func (s *Store) writeChunk(ctx context.Context, name string, content []byte) error {
	for {
		immutable := true
		err := s.client.Create(ctx, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{
				Namespace:  s.namespace,
				Name:       name,
				Labels:     ownership.Labels(s.environment, v1alpha1.PartChunk),
				Finalizers: []string{v1alpha1.StateFinalizer},
			},
			Type:      ChunkType,
			Immutable: &immutable,
			Data:      map[string][]byte{keyContent: content},
		})
		if !apierrors.IsAlreadyExists(err) {
			return err
		}
		gone, err := s.keep(ctx, name)
		if !gone {
			return err
		}
	}
}

// keep takes over a chunk that a save left which did not come to its head. Someone may be about to remove it: the change
// makes their removal fail.
func (s *Store) keep(ctx context.Context, name string) (gone bool, err error) {
	key := client.ObjectKey{Namespace: s.namespace, Name: name}
	var left corev1.Secret
	if err := s.client.Get(ctx, key, &left); err != nil {
		return apierrors.IsNotFound(err), err
	}
	if !ownership.IsPart(&left, s.environment, v1alpha1.PartChunk) {
		return false, fmt.Errorf("read a part of the state: Secret %s/%s: %w", s.namespace, name, ErrForeign)
	}
	if left.DeletionTimestamp != nil {
		// Nothing can bring it back, but without its finalizer it goes at once.
		err := s.release(ctx, &left)
		return err == nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err), err
	}
	metav1.SetMetaDataAnnotation(&left.ObjectMeta, annotationNamed, string(uuid.NewUUID()))
	controllerutil.AddFinalizer(&left, v1alpha1.StateFinalizer)
	err = s.client.Update(ctx, &left)
	return apierrors.IsNotFound(err) || apierrors.IsConflict(err), err
}

// assemble puts a checkpoint together.
func (s *Store) assemble(ctx context.Context, chunks []chunk) ([]byte, error) {
	var content []byte
	for _, part := range chunks {
		var secret corev1.Secret
		err := s.client.Get(ctx, client.ObjectKey{Namespace: s.namespace, Name: part.Name}, &secret)
		if apierrors.IsNotFound(err) {
			return nil, fmt.Errorf("%w: Secret %s/%s, a part of it, is gone. Restore it from a backup", ErrDamaged, s.namespace, part.Name)
		}
		if err != nil {
			return nil, fmt.Errorf("read a part of the state, %s/%s: %w", s.namespace, part.Name, err)
		}
		if hash := sha256.Sum256(secret.Data[keyContent]); hex.EncodeToString(hash[:]) != part.SHA256 {
			return nil, fmt.Errorf("%w: Secret %s/%s has other content than was saved. Restore it from a backup", ErrDamaged, s.namespace, part.Name)
		}
		content = append(content, secret.Data[keyContent]...)
	}
	return content, nil
}

// chunks lists all chunks that are there, without their content.
func (s *Store) chunks(ctx context.Context) ([]metav1.PartialObjectMetadata, error) {
	list := metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("SecretList"))
	err := s.client.List(ctx, &list, client.InNamespace(s.namespace),
		client.MatchingLabels{v1alpha1.LabelEnvironment: s.environment, v1alpha1.LabelPart: v1alpha1.PartChunk})
	if err != nil {
		return nil, fmt.Errorf("list the parts of the state %s/%s: %w", s.namespace, s.name, err)
	}
	for i := range list.Items {
		list.Items[i].SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	}
	return list.Items, nil
}

// collect removes chunks that were there before the head was replaced, as they were then, and that it does not name. So
// it cannot remove what a newer run has written since, or is about to name.
func (s *Store) collect(ctx context.Context, candidates []metav1.PartialObjectMetadata, named []chunk) error {
	var failures []error
	for i := range candidates {
		candidate := &candidates[i]
		if slices.ContainsFunc(named, func(part chunk) bool { return part.Name == candidate.Name }) {
			continue
		}
		if err := s.remove(ctx, candidate); err != nil {
			failures = append(failures, err)
		}
	}
	return errors.Join(failures...)
}
