package readiness

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestThePortThatIsAsked(t *testing.T) {
	const (
		one   = `{spec: {ports: [{name: web, port: 80}]}}`
		plain = `{spec: {ports: [{port: 80, protocol: TCP}]}}`
		two   = `{spec: {ports: [{name: web, port: 80}, {name: metrics, port: 9090}]}}`
		dns   = `{spec: {ports: [{name: udp, port: 53, protocol: UDP}, {name: tcp, port: 53, protocol: TCP}]}}`
		pod   = `{spec: {containers: [{name: a, ports: [{name: http, containerPort: 8080}]}, {name: b}]}}`
		proxy = `{spec: {containers: [{name: a}], initContainers: [
			{name: first, ports: [{containerPort: 1}]}, {name: proxy, restartPolicy: Always, ports: [{name: in, containerPort: 15000}]}]}}`
	)
	for name, c := range map[string]struct {
		kind, object, port string

		asked, missing, failed string
	}{
		"the only one of a Service, by its name":              {"Service", one, "", "web", "", ""},
		"the only one of a Service, which has no name":        {"Service", plain, "", "80", "", ""},
		"one of a Service, by its number":                     {"Service", two, "9090", "metrics", "", ""},
		"one of a Service, by its name":                       {"Service", two, "web", "web", "", ""},
		"one of several, which is not said":                   {"Service", two, "", "", "", "it has several ports: web (80), metrics (9090)"},
		"one that a Service does not have yet":                {"Service", two, "81", "", "it has no TCP port 81, only web (80), metrics (9090)", ""},
		"none that is not TCP":                                {"Service", dns, "53", "tcp", "", ""},
		"none of a Service without ports":                     {"Service", `{spec: {clusterIP: None}}`, "", "", "it has no TCP port", ""},
		"none of a Service that stands for another name":      {"Service", `{spec: {type: ExternalName, externalName: a.example}}`, "80", "", "", "ExternalName"},
		"the only one of a Pod, by its number":                {"Pod", pod, "", "8080", "", ""},
		"one of a Pod, by its name":                           {"Pod", pod, "http", "8080", "", ""},
		"one of a Pod that its containers do not list":        {"Pod", pod, "9090", "9090", "", ""},
		"one of a Pod, by a name that its containers lack":    {"Pod", pod, "https", "", "", "its containers list no TCP port https, only http (8080)"},
		"none of a Pod whose containers list none":            {"Pod", `{spec: {containers: [{name: a}]}}`, "", "", "", "its containers list no TCP port"},
		"one of a container that runs beside the others":      {"Pod", proxy, "", "15000", "", ""},
		"none of a Pod that has failed":                       {"Pod", `{spec: {containers: []}, status: {phase: Failed}}`, "80", "80", "", "the pod has failed"},
		"none of a Service that is being deleted [W10]":       {"Service", `{metadata: {deletionTimestamp: "2024-01-01T00:00:00Z"}, spec: {ports: [{port: 80}]}}`, "", "80", "it is being deleted", ""},
		"one of a Service with an old status: it has no part": {"Service", `{spec: {ports: [{port: 80}]}, status: {observedGeneration: 1}}`, "", "80", "", ""},
	} {
		t.Run(name+" [R37]", func(t *testing.T) {
			goal, problems := Compile(Criteria{HTTP: &HTTP{Path: "/", Port: c.port}})
			require.Empty(t, problems)
			live := manifest(t, "v1", c.kind, c.object)
			asked, _ := goal.HTTP()
			assert.Equal(t, c.asked, asked.PortOf(live))
			verdict := goal.Judge(&unstructured.Unstructured{Object: live})
			assert.False(t, verdict.Holds, "no state of an object is an answer")
			assert.Contains(t, verdict.Failed, c.failed)
			assert.Equal(t, c.failed != "", verdict.Failed != "")
			assert.Equal(t, c.missing == "" && c.failed == "", verdict.Doubt == NoAnswer, "it is asked")
			if verdict.Doubt == NoAnswer {
				assert.Equal(t, []string{asked.Request() + " is not answered yet"}, verdict.Missing)
			} else if c.missing != "" {
				assert.Contains(t, verdict.Missing[0], c.missing)
			}
		})
	}
}

func TestTheStatusesThatAreAsAwaited(t *testing.T) {
	assert.Equal(t, "the answer 2xx to GET /healthz at port web over https", httpCriterion{HTTP{Path: "/healthz", Port: "web", TLS: true}}.String())
	assert.Equal(t, "the answer 200 or 401 to GET /", httpCriterion{HTTP{Path: "/", Status: []int{200, 401}}}.String())
	for status, accepted := range map[int][2]bool{199: {}, 200: {true, true}, 204: {true, false}, 299: {true, false}, 302: {}, 401: {false, true}, 503: {}} {
		assert.Equal(t, accepted, [2]bool{HTTP{}.Accepts(status), HTTP{Status: []int{200, 401}}.Accepts(status)}, status)
	}
}

func TestAwaitAsks(t *testing.T) {
	errDenied := errors.New("denied")
	service := func(open string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: manifest(t, "v1", "Service", `{metadata: {uid: "1", labels: {open: "`+open+`"}}, spec: {ports: [{port: 80}]}}`)}
	}
	goal, problems := Compile(Criteria{HTTP: &HTTP{Path: "/"}, FieldValue: map[string]string{"metadata.labels.open": "yes"}})
	require.Empty(t, problems)
	open, closed := service("yes"), service("no")
	type say = func(string)
	type live = func() *unstructured.Unstructured

	t.Run("as soon as nothing else is missing, until there is an answer [R34]", func(t *testing.T) {
		asked := 0
		got, err := Await(t.Context(), goal, forever(closed, open), Options{Ask: func(_ context.Context, live live, say say) error {
			asked++
			assert.Equal(t, open, live())
			say("it is answered 503")
			return nil
		}})
		require.NoError(t, err)
		assert.Equal(t, open, got)
		assert.Equal(t, 1, asked)
	})
	t.Run("and does not ask while something is [R34]", func(t *testing.T) {
		_, err := Await(t.Context(), goal, forever(closed), Options{Timeout: 20 * time.Millisecond, Ask: func(context.Context, live, say) error {
			t.Error("it is asked")
			return nil
		}})
		require.Error(t, err)
	})
	t.Run("and stops when something is missing again: that answer does not count [R34]", func(t *testing.T) {
		began, ended := make(chan struct{}), make(chan struct{})
		follow := func(ctx context.Context, see func(*unstructured.Unstructured) (bool, error)) error {
			_, _ = see(open)
			<-began
			_, _ = see(closed)
			<-ended
			<-ctx.Done()
			return ctx.Err()
		}
		_, err := Await(t.Context(), goal, follow, Options{Timeout: 50 * time.Millisecond, Ask: func(ctx context.Context, _ live, say say) error {
			close(began)
			<-ctx.Done()
			say("it is answered 503")
			close(ended)
			return nil
		}})
		notReady := (*NotReadyError)(nil)
		require.ErrorAs(t, err, &notReady)
		assert.Equal(t, TimedOut, notReady.Reason)
		assert.Contains(t, notReady.Missing[0], "metadata.labels.open")
	})
	t.Run("and says what the last answer lacked, whatever else happens to the object [R31]", func(t *testing.T) {
		said, seen := make(chan struct{}), make(chan struct{})
		follow := func(ctx context.Context, see func(*unstructured.Unstructured) (bool, error)) error {
			_, _ = see(open)
			<-said
			_, _ = see(open.DeepCopy())
			close(seen)
			<-ctx.Done()
			return ctx.Err()
		}
		var progress []string
		_, err := Await(t.Context(), goal, follow, Options{
			Timeout: 50 * time.Millisecond, Progress: func(_ *unstructured.Unstructured, v Verdict) { progress = append(progress, v.Missing...) },
			Ask: func(ctx context.Context, _ live, say say) error {
				say("it is answered 503")
				close(said)
				<-ctx.Done()
				return ctx.Err()
			},
		})
		<-seen
		notReady := (*NotReadyError)(nil)
		require.ErrorAs(t, err, &notReady)
		assert.Equal(t, []string{"it is answered 503"}, notReady.Missing)
		assert.Equal(t, "it is answered 503", progress[len(progress)-1])
	})
	t.Run("and ends with the error if it cannot ask [R39]", func(t *testing.T) {
		_, err := Await(t.Context(), goal, forever(open), Options{Ask: func(context.Context, live, say) error { return errDenied }})
		notReady := (*NotReadyError)(nil)
		require.ErrorAs(t, err, &notReady)
		assert.Equal(t, Unreadable, notReady.Reason)
		assert.ErrorIs(t, err, errDenied)
	})
}
