package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
)

var (
	// definitionsPath is the path of the CustomResourceDefinitions.
	definitionsPath = schema.GroupVersionResource{Group: kinds.CustomResourceDefinition.Group, Version: "v1", Resource: "customresourcedefinitions"}
	// registrationsPath is the path of the APIServices.
	registrationsPath = schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}
)

// ConfirmGone finds out whether objects of a kind that is not served are gone. They are gone if nothing defines the
// kind: they were deleted with its definition. They still exist if the definition serves no version for a while, or if
// the kind belongs to an API server that is registered but unavailable. In these cases, the *[KindNotServedError] says
// what defines the kind, and [failure.Gone] is false. ConfirmGone returns any other error unchanged, and nil for nil.
//
// For a user who may not read definitions, the objects count as gone. Definitions are seldom hidden and often deleted,
// so this is usually right, and otherwise such a user could never delete what is gone.
func (c *Cluster) ConfirmGone(ctx context.Context, err error) error {
	notServed := (*KindNotServedError)(nil)
	if !errors.As(err, &notServed) || notServed.IsDefined() {
		return err
	}
	definition, failed := c.definitionOf(ctx, schema.FromAPIVersionAndKind(notServed.APIVersion, notServed.Kind).GroupKind())
	switch {
	case failed != nil:
		return failed
	case definition == failure.Definition{}:
		return err
	}
	defined := *notServed
	defined.DefinedBy = definition
	return &defined
}

// definitionOf names what defines a kind that is not served; it is empty if nothing does, as far as the user may read.
// If nothing does, it remembers that until the kind is served: a new definition does not bring the former objects back.
func (c *Cluster) definitionOf(ctx context.Context, kind schema.GroupKind) (failure.Definition, error) {
	if kinds.OwnGroup(kind.Group) || c.discovery.isUndefined(kind) {
		return failure.Definition{}, nil
	}
	return await[failure.Definition](ctx, join(&c.discovery.definitions, kind.String(), func(ctx context.Context) (failure.Definition, error) {
		found := failure.Definition{Kind: kinds.CustomResourceDefinition.Kind}
		var err error
		found.Name, err = c.findDefinition(ctx, kind)
		hidden := apierrors.IsForbidden(err)
		if found.Name == "" && (err == nil || hidden) {
			found.Kind = kinds.APIService.Kind
			found.Name, err = c.findRegistration(ctx, kind.Group)
			hidden = hidden || apierrors.IsForbidden(err)
		}
		switch {
		case found.Name != "":
			return found, nil
		case err != nil && !apierrors.IsForbidden(err):
			return failure.Definition{}, err
		case !hidden:
			c.discovery.noteUndefined(kind)
		}
		return failure.Definition{}, nil
	}))
}

// findDefinition names the CustomResourceDefinition of a kind, if that kind can have objects. The name contains the
// plural, which only the definition knows.
func (c *Cluster) findDefinition(ctx context.Context, kind schema.GroupKind) (string, error) {
	var names []string
	err := c.ListMetadata(ctx, definitionsPath, func(page []metav1.PartialObjectMetadata, _ bool) bool {
		for _, definition := range page {
			if strings.HasSuffix(definition.Name, "."+kind.Group) {
				names = append(names, definition.Name)
			}
		}
		return true
	})
	if err != nil {
		return "", unlessNone(err)
	}
	for _, name := range names {
		var definition struct {
			Spec struct {
				Group string
				Names struct{ Kind string }
			}
			Status struct{ Conditions []metav1.Condition }
		}
		switch err := c.readInto(ctx, append(collectionOf(definitionsPath), name), &definition); {
		case apierrors.IsNotFound(err):
		case err != nil:
			return "", err
		case definition.Spec.Group == kind.Group && definition.Spec.Names.Kind == kind.Kind && holds(definition.Status.Conditions, "Established"):
			return name, nil
		}
	}
	return "", nil
}

// findRegistration names an APIService through which another API server serves a group, if that server is unavailable.
func (c *Cluster) findRegistration(ctx context.Context, group string) (string, error) {
	var registrations struct {
		Items []struct {
			Metadata struct{ Name string }
			Spec     struct {
				Group   string
				Service *struct{}
			}
			Status struct{ Conditions []metav1.Condition }
		}
	}
	if err := c.readInto(ctx, collectionOf(registrationsPath), &registrations); err != nil {
		return "", unlessNone(err)
	}
	for _, registration := range registrations.Items {
		if spec := registration.Spec; spec.Group == group && spec.Service != nil && !holds(registration.Status.Conditions, "Available") {
			return registration.Metadata.Name, nil
		}
	}
	return "", nil
}

// unlessNone drops the error of a cluster that does not serve such definitions.
func unlessNone(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// readInto reads and decodes the object or list at a path.
func (c *Cluster) readInto(ctx context.Context, path []string, into any) error {
	answer, err := c.read(ctx, c.client.Get().AbsPath(path...))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(answer.body, into); err != nil {
		return &failure.UnreadableReplyError{Code: answer.code}
	}
	return nil
}

func collectionOf(resource schema.GroupVersionResource) []string {
	return append(groupVersionPath(resource.GroupVersion()), resource.Resource)
}

// holds reports whether a condition is true.
func holds(conditions []metav1.Condition, name string) bool {
	return slices.ContainsFunc(conditions, func(condition metav1.Condition) bool {
		return condition.Type == name && condition.Status == metav1.ConditionTrue
	})
}
