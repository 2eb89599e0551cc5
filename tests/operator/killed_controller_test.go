package operator

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestKilledController(t *testing.T) {
	t.Parallel()
	for _, when := range []moment{beforeWrite, afterWrite} {
		t.Run("[X13] a controller that is killed "+string(when)+" each of its writes comes to the same end", func(t *testing.T) {
			t.Parallel()
			s := withoutController(t)
			proxy := newProxy(t, s.cluster, when, 0)
			process := s.controller(proxy)
			s.wholeLife()
			starts := process.started()
			assert.Greater(t, starts, 30, "it was killed at each write")
			t.Log(starts, "starts")
		})
	}
}

// wholeLife makes an Environment, changes it, lets drift be corrected and deletes it, with one run for each.
func (s *surroundings) wholeLife() {
	s.Helper()
	s.program(greeting)
	made := s.countJobs()
	e := s.create("shop", text("hello"))
	first := e.applied(1)
	assert.EqualValues(s, 1, first.Serial)
	uids := s.uids()
	s.eventually(func() bool { return s.secret("shop-outputs") != nil }, "the outputs are written")
	s.tidy()

	e.change(text("good evening"))
	second := e.applied(2)
	assert.EqualValues(s, 2, second.Serial)
	assert.Equal(s, "good evening", second.Outputs["text"])
	s.eventually(func() bool { return string(s.secret("shop-outputs").Data["text"]) == "good evening" }, "the outputs are written")
	s.tidy()

	drifted := s.configMap("greeting")
	drifted.Data["text"] = "drifted"
	require.NoError(s, s.client.Update(s.Context(), drifted))
	e.change(fields{"driftDetection": fields{"interval": "1s"}})
	s.eventually(func() bool { return s.text("greeting") == "good evening" }, "drift is corrected")
	e.change(fields{"driftDetection": nil})
	s.eventually(func() bool { return e.status().CurrentOperation == nil }, "the look for drift ends")
	last := e.ready()
	assert.Equal(s, uids, s.uids())
	for serial, result := range last.results() {
		wanted := "Update Succeeded"
		if serial > 2 {
			wanted = "DriftCheck Succeeded"
		}
		assert.Equal(s, wanted, result, serial)
	}

	e.delete()
	assert.Empty(s, s.uids())
	s.eventually(func() bool { return len(s.left()) == 0 }, "nothing is left")
	assert.EqualValues(s, last.Serial+1, made(), "each run had one Job")
}

// tidy waits until nothing is kept that no run needs.
func (s *surroundings) tidy() {
	s.Helper()
	s.eventually(func() bool {
		for _, name := range s.left() {
			if strings.HasSuffix(name, "-inputs") {
				return false
			}
		}
		return true
	}, "the inputs of runs are removed")
}

// left are the Secrets of Environments that are there.
func (s *surroundings) left() []string {
	s.Helper()
	var secrets corev1.SecretList
	require.NoError(s, s.client.List(s.Context(), &secrets, client.InNamespace(s.namespace), client.HasLabels{"platform.example.com/environment"}))
	var names []string
	for i := range secrets.Items {
		if len(secrets.Items[i].OwnerReferences) == 0 {
			names = append(names, secrets.Items[i].Name)
		}
	}
	return names
}

// countJobs counts the Jobs that are created in the namespace from now on.
func (s *surroundings) countJobs() (count func() int) {
	s.Helper()
	watcher, err := s.cluster.Client().BatchV1().Jobs(s.namespace).Watch(s.Context(), metav1.ListOptions{})
	require.NoError(s, err)
	created, ask := 0, make(chan chan int)
	go func() {
		results := watcher.ResultChan()
		for {
			select {
			case event, more := <-results:
				if !more {
					results = nil
				} else if event.Type == watch.Added {
					created++
				}
			case answer := <-ask:
				answer <- created
			case <-s.Context().Done():
				watcher.Stop()
				return
			}
		}
	}()
	return func() int {
		answer := make(chan int)
		ask <- answer
		return <-answer
	}
}

func TestTwoControllers(t *testing.T) {
	t.Parallel()
	s := withoutController(t)
	s.controller(nil)
	s.controller(nil)
	t.Run("[X14] two controllers at once run nothing twice", func(*testing.T) {
		s.wholeLife()
	})
}

func TestClocksAnHourApart(t *testing.T) {
	t.Parallel()
	for _, ahead := range []time.Duration{time.Hour, -time.Hour} {
		t.Run("[X40] two controllers, one of which is "+ahead.String()+" ahead, come to the same end", func(t *testing.T) {
			t.Parallel()
			s := withoutController(t)
			s.controller(newProxy(t, s.cluster, never, ahead))
			s.controller(nil)
			s.wholeLife()
		})
	}
}
