package lives_test

import (
	"encoding/base64"
	"fmt"
	"maps"
	"strings"
)

// species is a kind of object as the lives have it: what programs and neighbours change of it, and what programs ignore.
type species struct {
	name string
	born func(name string) m
	// changes are what a program changes, meddling what others do.
	changes, meddling []edit
	ignorable         []ignored
	// untwinned says that a twin would differ by itself, since a controller or admission gives each object values of its own.
	untwinned bool
	// bound says that it is bound to a volume before anything else happens to it.
	bound bool
}

// edit gives a path one of some values. nil removes it, and renamed gives the item that it leads to another key.
type edit struct {
	path   string
	values []any
}

type renamed string

// ignored are places of the live object, and how programs write it in ignoreFields.
type ignored struct {
	path      string
	spellings []string
}

// hush begins the values of Secrets, by which the search knows them again.
const hush = "hush-"

func values(v ...any) []any { return v }

var label = edit{"metadata.labels.rev", values("1", "2", "3")}

// podChanges are those of pods, below a path.
func podChanges(below string) []edit {
	return []edit{
		{below + "containers[name=main].image", values("example.com/app:1", "example.com/app:2")},
		{below + "containers[name=side]", values(m{"image": "example.com/side:1"}, m{"image": "example.com/side:2", "env": []any{m{"name": "A", "value": "1"}}}, nil)},
		{below + "containers[name=side]", values(renamed("other"))},
		{below + "containers[name=main].env[name=A]", values(m{"value": "1"}, m{"value": "2"}, nil, renamed("B"))},
		{below + "terminationGracePeriodSeconds", values(int64(5), nil)},
	}
}

const template = "spec.template.spec."

var (
	replicas     = edit{"spec.replicas", values(int64(0), int64(1), int64(2), int64(4))}
	replicasGone = edit{"spec.replicas", values(int64(1), int64(3), nil)}
	theirLabel   = edit{"metadata.labels.team", values("them", nil)}
	theirSidecar = edit{template + "containers[name=mesh]", values(m{"image": "example.com/mesh:1"})}
	theirImage   = edit{template + "containers[name=main].image", values("example.com/app:9")}
	image        = ignored{template + "containers[name=main].image", []string{template + "containers[name=main].image", template + "containers[*].image", template + "containers[?(@.name=='main')].image"}}
	admission    = edit{template + "nodeSelector", values(m{"pool": "batch", "zone": "a"})}
)

func bare(text string) func(string) m { return func(name string) m { return parsef(text, name) } }

// allSpecies are the kinds of the lives.
var allSpecies = []species{
	{
		name: "ConfigMap", born: configMap,
		changes:   []edit{label, {"data.a", values("1", "2")}, {"data.b", values("1", nil)}, {"data.gated", values("on", nil)}, {"metadata.annotations.note", values("ours", nil)}},
		meddling:  []edit{theirLabel, {"data.a", values("theirs")}, {"data.z", values("theirs", nil)}, {"metadata.labels.rev", values("theirs")}},
		ignorable: []ignored{{"data.a", []string{"data.a", `data["a"]`, "$.data.a"}}, {"metadata.labels.rev", []string{"metadata.labels.rev", `metadata.labels["rev"]`}}, {"metadata.labels metadata.annotations", []string{"metadata"}}},
	},
	{
		name: "Secret", born: bare(`{apiVersion: v1, kind: Secret, metadata: {name: %s, labels: {rev: "1"}}, stringData: {password: hush-first}, data: {token: aHVzaC10b2tlbg==}}`),
		changes:   []edit{label, {"stringData.password", values(hush+"2nd", hush+"3rd")}, {"stringData.more", values(hush+"more", nil)}, {"data.token", values("aHVzaC1uZXh0")}},
		meddling:  []edit{theirLabel, {"data.password", values("aHVzaC1yb3RhdGVk")}, {"data.token", values("aHVzaC1yb3RhdGVk")}},
		ignorable: []ignored{{"data.password", []string{"data.password", "stringData.password"}}, {"data.token", []string{"data.token"}}},
	},
	{
		name: "Deployment", born: deployment,
		changes:   append([]edit{label, replicas, replicasGone, {template + "hostname", values("gated", nil)}, {"spec.minReadySeconds", values(int64(1), nil)}}, podChanges(template)...),
		meddling:  []edit{theirLabel, replicas, theirSidecar, theirImage, {template + "containers[name=main].env[name=X]", values(m{"value": "x"})}},
		ignorable: []ignored{{"spec.replicas", []string{"spec.replicas"}}, image, {template + "containers[name=main].env[name=A].value", []string{template + "containers[name=main].env[name=A].value"}}},
	},
	{
		name: "StatefulSet", born: statefulSet,
		changes:   append([]edit{label, replicas, {"spec.serviceName", values("db", "other")}}, podChanges(template)...),
		meddling:  []edit{theirLabel, replicas, theirImage},
		ignorable: []ignored{{"spec.replicas", []string{"spec.replicas"}}, image},
	},
	{
		name: "Job", born: queued, untwinned: true,
		changes:   []edit{label, {"spec.backoffLimit", values(int64(2), nil)}, {"spec.parallelism", values(int64(1), int64(2))}, {template + "containers[name=main].image", values("example.com/app:2")}},
		meddling:  []edit{theirLabel, admission, {"spec.suspend", values(false)}, {"spec.parallelism", values(int64(3))}},
		ignorable: []ignored{{"spec.suspend", []string{"spec.suspend"}}, {template + "nodeSelector", []string{template + "nodeSelector"}}, {"spec.parallelism", []string{"spec.parallelism"}}},
	},
	{
		name: "Pod", untwinned: true,
		born: func(name string) m {
			return merge(pod(name), m{"spec": m{"automountServiceAccountToken": false, "schedulingGates": []any{m{"name": "example.com/quota"}}}})
		},
		changes:   []edit{label, {"spec.containers[name=main].image", values("example.com/app:1", "example.com/app:2")}, {"spec.activeDeadlineSeconds", values(int64(1800))}},
		meddling:  []edit{theirLabel, {"spec.activeDeadlineSeconds", values(int64(60))}, {"spec.schedulingGates", values([]any{})}, {"spec.containers[name=main].image", values("example.com/app:9")}},
		ignorable: []ignored{{"spec.activeDeadlineSeconds", []string{"spec.activeDeadlineSeconds"}}, {"spec.schedulingGates", []string{"spec.schedulingGates"}}},
	},
	{
		name: "Pod of a class", untwinned: true,
		born: func(name string) m {
			return merge(pod(name), m{"spec": m{"automountServiceAccountToken": false, "runtimeClassName": "sandboxed", "nodeSelector": m{"disk": "ssd"}}})
		},
		changes:  []edit{label, {"spec.containers[name=main].image", values("example.com/app:1", "example.com/app:2")}},
		meddling: []edit{theirLabel},
	},
	{
		name: "PersistentVolumeClaim", born: claimOf, untwinned: true, bound: true,
		changes:   []edit{label, {"spec.resources.requests.storage", values("1Gi", "3Gi")}},
		meddling:  []edit{theirLabel, {"spec.resources.requests.storage", values("2Gi", "4Gi")}},
		ignorable: []ignored{{"spec.resources.requests.storage", []string{"spec.resources.requests.storage", "spec.resources"}}},
	},
	{
		name: "Service", untwinned: true,
		born: bare(`{apiVersion: v1, kind: Service, metadata: {name: %s, labels: {rev: "1"}}, spec: {selector: {app: dns}, ports: [{name: tcp, port: 53, targetPort: 5353}, {name: udp, port: 53, targetPort: 5353, protocol: UDP}]}}`),
		changes: []edit{label, {"spec.selector.tier", values("a", nil)}, {"spec.ports[port=53,protocol=TCP].targetPort", values(int64(5353), int64(5354))},
			{"spec.ports[port=53,protocol=UDP].targetPort", values(int64(5353), int64(5355))},
			{"spec.ports[port=80,protocol=TCP]", values(m{"name": "web", "protocol": "TCP"}, nil)}, {"spec.ports[port=53,protocol=TCP].name", values("tcp", "dns-tcp")}},
		meddling: []edit{theirLabel, {"spec.ports[port=53,protocol=UDP].targetPort", values(int64(5399))}, {"spec.ports[port=90,protocol=TCP]", values(m{"name": "theirs", "protocol": "TCP"})}},
		ignorable: []ignored{{"spec.ports[port=53,protocol=UDP].targetPort", []string{"spec.ports[port=53,protocol=UDP].targetPort", "spec.ports[protocol=UDP,port=53].targetPort"}},
			{"spec.selector.app", []string{"spec.selector.app"}}},
	},
	{
		name: "ClusterRole", untwinned: true,
		born:     bare(`{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: %[1]s, labels: {rev: "1"}}, aggregationRule: {clusterRoleSelectors: [{matchLabels: {into: %[1]s}}]}}`),
		changes:  []edit{label, {"rules", values([]any{}, nil)}},
		meddling: []edit{theirLabel},
	},
	{
		name: "Sized", born: func(name string) m { return custom("Sized", name) },
		changes:   []edit{label, {"spec.size", values(int64(1), int64(2), int64(4))}, {"spec.color", values("red", "blue", nil)}, {"spec.units[name=a]", values(m{"size": int64(1)}, nil, renamed("b"))}},
		meddling:  []edit{theirLabel, {"spec.size", values(int64(3), int64(5))}, {"spec.units[name=z]", values(m{"size": int64(9)})}, {"spec.color", values("green")}},
		ignorable: []ignored{{"spec.size", []string{"spec.size", "$.spec.size"}}, {"spec.color", []string{"spec.color"}}},
	},
	{
		name: "Plain", born: func(name string) m { return custom("Plain", name) },
		changes:   []edit{label, {"spec.size", values(int64(1), int64(2), int64(4))}, {"spec.units[name=a].size", values(int64(1), int64(2))}, {"spec.units[name=a]", values(nil, renamed("b"))}},
		meddling:  []edit{theirLabel, {"spec.size", values(int64(3), int64(5))}, {"spec.units[name=a].size", values(int64(7))}},
		ignorable: []ignored{{"spec.size", []string{"spec.size"}}, {"spec.units[name=a].size", []string{"spec.units[name=a].size"}}},
	},
}

// make makes the edit in a tree.
func (e edit) make(tree m, value any) m {
	p := at(e.path)
	if name, ok := value.(renamed); ok {
		item, there := get(tree, p)
		if !there {
			return tree
		}
		moved := maps.Clone(item.(m))
		moved["name"] = string(name)
		tree = set(tree, p, nil).(m)
		last := append(path{}, p...)
		last[len(last)-1] = step{keys: m{"name": string(name)}}
		return set(tree, last, moved).(m)
	}
	if value == nil {
		if _, there := get(tree, p); !there {
			return tree
		}
	}
	return set(tree, p, value).(m)
}

func (e edit) says(value any) string {
	switch value := value.(type) {
	case nil:
		return e.path + " goes"
	case renamed:
		return e.path + " is called " + string(value)
	default:
		return e.path + " is " + asJSON(value)
	}
}

// folded is a manifest as the API server stores it: a Secret's texts are in data, and lists without items are nothing.
func folded(manifest m) m {
	texts, ok := manifest["stringData"].(m)
	if !ok {
		return manifest
	}
	manifest = maps.Clone(manifest)
	delete(manifest, "stringData")
	data := m{}
	if had, ok := manifest["data"].(m); ok {
		maps.Copy(data, had)
	}
	for key, text := range texts {
		data[key] = base64.StdEncoding.EncodeToString([]byte(fmt.Sprint(text)))
	}
	manifest["data"] = data
	return manifest
}

// kindOf is the kind of a species.
func (s species) kind() string { kind, _, _ := strings.Cut(s.name, " "); return kind }
