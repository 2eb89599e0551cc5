package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	watchtools "k8s.io/client-go/tools/watch"
	"k8s.io/klog/v2"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// watchSeconds is the maximum duration of a watch. The API server would choose 30 to 60 minutes, and a dead connection
// behind a proxy could go unnoticed for as long.
const watchSeconds = "300"

// selector narrows a list or a watch to one name.
func (r Ref) selector() string { return fields.OneTermEqualSelector("metadata.name", r.Name).String() }

// watch passes on changes until it may have missed one, and leaves in the follower how to continue. If a watch merely
// ends, the RetryWatcher continues it.
func (f *follower) watch(ctx context.Context) (bool, error) {
	ctx, cancel := context.WithCancel(quiet(ctx)) // the RetryWatcher logs its retries
	defer cancel()
	source := &watchSource{follower: f, failures: make(chan error)}
	events, err := watchtools.NewRetryWatcherWithContext(ctx, f.version, source)
	if err != nil {
		f.version = ""
		return false, nil
	}
	f.version = ""
	for {
		select {
		case err := <-source.failures:
			f.watchRefused(err)
			return false, nil
		case event, open := <-events.ResultChan():
			object, readable := event.Object.(*unstructured.Unstructured)
			if !open || event.Type == watch.Error || !readable {
				return false, nil // 410 Gone or a server in trouble: read the current state
			}
			f.patience.Succeeded()
			if done, err := f.followed.change(event.Type, object); done || err != nil {
				return true, err
			}
		}
	}
}

// watchRefused decides how to continue after a watch that could not start.
func (f *follower) watchRefused(err error) {
	switch {
	case isUnlistable(err):
		f.poll(err)
	case f.options.Trouble != nil && !apierrors.IsResourceExpired(err) && !apierrors.IsGone(err):
		f.options.Trouble(err)
	}
}

// watchSource starts the watches of a RetryWatcher.
type watchSource struct {
	*follower

	// failures are the errors of watches that could not start; the follower decides about them.
	failures chan error
}

// WatchWithContext starts a watch at the version in the options.
func (s *watchSource) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	stream, err := s.stream(ctx, options.ResourceVersion)
	if err != nil {
		select {
		case s.failures <- err:
		case <-ctx.Done():
		}
		<-ctx.Done() // the receiver of the failure ends the RetryWatcher
		return nil, ctx.Err()
	}
	decoder := &eventDecoder{stream: stream, events: json.NewDecoder(stream)}
	return watch.NewStreamWatcherWithLogger(klog.FromContext(ctx), decoder, decoder), nil
}

func (s *watchSource) stream(ctx context.Context, version string) (io.ReadCloser, error) {
	query := s.followed.query()
	resource, err := s.cluster.Resource(ctx, query.APIVersion, query.Kind)
	if err != nil {
		return nil, err
	}
	path, err := collectionPath(resource, query.Namespace)
	if err != nil {
		return nil, err
	}
	stream, err := query.narrow(s.cluster.client.Get().AbsPath(path...)).
		Param("watch", "true").
		Param("allowWatchBookmarks", "true").
		Param("timeoutSeconds", watchSeconds).
		Param("resourceVersion", version).
		Stream(ctx)
	if err != nil {
		return nil, withoutBody(err)
	}
	return stream, nil
}

// eventDecoder decodes the events of a watch.
type eventDecoder struct {
	stream io.ReadCloser
	events *json.Decoder
}

// Decode decodes the next event.
func (d *eventDecoder) Decode() (watch.EventType, runtime.Object, error) {
	var event struct {
		Type   watch.EventType            `json:"type"`
		Object *unstructured.Unstructured `json:"object"`
	}
	if err := d.events.Decode(&event); err != nil {
		return "", nil, err
	}
	if event.Object == nil {
		return "", nil, errors.New("a watch event without an object")
	}
	return event.Type, event.Object, nil
}

// Close ends the watch.
func (d *eventDecoder) Close() { _ = d.stream.Close() }

// AsObject returns the object that represents an error in the stream.
func (d *eventDecoder) AsObject(err error) runtime.Object {
	status := apierrors.NewInternalError(err).Status()
	return &status
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
	var field *failure.FieldError
	return errors.As(err, &field)
}
