package connection

import (
	"os"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// ForgetVariable is the environment variable that adds to the provider's setting forgetClusters: names of clusters,
// separated by commas. A destroy reads the configuration of the last run, so a setting alone would come too late.
const ForgetVariable = "PULUMI_K8SCONNECT_FORGET_CLUSTERS"

// Forget sets the clusters that no longer exist, and neither does anything that was in them.
func (s *Source) Forget(clusters []string) {
	for name := range strings.SplitSeq(os.Getenv(ForgetVariable), ",") {
		if name = strings.TrimSpace(name); name != "" {
			clusters = append(clusters, name)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forgotten = clusters
}

// Forgets reports whether the user has declared that a cluster no longer exists.
func (s *Source) Forgets(name string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return name != "" && slices.Contains(s.forgotten, name)
}

// DecodeList reads a list of texts in the provider's configuration, which the engine passes as JSON text. It returns
// false if the value is not a list, or if an item is empty or not a text.
func DecodeList(value property.Value) ([]string, bool) {
	value = UnpackList(value)
	if value.IsNull() || value.IsComputed() {
		return nil, true
	}
	if !value.IsArray() {
		return nil, false
	}
	var list []string
	for _, item := range value.AsArray().All {
		if item.IsComputed() {
			continue
		}
		if !item.IsString() || strings.TrimSpace(item.AsString()) == "" {
			return nil, false
		}
		list = append(list, strings.TrimSpace(item.AsString()))
	}
	return list, true
}
