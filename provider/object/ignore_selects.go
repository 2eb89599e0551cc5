package object

import (
	"context"
	"strconv"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// warnSelectsNothing names the paths in ignoreFields that select nothing, neither in the manifest nor in the object
// that the API server made from it. The fields they were meant to leave to another manager are applied all the same.
func (t target) warnSelectsNothing(ctx context.Context, in inputs, live map[string]any) {
	for _, pattern := range in.unselected() {
		if pattern.SelectsIn(live) {
			continue
		}
		correct := "Correct the path, or remove it."
		name := strconv.Quote(pattern.String())
		if in.ignoreSecret {
			name = "[secret]"
		} else if meant, ok := pattern.Meant(live); ok {
			correct = inBrackets(meant)
		} else if below, ok := pattern.Below(keyManifest); ok && below.SelectsIn(live) {
			correct = "Unlike the paths of Pulumi's option ignoreChanges, this one begins in the object: " + tracked.QuotedList([]string{below.String()})
		}
		p.GetLogger(ctx).Warningf("%s: ignoreFields %s selects nothing, neither in the manifest nor in the live object. %s", t.Ref, name, correct)
	}
}

// inBrackets advises a path in the place of one whose dots are read as steps.
func inBrackets(meant string) string {
	return "A key with dots is written in brackets: " + tracked.QuotedList([]string{meant})
}

// unselected returns the paths in ignoreFields that select nothing in the manifest.
func (in inputs) unselected() ownership.Ignore {
	var unselected ownership.Ignore
	own := in
	own.heed(Ignored{})
	for _, pattern := range own.named {
		if !pattern.SelectsIn(in.applied) {
			unselected = append(unselected, pattern)
		}
	}
	return unselected
}

// warnNewlyUnselected runs [target.warnSelectsNothing] for a program that has changed its ignoreFields, possibly
// without any other change. It reads the object only if a path selects nothing in the manifest.
func (in inputs) warnNewlyUnselected(ctx context.Context, clu *cluster.Cluster, old state, oldInputs property.Map) {
	was, err := decodeInputs(oldInputs)
	if clu == nil || err != nil || len(in.unselected()) == 0 || in.unknown > 0 || was.ignored.String() == in.ignored.String() {
		return
	}
	found, err := tracked.Find(ctx, clu, old.Ref.Identity, old.Manager)
	if err != nil {
		return
	}
	if live, err := clu.Get(ctx, found.Ref); err == nil {
		target{found}.warnSelectsNothing(ctx, in, live.Object)
	}
}
