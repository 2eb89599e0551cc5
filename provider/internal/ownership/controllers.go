package ownership

// IsController reports whether a field manager is a known controller that sets fields of objects that others apply, and
// goes on setting them. Tools that people and pipelines run are none: what they change is meant to be seen.
func IsController(manager string) bool { return controllers[manager] }

var controllers = map[string]bool{
	"kube-controller-manager": true, // replicas, for a HorizontalPodAutoscaler
	"vpa-recommender":         true,
	"vpa-updater":             true,
	"keda":                    true,
	"cert-manager-cainjector": true,
	"cainjector":              true, // the same in earlier versions
	"pilot-discovery":         true, // Istio
	"rollouts-controller":     true, // Argo Rollouts
	"flagger":                 true,
	"kueue":                   true,
}
