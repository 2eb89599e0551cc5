package object

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"
)

type importKey struct{}

// Importing says of a context that the engine reads for an import, of which the CLI may write a program. What a program
// gets by ID (`get`) is read in the same way, but with a map of inputs, if an empty one; the framework does not tell them apart.
func Importing(ctx context.Context) context.Context { return context.WithValue(ctx, importKey{}, true) }

// writesProgram reports whether a program may be written from what is read.
func writesProgram(ctx context.Context) bool {
	importing, _ := ctx.Value(importKey{}).(bool)
	return importing
}

// warnReadable says that the program which Pulumi writes shows the secrets of the object. The inputs are marked, but its
// generator drops the mark of a map. It keeps those of texts, but then it writes no program for an import of several such objects.
func (t target) warnReadable(ctx context.Context) {
	p.GetLogger(ctx).Warningf("%s is secret in the state, but the program that `pulumi import` writes has its data in clear text. "+
		"Before it is committed, replace the values by secrets of the configuration (`pulumi config set --secret`) or of Pulumi ESC.", t.Ref)
}
