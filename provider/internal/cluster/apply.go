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

// createOnlyVersion is a resourceVersion that no existing object has. The API server ignores it where there is no
// object and answers 409 where there is one, which makes server-side apply an atomic create.
const createOnlyVersion = "1"

// ApplyOptions are the options of [Cluster.Apply].
type ApplyOptions struct {
	// FieldManager owns the applied fields. It must be set.
	FieldManager string
	// Force takes fields that other managers own; without it they are a conflict.
	Force bool
	// DryRun answers what would be, and writes nothing.
	DryRun bool
	// CreateOnly answers 409 if the object exists.
	CreateOnly bool
	// UID answers an error unless the object exists and has this UID. An object that is gone is not created again.
	UID types.UID
}

// ApplyResult is what an apply led to.
type ApplyResult struct {
	// Object is the whole object after the apply.
	Object *unstructured.Unstructured
	// Created says that the object was not there before.
	Created bool
}

// Apply applies an object by server-side apply, in one request. Unknown and duplicate fields are refused. The
// object must have its namespace set if its kind is namespaced, and is not changed. If the request was accepted and its
// answer cannot be understood, the error is a *[failure.UnreadableReplyError] and Created is still right.
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
		// The server does not route the kind: its definition went away, or has not reached this server yet. Nothing was
		// written, and it is worth a retry after discovery.
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

// body is the object with the preconditions in it.
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

// escapeControls escapes the control characters U+007F to U+009F in JSON, which leaves them as they are. The API server reads the
// body of an apply as YAML, which takes U+0085 for the end of a line and refuses the others.
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
