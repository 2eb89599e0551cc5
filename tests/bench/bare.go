package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// bare makes the provider's requests with client-go, as many at a time as the engine, and nothing else: what
// is sent is encoded beforehand, and what comes back is not decoded. It is what the API server costs.
type bare struct {
	stack     stack
	namespace string
	config    *rest.Config
}

func (b bare) run(ctx context.Context, s step) (usage, error) {
	clients, err := kubernetes.NewForConfig(b.config)
	if err != nil {
		return usage{}, fmt.Errorf("client: %w", err)
	}
	bodies := make([][]byte, len(b.stack.objects))
	for i, o := range b.stack.objects {
		if bodies[i], err = b.body(o, s); err != nil {
			return usage{}, fmt.Errorf("%s: %w", o.name, err)
		}
	}
	began := time.Now()
	for _, p := range s.bare {
		var group errgroup.Group
		group.SetLimit(parallel)
		for i, o := range b.stack.objects {
			one := func(r request) error {
				if err := b.send(ctx, clients.Discovery().RESTClient(), o, r, bodies[i]); err != nil {
					return fmt.Errorf("%s: %w", o.name, err)
				}
				return nil
			}
			if p.before != nothing {
				if err := one(p.before); err != nil {
					return usage{}, errors.Join(err, group.Wait())
				}
			}
			if p.request != nothing {
				group.Go(func() error { return one(p.request) })
			}
		}
		if err := group.Wait(); err != nil {
			return usage{}, err
		}
	}
	return usage{elapsed: time.Since(began)}, nil
}

// body is the object as it is sent.
func (b bare) body(o object, s step) ([]byte, error) {
	manifest := o.manifest(b.namespace, s.generation)
	if s.name == stepCreate || s.name == stepPreviewCreate {
		// No object has this version, so one that exists is a conflict.
		manifest["metadata"].(map[string]any)["resourceVersion"] = "1"
	}
	return json.Marshal(manifest)
}

// path is the path of the objects of a kind.
func (b bare) path(o object) []string {
	if o.resource.Group == "" {
		return []string{"/api", o.resource.Version, "namespaces", b.namespace, o.resource.Resource}
	}
	return []string{"/apis", o.resource.Group, o.resource.Version, "namespaces", b.namespace, o.resource.Resource}
}

func (b bare) send(ctx context.Context, client rest.Interface, o object, r request, body []byte) error {
	path := append(b.path(o), o.name)
	switch r {
	case get:
		return client.Get().AbsPath(path...).Do(ctx).Error()
	case apply, dryRun:
		patch := client.Patch(types.ApplyPatchType).AbsPath(path...).
			Param("fieldManager", "bench").Param("force", "true").Param("fieldValidation", "Strict").Body(body)
		if r == dryRun {
			patch.Param("dryRun", "All")
		}
		return patch.Do(ctx).Error()
	default:
		return b.remove(ctx, client, o)
	}
}

// remove deletes an object and waits until it is gone.
func (b bare) remove(ctx context.Context, client rest.Interface, o object) error {
	options, err := json.Marshal(metav1.DeleteOptions{PropagationPolicy: &o.propagation})
	if err != nil {
		return err
	}
	answer, err := client.Delete().AbsPath(append(b.path(o), o.name)...).Body(options).DoRaw(ctx)
	if err != nil || o.propagation == metav1.DeletePropagationBackground {
		return err
	}
	var terminating unstructured.Unstructured
	if err := terminating.UnmarshalJSON(answer); err != nil {
		return err
	}
	changes, err := client.Get().AbsPath(b.path(o)...).Param("watch", "true").
		Param("fieldSelector", "metadata.name="+o.name).Param("resourceVersion", terminating.GetResourceVersion()).Stream(ctx)
	if err != nil {
		return err
	}
	defer changes.Close()
	for decoder := json.NewDecoder(changes); ; {
		var change struct{ Type string }
		if err := decoder.Decode(&change); err != nil {
			return fmt.Errorf("watch: %w", err)
		}
		if change.Type == "DELETED" {
			return nil
		}
	}
}
