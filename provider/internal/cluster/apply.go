package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// createOnlyVersion is a resourceVersion that no existing object has. The API server ignores it if the object does not
// exist and answers 409 if it does, so a server-side apply with it is an atomic create.
const createOnlyVersion = "1"

// ApplyOptions are the options of [Cluster.Apply].
type ApplyOptions struct {
	// FieldManager owns the applied fields. It must be set.
	FieldManager string
	// Force takes fields that other managers own; without it they are a conflict.
	Force bool
	// DryRun returns the object as it would be, and writes nothing.
	DryRun bool
	// CreateOnly fails with 409 if the object exists.
	CreateOnly bool
	// UID makes the apply fail unless the object exists and has this UID. An object that is gone is not created again.
	UID types.UID
}

// ApplyResult is the result of an apply.
type ApplyResult struct {
	// Object is the whole object after the apply.
	Object *unstructured.Unstructured
	// Created means that the object did not exist before.
	Created bool
}

// Apply applies an object by server-side apply. One request is enough, unless it has to be repeated (see the package). The
// API server refuses unknown and duplicate fields. An object of a namespaced kind must have its namespace set. Apply does
// not change the object. If the API server accepted the request but its answer cannot be understood, the error is a
// *[failure.UnreadableReplyError], and Created is still right.
func (c *Cluster) Apply(ctx context.Context, object *unstructured.Unstructured, options ApplyOptions) (ApplyResult, error) {
	ref := RefOf(object)
	resource, path, err := c.locate(ctx, ref, c.Resource)
	if err != nil {
		return ApplyResult{}, err
	}
	if resource.Namespaced && ref.Namespace == "" {
		return ApplyResult{}, fmt.Errorf("%s: %w", ref, &failure.NotSentError{Err: errors.New("namespace is empty")})
	}
	body, err := options.body(object)
	if err != nil {
		return ApplyResult{}, fmt.Errorf("%s: %w", ref, &failure.NotSentError{Err: err})
	}
	request := c.client.Patch(types.ApplyPatchType).AbsPath(path...).
		Param("fieldManager", options.FieldManager).
		Param("force", strconv.FormatBool(options.Force)).
		Param("fieldValidation", "Strict").
		Body(body)
	if options.DryRun {
		request.Param("dryRun", "All")
	}
	answer, err := c.write(ctx, request)
	switch {
	case unrouted(err):
		// The server does not route the kind: its definition was deleted, or has not reached this server yet. Nothing
		// was written, so a retry after discovery is worthwhile.
		c.discovery.forget(resource.GroupVersion())
		return ApplyResult{}, fmt.Errorf("%s: %w", ref, &KindNotServedError{APIVersion: ref.APIVersion, Kind: ref.Kind})
	case err != nil:
		return ApplyResult{}, fmt.Errorf("%s: %w", ref, err)
	}
	result := ApplyResult{Created: answer.code == http.StatusCreated}
	if result.Object, err = decode(answer, ref.Kind); err != nil {
		return result, fmt.Errorf("%s: %w", ref, err)
	}
	return result, nil
}

// body returns the object with the preconditions in it.
func (o ApplyOptions) body(object *unstructured.Unstructured) ([]byte, error) {
	if o.CreateOnly || o.UID != "" {
		object = object.DeepCopy()
	}
	if o.CreateOnly {
		object.SetResourceVersion(createOnlyVersion)
	}
	if o.UID != "" {
		object.SetUID(o.UID)
	}
	body, err := object.MarshalJSON()
	if err != nil {
		return nil, errors.New("the manifest cannot be written as JSON")
	}
	return escapeControls(body), nil
}

// escapeControls escapes the control characters U+007F to U+009F, which JSON permits unescaped. The API server reads
// the body of an apply as YAML, which takes U+0085 for a line break and refuses the others.
func escapeControls(body []byte) []byte {
	if !bytes.ContainsFunc(body, isHighControl) {
		return body
	}
	var escaped bytes.Buffer
	for _, r := range string(body) {
		if isHighControl(r) {
			fmt.Fprintf(&escaped, `\u%04x`, r)
		} else {
			escaped.WriteRune(r)
		}
	}
	return escaped.Bytes()
}

func isHighControl(r rune) bool { return '\u007f' <= r && r <= '\u009f' }
