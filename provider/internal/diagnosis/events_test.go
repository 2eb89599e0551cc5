package diagnosis

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestMerged(t *testing.T) {
	at := func(seconds int64) time.Time { return time.Unix(seconds, 0) }
	got := merged([]Event{
		{Subject: "pod a", Reason: "Failed", Message: "no such image", Count: 4, At: at(1)},
		{Subject: "pod a", Reason: "FailedMount", Message: "no such volume", At: at(2)},
		{Subject: "pod b", Reason: "Failed", Message: "no such image", Count: 3, At: at(3)},
		{Subject: "pod b", Reason: "Unhealthy", Message: "no such image", Count: 1, At: at(4)},
	})
	assert.Equal(t, []Event{
		{Subject: "pod a", Reason: "FailedMount", Message: "no such volume", Count: 1, At: at(2)},
		{Subject: "pod b", Reason: "Failed", Message: "no such image", Count: 7, At: at(3)},
		{Subject: "pod b", Reason: "Unhealthy", Message: "no such image", Count: 1, At: at(4)},
	}, got)
	assert.Empty(t, merged(nil))
}

func TestEventString(t *testing.T) {
	ago := time.Now().Add(-25*time.Minute - 30*time.Second)
	for want, event := range map[string]Event{
		"event: ProvisioningFailed: no class (25m ago)":                 {Reason: "ProvisioningFailed", Message: "no class", Count: 1, At: ago},
		"event of pod a: Failed: no such image (7 times, last 25m ago)": {Subject: "pod a", Reason: "Failed", Message: "no such image", Count: 7, At: ago},
		"event: Killing (25m ago)":                                      {Reason: "Killing", At: ago},
	} {
		assert.Equal(t, want, event.String())
	}
}

func TestRepeats(t *testing.T) {
	const pull = `container web: ImagePullBackOff: Back-off pulling image "web:2": ErrImagePull: web:2: not found`
	for name, test := range map[string]struct {
		event Event
		told  string
		want  bool
	}{
		"the same words":                      {Event{Reason: "FailedScheduling", Message: "0/1 nodes"}, "Unschedulable: 0/1 nodes", true},
		"the cause after the kubelet's words": {Event{Reason: "Failed", Message: `Failed to pull image "web:2": web:2: not found`}, pull, true},
		"the error's name":                    {Event{Reason: "Failed", Message: "Error: ErrImagePull"}, pull, true},
		"BackOff of a container in a back-off": {
			Event{Reason: "BackOff", Message: "Back-off restarting failed container web"}, "container web: CrashLoopBackOff", true,
		},
		"BackOff, and nothing of it is told": {Event{Reason: "BackOff", Message: "Back-off restarting failed container web"}, "not ready", false},
		"another cause":                      {Event{Reason: "FailedMount", Message: `MountVolume failed: secret "a" not found`}, pull, false},
		"an event that has only a reason":    {Event{Reason: "Killing"}, pull, false},
		"a message that ends with a colon":   {Event{Reason: "Failed", Message: "Failed: "}, pull, false},
		"nothing is told yet":                {Event{Reason: "Failed", Message: "Error: ErrImagePull"}, "", false},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, test.want, test.event.Repeats(test.told)) })
	}
}

func TestWithoutProtocol(t *testing.T) {
	assert.Equal(t, `Failed to pull image "a": failed to resolve: not found`,
		withoutProtocol(`Failed to pull image "a": rpc error: code = NotFound desc = failed to resolve: not found`))
	assert.Equal(t, "a pod: rpc error", withoutProtocol("a pod: rpc error"))
}

func TestForemost(t *testing.T) {
	named := func(reasons ...string) (events []Event) {
		for _, reason := range reasons {
			events = append(events, Event{Reason: reason})
		}
		return events
	}
	t.Run("the newest are shown, and noise only where there is room, after the others [D38 c]", func(t *testing.T) {
		all := named("A", "DNSConfigForming", "B", "C", "MissingClusterDNS")
		assert.Equal(t, named("A", "B", "C", "DNSConfigForming", "MissingClusterDNS"), Foremost(all, 5))
		assert.Equal(t, named("A", "B", "C", "MissingClusterDNS"), Foremost(all, 4))
		assert.Equal(t, named("A", "B", "C"), Foremost(all, 3))
		assert.Equal(t, named("B", "C"), Foremost(all, 2))
		assert.Empty(t, Foremost(nil, 2))
	})
}
