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
	// DeletePolicies say when the object is deleted: before-hook-creation, hook-succeeded, hook-failed. Helm takes the first
	// of these if there are none.
	DeletePolicies []string
}

// hookEvents are the events that Helm knows, and test-success, the test of Helm 2.
var hookEvents = []string{
	string(helmrelease.HookPreInstall), string(helmrelease.HookPostInstall), string(helmrelease.HookPreUpgrade),
	string(helmrelease.HookPostUpgrade), string(helmrelease.HookPreRollback), string(helmrelease.HookPostRollback),
	string(helmrelease.HookPreDelete), string(helmrelease.HookPostDelete), string(helmrelease.HookTest), "test-success",
}

// unknownHook says why Helm leaves out an object: it has an annotation of a hook with an event that Helm does not know.
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

// textAnnotations refuses an annotation that is no text. Helm does that too, and does not say which.
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
