package cluster

import (
	"context"
	"encoding/json"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
)

// watchSeconds is how long a watch lasts at most. The API server would choose 30 to 60 minutes, for which a dead
// connection behind a proxy could go unnoticed.
const watchSeconds = "300"

// watch sees changes until the watch ends, and leaves in the follower how to go on.
func (f *follower) watch(ctx context.Context) (bool, error) {
	resource, err := f.cluster.Resource(ctx, f.ref.APIVersion, f.ref.Kind)
	if err != nil {
		f.mustRead = true
		return false, nil // reading finds out what this means
	}
	path, err := collectionPath(resource, f.ref.Namespace)
	if err != nil {
		return true, err
	}
	request := f.cluster.client.Get().AbsPath(path...).
		Param("watch", "true").
		Param("fieldSelector", fields.OneTermEqualSelector("metadata.name", f.ref.Name).String()).
		Param("allowWatchBookmarks", "true").
		Param("timeoutSeconds", watchSeconds)
	if f.version != "" {
		request.Param("resourceVersion", f.version)
	}
	stream, err := request.Stream(ctx)
	if err != nil {
		f.watchRefused(withoutBody(err))
		return false, nil
	}
	defer func() { _ = stream.Close() }()
	events := json.NewDecoder(stream)
	for {
		var event struct {
			Type   watch.EventType `json:"type"`
			Object json.RawMessage `json:"object"`
		}
		if err := events.Decode(&event); err != nil {
			return false, nil // the watch ended; the next one goes on where it stopped
		}
		done, err := f.event(event.Type, event.Object)
		if done || err != nil || f.mustRead {
			return done, err
		}
	}
}

// event handles one event of a watch.
func (f *follower) event(kind watch.EventType, body []byte) (bool, error) {
	if kind == watch.Error {
		// 410 Gone or a server in trouble: in both cases the present state is what counts.
		f.mustRead = true
		return false, nil
	}
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(body); err != nil {
		f.mustRead = true
		return false, nil
	}
	f.succeeded()
	if kind == watch.Bookmark {
		f.version = object.GetResourceVersion()
		return false, nil
	}
	if object.GetName() != f.ref.Name {
		return false, nil // a server that ignores field selectors
	}
	f.version = object.GetResourceVersion()
	if kind == watch.Deleted {
		return f.see(nil)
	}
	return f.see(object)
}

// watchRefused decides how to go on after a watch that did not begin.
func (f *follower) watchRefused(err error) {
	if apierrors.IsForbidden(err) || apierrors.IsMethodNotSupported(err) {
		f.poll(err)
		return
	}
	f.mustRead = true
	if f.options.Trouble != nil && !apierrors.IsResourceExpired(err) && !apierrors.IsGone(err) {
		f.options.Trouble(err)
	}
}

// statusCode is the HTTP status of an API error, or 0.
func statusCode(err error) int {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return int(status.Status().Code)
	}
	return 0
}

func isFieldError(err error) bool {
	var field *FieldError
	return errors.As(err, &field)
}
