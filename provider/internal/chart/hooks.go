package chart

import (
	"fmt"
	"slices"
	"strings"

	helmrelease "helm.sh/helm/v4/pkg/release/v1"
)

// Hook is an object that runs at events of a release.
type Hook struct {
	Document

	// Events are when it runs: pre-install, post-install, pre-upgrade, post-upgrade, pre-rollback, post-rollback, pre-delete,
	// post-delete.
	Events []string
	// Weight orders the hooks of an event, from the smallest.
	Weight int
	// DeletePolicies say when the object is deleted: before-hook-creation, hook-succeeded, hook-failed. If there are none, Helm uses the
	// first of these.
	DeletePolicies []string
}

// hookEvents are the events that Helm knows, and test-success, the test of Helm 2.
var hookEvents = []string{
	string(helmrelease.HookPreInstall), string(helmrelease.HookPostInstall), string(helmrelease.HookPreUpgrade),
	string(helmrelease.HookPostUpgrade), string(helmrelease.HookPreRollback), string(helmrelease.HookPostRollback),
	string(helmrelease.HookPreDelete), string(helmrelease.HookPostDelete), string(helmrelease.HookTest), "test-success",
}

// unknownHook says why Helm leaves out an object: its hook annotation names an event that Helm does not know.
func unknownHook(object map[string]any) string {
	value, isHook := annotationsOf(object)[helmrelease.HookAnnotation].(string)
	if !isHook {
		return ""
	}
	for event := range strings.SplitSeq(value, ",") {
		if event = strings.ToLower(strings.TrimSpace(event)); !slices.Contains(hookEvents, event) {
			return fmt.Sprintf("its annotation %s names an event that Helm does not know", helmrelease.HookAnnotation) // What it names may be secret.
		}
	}
	return ""
}

func annotationsOf(object map[string]any) map[string]any {
	metadata, _ := object["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	return annotations
}

// textAnnotations refuses an annotation that is not a text. Helm does so too, but does not say which one it is.
func textAnnotations(object map[string]any) error {
	for key, value := range annotationsOf(object) {
		switch value.(type) {
		case string, nil:
		default:
			return fmt.Errorf("the annotation %q of %s is no text: put it in quotes", key, nameOf(object))
		}
	}
	return nil
}
