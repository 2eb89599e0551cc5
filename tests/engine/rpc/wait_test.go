package rpc_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// The timeouts of the tests: one that is over before anything can happen, one that leaves time for a look, and one
// that nobody wants to see the end of.
const (
	noTime    = "1ms"
	shortTime = "1s"
	longTime  = "1m"
)

// waiting is what a program gives to a Wait.
func waiting(ref any, waitFor any, more ...map[string]any) resource.PropertyMap {
	inputs := map[string]any{"resourceRef": ref, "waitFor": waitFor}
	for _, m := range more {
		maps.Copy(inputs, m)
	}
	return resource.NewPropertyMapFromMap(inputs)
}

// until is a waitFor of one criterion.
func until(criterion string, value any, timeout string) map[string]any {
	return map[string]any{criterion: value, "timeout": timeout}
}

// refTo is a literal reference to an object.
func refTo(object map[string]any) map[string]any {
	metadata, _ := object["metadata"].(map[string]any)
	ref := map[string]any{"apiVersion": object["apiVersion"], "kind": object["kind"], "name": metadata["name"]}
	if namespace, ok := metadata["namespace"]; ok {
		ref["namespace"] = namespace
	}
	return ref
}

// report writes a part of a status, as the controller of a kind would. null removes a field.
func (w world) report(kind, name string, status map[string]any) {
	w.t.Helper()
	body, err := json.Marshal(map[string]any{"status": status})
	require.NoError(w.t, err)
	_, err = w.objects(kind).Patch(w.t.Context(), name, types.MergePatchType, body,
		metav1.PatchOptions{FieldManager: "controller"}, "status")
	require.NoError(w.t, err)
}

func unstructuredOf(object map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: object}
}

var createOptions = metav1.CreateOptions{FieldManager: "intern"}

// condition is a status with one condition. more is a YAML flow map without its braces.
func condition(t testing.TB, more string) map[string]any {
	t.Helper()
	return object(t, `{conditions: [{lastTransitionTime: "2024-01-01T00:00:00Z", %s}]}`, more)
}

// watched says whether an object was watched since now.
func (w world) watched(name string) func() bool {
	w.t.Helper()
	c := shared.Get(w.t)
	mark, err := c.AuditMark()
	require.NoError(w.t, err)
	return func() bool {
		all, err := c.RequestsSince(mark)
		require.NoError(w.t, err)
		return len(all.Where(func(r cluster.Request) bool {
			return r.Verb == "watch" && strings.Contains(r.URI, "metadata.name%3D"+name+"&") && strings.Contains(r.URI, w.namespace)
		})) > 0
	}
}

// counted counts what a user has asked for since now. Unlike [requests] it may be called while requests are under way.
func counted(t testing.TB, user cluster.User) func() map[string]int {
	t.Helper()
	c := shared.Get(t)
	mark, err := c.AuditMark()
	require.NoError(t, err)
	return func() map[string]int {
		all, err := c.RequestsSince(mark)
		require.NoError(t, err)
		return all.Where(func(r cluster.Request) bool { return r.User == user.Name }).
			CountBy(func(r cluster.Request) string { return describeRequest(strings.ToUpper(r.Verb), r.URI) })
	}
}

// begin starts something that waits for an object, and returns when it watches it.
func (w world) begin(name string, wait func() error) <-chan error {
	w.t.Helper()
	watched, done := w.watched(name), make(chan error, 1)
	go func() { done <- wait() }()
	eventually(w.t, watched, name+" is watched")
	require.Empty(w.t, done, "it is still being waited for")
	return done
}

// ended is how a wait that was begun ended. It must do so by itself, and soon.
func ended(t testing.TB, done <-chan error) error {
	t.Helper()
	select {
	case err := <-done:
		return err
	case <-time.After(20 * time.Second):
		require.Fail(t, "the wait does not end")
		return nil
	}
}

// requireWaitPending proves that a wait timed out, in the way that saves its state and blocks dependents.
func requireWaitPending(t testing.TB, s *session, err error) string {
	t.Helper()
	var failed *plugin.InitError
	require.ErrorAs(t, err, &failed)
	require.Len(t, failed.Reasons, 1)
	requireStillPending(t, s)
	require.True(t, s.refresh, "it is looked at before the next update")
	return failed.Reasons[0]
}

func requireStillPending(t testing.TB, s *session) {
	t.Helper()
	require.NotEmpty(t, s.id)
	require.Equal(t, true, at(t, s.outputs, "__pendingWait"))
	require.Nil(t, at(t, s.outputs, "status"))
	require.NotEmpty(t, s.initErrors)
}

func requireWaited(t testing.TB, s *session) {
	t.Helper()
	require.Nil(t, at(t, s.outputs, "__pendingWait"))
	require.Empty(t, s.initErrors)
}

// failedWait makes a wait that is pending at once. Its inputs, as the program and the state have them, leave it time.
func failedWait(t testing.TB, s *session, ref any, waitFor map[string]any) (*session, resource.PropertyMap) {
	t.Helper()
	waitFor = clone(waitFor)
	waitFor["timeout"] = noTime
	err := s.create(waiting(ref, waitFor))
	requireWaitPending(t, s, err)
	waitFor["timeout"] = longTime
	in := waiting(ref, waitFor)
	s.inputs, err = s.check(in, false)
	require.NoError(t, err)
	return s, in
}

// looks refreshes a pending wait and says why it is still pending; "" if it is not.
func looks(t testing.TB, s *session) string {
	t.Helper()
	s.mustRead()
	if len(s.initErrors) == 0 {
		requireWaited(t, s)
		return ""
	}
	requireStillPending(t, s)
	return s.initErrors[0]
}

// first is what a preview does, or its error.
func first(did string, _ resource.PropertyMap, err error) string {
	if err != nil {
		return err.Error()
	}
	return did
}

func last(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return texts[len(texts)-1]
}

// onlyReads proves that requests change nothing.
func onlyReads(t testing.TB, requests []string) {
	t.Helper()
	for _, request := range requests {
		if !strings.HasPrefix(request, "discovery ") {
			assert.Contains(t, []string{"GET", "LIST", "WATCH", clusterID}, request)
		}
	}
}
