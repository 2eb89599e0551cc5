package tracked

import (
	"context"
	"strings"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// terminating says when the deletion of an object began, and what holds the object; "" if it is not being deleted. Its
// deletionTimestamp is the end of its grace period.
func terminating(live *unstructured.Unstructured) string {
	end := live.GetDeletionTimestamp()
	if end == nil {
		return ""
	}
	since := end.Time
	if grace := live.GetDeletionGracePeriodSeconds(); grace != nil {
		since = since.Add(-time.Duration(*grace) * time.Second)
	}
	text := "is being deleted since " + since.UTC().Format(time.RFC3339)
	switch held := live.GetFinalizers(); len(held) {
	case 0:
		return text
	case 1:
		return text + ", held by the finalizer " + held[0]
	default:
		return text + ", held by the finalizers " + strings.Join(held, ", ")
	}
}

// WarnTerminating warns that an object that was read is being deleted. Otherwise the object would be reported as
// unchanged, although it is about to go, with everything applied to it.
func (t Target) WarnTerminating(ctx context.Context, live *unstructured.Unstructured) {
	if text := terminating(live); text != "" {
		p.GetLogger(ctx).Warningf("%s %s. A deletion cannot be undone: resolve what blocks it, and run `pulumi up` again "+
			"when the object is gone.", t.Ref, text)
	}
}

// RefuseTerminating refuses to take over an object that is being deleted.
func (t Target) RefuseTerminating(live *unstructured.Unstructured) error {
	text := terminating(live)
	if text == "" {
		return nil
	}
	return Refused(failure.ReasonObjectTerminating, "%s %s. It was not touched.\nA deletion cannot be undone: resolve "+
		"what blocks it, and run `pulumi up` again when the object is gone.", t.Ref, text)
}
