package object

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"
)

type importKey struct{}

// Importing marks a context in which the engine reads for an import, from which the CLI may write a program. Looking
// up a resource by ID (`get`) reads in the same way, but passes a map of inputs, possibly empty; the framework does
// not tell the two apart.
func Importing(ctx context.Context) context.Context { return context.WithValue(ctx, importKey{}, true) }

// writesProgram reports whether the CLI may write a program from what is read.
func writesProgram(ctx context.Context) bool {
	importing, _ := ctx.Value(importKey{}).(bool)
	return importing
}

// warnReadable warns that the program that Pulumi writes shows the secrets of the object. The inputs are marked, but
// the program generator drops the mark of a map. It keeps the marks of strings, but then writes no program for an
// import of several such objects.
func (t target) warnReadable(ctx context.Context) {
	p.GetLogger(ctx).Warningf("%s is secret in the state, but the program that `pulumi import` writes has its data in clear text. "+
		"Before it is committed, replace the values by secrets of the configuration (`pulumi config set --secret`) or of Pulumi ESC.", t.Ref)
}
