package readiness

import (
	"pgregory.net/rapid"
)

// drawLive makes an object of some kind as an API server and its controllers could have left it.
func drawLive(t *rapid.T) object {
	return drawLiveOf(t, rapid.SampledFrom(drawn).Draw(t, "kind"))
}

func drawLiveOf(t *rapid.T, kind drawnKind) object {
	metadata := object{"name": "it", "generation": int64(2), "creationTimestamp": "2026-01-01T00:00:00Z"}
	if rapid.IntRange(0, 9).Draw(t, "terminating") == 0 {
		metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z"
	}
	d := draw{t}
	spec, status := kind.draw(d)
	live := object{"apiVersion": kind.apiVersion, "kind": kind.kind, "metadata": metadata}
	if spec != nil {
		live["spec"] = spec
	}
	if status != nil {
		if kind.observes {
			d.maybe("observed", func() {
				status["observedGeneration"] = rapid.SampledFrom([]int64{1, 2, 2, 2}).Draw(t, "observedGeneration")
			})
		}
		live["status"] = status
	}
	return live
}

type draw struct{ t *rapid.T }

func (d draw) maybe(what string, do func()) {
	if rapid.Bool().Draw(d.t, what) {
		do()
	}
}

func (d draw) number(what string, from, to int64) int64 {
	return rapid.Int64Range(min(from, to), to).Draw(d.t, what)
}

func (d draw) one(what string, of ...string) string { return rapid.SampledFrom(of).Draw(d.t, what) }

// conditions draws some of the conditions, each with a status.
func (d draw) conditions(status object, types ...string) {
	var conditions list
	for _, kind := range types {
		d.maybe(kind, func() {
			condition := object{"type": kind, "status": d.one("status of "+kind, "True", "False", "Unknown")}
			d.maybe("generation of "+kind, func() { condition["observedGeneration"] = d.number("generation", 1, 2) })
			conditions = append(conditions, condition)
		})
	}
	if len(conditions) > 0 {
		status["conditions"] = rapid.Permutation(conditions).Draw(d.t, "conditions")
	}
}

// phased draws one of some phases, or none.
func phased(phases ...string) func(draw) (object, object) {
	return func(d draw) (object, object) {
		status := object{}
		d.maybe("phase", func() { status["phase"] = d.one("phase", phases...) })
		return object{}, status
	}
}

type drawnKind struct {
	apiVersion, kind string
	observes         bool // its controller writes status.observedGeneration
	draw             func(d draw) (spec, status object)
}

var drawn = []drawnKind{
	{"apps/v1", "Deployment", true, func(d draw) (object, object) {
		spec := object{"replicas": d.number("replicas", 0, 2), "progressDeadlineSeconds": int64(600)}
		replicas := d.number("pods", 0, 3)
		updated := d.number("updated", 0, replicas)
		ready := d.number("ready", 0, replicas)
		status := object{"replicas": replicas, "updatedReplicas": updated, "readyReplicas": ready, "availableReplicas": d.number("available", 0, ready)}
		progress := object{"type": "Progressing", "status": "True", "reason": d.one("progress", "NewReplicaSetAvailable", "ReplicaSetUpdated")}
		switch d.one("state", "", "late", "paused") {
		case "late":
			progress = object{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}
		case "paused":
			spec["paused"] = true
			progress = object{"type": "Progressing", "status": "Unknown", "reason": "DeploymentPaused"}
		}
		status["conditions"] = list{object{"type": "Available", "status": d.one("is available", "True", "False")}, progress}
		return spec, status
	}},
	{"apps/v1", "StatefulSet", true, func(d draw) (object, object) {
		strategy := object{"type": d.one("strategy", "RollingUpdate", "OnDelete")}
		if strategy["type"] == "RollingUpdate" {
			strategy["rollingUpdate"] = object{"partition": d.number("partition", 0, 2)}
		}
		replicas := d.number("pods", 0, 3)
		ready := d.number("ready", 0, replicas)
		return object{"replicas": d.number("replicas", 0, 2), "updateStrategy": strategy, "minReadySeconds": d.number("seconds", 0, 1)}, object{
			"replicas": replicas, "readyReplicas": ready, "availableReplicas": d.number("available", 0, ready), "updatedReplicas": d.number("updated", 0, replicas),
			"currentRevision": "a", "updateRevision": d.one("revision", "a", "b"),
		}
	}},
	{"apps/v1", "DaemonSet", true, func(d draw) (object, object) {
		current := d.number("current", 0, 2)
		ready := d.number("ready", 0, current)
		return object{"updateStrategy": object{"type": d.one("strategy", "RollingUpdate", "OnDelete")}}, object{
			"desiredNumberScheduled": d.number("desired", 0, 2), "currentNumberScheduled": current, "updatedNumberScheduled": d.number("updated", 0, current),
			"numberReady": ready, "numberAvailable": d.number("available", 0, ready),
		}
	}},
	{"apps/v1", "ReplicaSet", true, drawReplicas},
	{"v1", "ReplicationController", true, drawReplicas},
	{"batch/v1", "Job", false, func(d draw) (object, object) {
		spec, status := object{}, object{}
		d.maybe("suspended", func() { spec["suspend"] = true })
		d.maybe("started", func() { status["startTime"], status["active"] = "2026-01-01T00:00:00Z", int64(1) })
		d.maybe("ended", func() {
			status["conditions"] = list{object{"type": d.one("end", "Complete", "Failed"), "status": "True"}}
		})
		return spec, status
	}},
	{"batch/v1", "CronJob", false, func(draw) (object, object) { return object{}, object{} }},
	{"v1", "Pod", false, func(d draw) (object, object) {
		status := object{"phase": d.one("phase", "Pending", "Running", "Succeeded", "Failed")}
		switch status["phase"] {
		case "Running":
			d.conditions(status, "Ready", "PodScheduled")
			d.maybe("crash", func() {
				status["containerStatuses"] = list{object{"name": "a", "state": object{"waiting": object{"reason": "CrashLoopBackOff"}}}}
			})
		case "Pending":
			d.maybe("unschedulable", func() {
				status["conditions"] = list{object{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}}
			})
		}
		return object{}, status
	}},
	{"v1", "PersistentVolumeClaim", false, phased("Pending", "Bound", "Lost")},
	{"v1", "PersistentVolume", false, phased("Pending", "Available", "Bound", "Released", "Failed")},
	{"v1", "Namespace", false, phased("Active", "Terminating")},
	{"v1", "Service", false, func(d draw) (object, object) {
		balancer := object{}
		d.maybe("address", func() { balancer["ingress"] = list{object{d.one("address", "ip", "hostname"): "a"}} })
		return object{"clusterIP": "10.0.0.1", "type": d.one("type", "ClusterIP", "NodePort", "LoadBalancer")}, object{"loadBalancer": balancer}
	}},
	{"networking.k8s.io/v1", "Ingress", false, func(d draw) (object, object) {
		balancer := object{}
		d.maybe("address", func() { balancer["ingress"] = list{object{d.one("address", "ip", "hostname"): "a"}} })
		return object{}, object{"loadBalancer": balancer}
	}},
	{"policy/v1", "PodDisruptionBudget", true, func(d draw) (object, object) {
		return object{}, object{"currentHealthy": d.number("healthy", 0, 2), "desiredHealthy": d.number("desired", 0, 2)}
	}},
	{"apiextensions.k8s.io/v1", "CustomResourceDefinition", false, func(d draw) (object, object) {
		status := object{}
		d.conditions(status, "NamesAccepted", "Established")
		for _, condition := range Conditions(object{"status": status}) {
			if condition.Type == "Established" && condition.Status == "False" {
				for _, entry := range status["conditions"].(list) {
					entry.(object)["reason"] = d.one("reason", "Installing", "NotAccepted")
				}
			}
		}
		return object{}, status
	}},
	{"apiregistration.k8s.io/v1", "APIService", false, func(d draw) (object, object) {
		status := object{}
		d.conditions(status, "Available")
		return object{}, status
	}},
	{"autoscaling/v2", "HorizontalPodAutoscaler", true, func(d draw) (object, object) {
		status := object{}
		d.conditions(status, "AbleToScale", "ScalingActive", "ScalingLimited")
		return object{}, status
	}},
	{"v1", "Node", false, func(d draw) (object, object) {
		status := object{}
		d.conditions(status, "Ready", "MemoryPressure")
		return object{}, status
	}},
	{"certificates.k8s.io/v1", "CertificateSigningRequest", false, func(d draw) (object, object) {
		status := object{}
		d.conditions(status, "Approved", "Denied", "Failed")
		d.maybe("certificate", func() { status["certificate"] = "Zm9v" })
		return object{}, status
	}},
	{"v1", "ConfigMap", false, func(draw) (object, object) { return nil, nil }},
	{"v1", "Secret", false, func(draw) (object, object) { return nil, nil }},
	{"acme.io/v1", "Widget", true, func(d draw) (object, object) {
		if d.one("status", "some", "none") == "none" {
			return object{}, nil
		}
		status := object{}
		d.maybe("phase", func() { status["phase"] = "New" })
		d.conditions(status, "Ready", "Available", "Reconciling", "Stalled", "Accepted")
		return object{}, status
	}},
}

func drawReplicas(d draw) (object, object) {
	wanted, replicas := d.number("replicas", 0, 2), d.number("pods", 0, 3)
	ready := d.number("ready", 0, replicas)
	status := object{
		"replicas": replicas, "fullyLabeledReplicas": replicas, "readyReplicas": ready, "availableReplicas": d.number("available", 0, ready),
	}
	if replicas != wanted {
		d.maybe("failure", func() { status["conditions"] = list{object{"type": "ReplicaFailure", "status": "True"}} })
	}
	return object{"replicas": wanted}, status
}
