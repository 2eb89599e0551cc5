package tracked

import (
	"context"
	"fmt"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// KeyDropped is a hidden output: the fields that the API server accepted but did not keep, see [ownership.Dropped]. The
// object does not have them, so drift does not show them, and a read cannot tell whether the API server would keep them
// now. Every command that reads the object tries them again.
const KeyDropped = "__droppedFields"

// WarnDropped warns about fields of an object that the API server did not keep. nameOf formats them.
func WarnDropped(ctx context.Context, object fmt.Stringer, dropped *fieldpath.Set, nameOf func(fieldpath.Path) string) {
	if IsEmpty(dropped) {
		return
	}
	var names []string
	dropped.Iterate(func(path fieldpath.Path) { names = append(names, nameOf(path)) })
	p.GetLogger(ctx).Warningf("%s: the API server accepted these fields and did not keep them: %s\n"+
		"Admission drops them, or they belong to a feature that is off in this cluster. "+
		"Each update tries them again. If they are not wanted, remove them from the program.", object, strings.Join(names, ", "))
}

// IsEmpty reports whether fields is nil or empty.
func IsEmpty(fields *fieldpath.Set) bool { return fields == nil || fields.Empty() }
