package readiness

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
)

// HTTP is a GET request that a Service or a Pod must answer. No state of an object tells the answer: [Verdict.Doubt] says
// when it is the only thing that is missing, and [Options.Ask] asks.
type HTTP struct {
	// Path begins with a slash, and may have a query.
	Path string
	// Port is a number or a name; empty means the only port that the object has.
	Port string
	// TLS means https.
	TLS bool
	// Status are the statuses that are as awaited; empty means any 2xx.
	Status []int
}

// AnswersHTTP reports whether objects of a kind can be asked.
func AnswersHTTP(kind schema.GroupKind) bool { return kind == kinds.Service || kind == kinds.Pod }

// Request describes the request.
func (h HTTP) Request() string {
	text := http.MethodGet + " " + h.Path
	if h.Port != "" {
		text += " at port " + h.Port
	}
	if h.TLS {
		text += " over https"
	}
	return text
}

// Wanted describes the statuses that are as awaited.
func (h HTTP) Wanted() string {
	if len(h.Status) == 0 {
		return "2xx"
	}
	texts := make([]string, len(h.Status))
	for i, status := range h.Status {
		texts[i] = strconv.Itoa(status)
	}
	return strings.Join(texts, " or ")
}

// Accepts reports whether a status is as awaited.
func (h HTTP) Accepts(status int) bool {
	if len(h.Status) == 0 {
		return status >= 200 && status < 300
	}
	return slices.Contains(h.Status, status)
}

// PortOf returns the port at which the API server is to ask an object: its name, if a Service has named it, otherwise its
// number.
func (h HTTP) PortOf(object map[string]any) string {
	port, _, _ := h.find(object)
	return port
}

// HTTP returns the request whose answer the goal waits for, if there is one.
func (g *Goal) HTTP() (HTTP, bool) {
	for _, c := range g.criteria {
		if c, is := c.(httpCriterion); is {
			return c.HTTP, true
		}
	}
	return HTTP{}, false
}

// httpCriterion holds when there is a port to ask. [Goal.Judge] adds that the answer is missing.
type httpCriterion struct{ HTTP }

func (c httpCriterion) String() string {
	return fmt.Sprintf("the answer %s to %s", c.Wanted(), c.Request())
}

func (c httpCriterion) missing(object map[string]any) string {
	_, missing, never := c.find(object)
	return cmp.Or(missing, never.why)
}

func (httpCriterion) readsStatus() bool { return false }

func (c httpCriterion) unanswered() string { return c.Request() + " is not answered yet" }

// unaskable says why an object can never be asked, as the goal stands.
func (g *Goal) unaskable(object map[string]any) terminalFailure {
	asked, is := g.HTTP()
	if !is {
		return terminalFailure{}
	}
	_, _, never := asked.find(object)
	return never
}

// namedPort is a TCP port of an object. A Service may be told by the name of a port, a Pod may not.
type namedPort struct{ name, number string }

func (p namedPort) String() string {
	if p.name == "" {
		return p.number
	}
	return fmt.Sprintf("%s (%s)", p.name, p.number)
}

// find finds the port to ask. missing says what may still change, never what does not.
func (h HTTP) find(object map[string]any) (port, missing string, never terminalFailure) {
	isService := kindOf(object) == kinds.Service
	if kind, _, _ := unstructured.NestedString(object, "spec", "type"); isService && kind == "ExternalName" {
		return "", "", terminalFailure{
			why:  "the API server cannot ask a Service of the type ExternalName, because that has no endpoints",
			next: "wait for a Service or a Pod of this cluster",
		}
	}
	if isService {
		return h.findIn(portsOfService(object))
	}
	return h.findInPod(portsOfPod(object))
}

// choose returns the index of the port. If there is nothing to choose from, it is -1.
func (h HTTP) choose(ports []namedPort) (at int, never terminalFailure) {
	switch {
	case h.Port != "":
		return slices.IndexFunc(ports, func(p namedPort) bool { return h.Port == p.number || h.Port == p.name }), terminalFailure{}
	case len(ports) > 1:
		return -1, terminalFailure{why: "it has several ports: " + listed(ports), next: "set waitFor.http.port to one of them"}
	default:
		return len(ports) - 1, terminalFailure{}
	}
}

// findIn finds the port of a Service, which may still get it.
func (h HTTP) findIn(ports []namedPort) (port, missing string, never terminalFailure) {
	switch at, never := h.choose(ports); {
	case never.why != "":
		return "", "", never
	case at >= 0:
		return cmp.Or(ports[at].name, ports[at].number), "", terminalFailure{}
	case h.Port == "":
		return "", "it has no TCP port", terminalFailure{}
	default:
		return "", fmt.Sprintf("it has no TCP port %s, only %s", h.Port, listed(ports)), terminalFailure{}
	}
}

// findInPod finds the port of a Pod, whose ports are final. A container may listen at a port that it does not list.
func (h HTTP) findInPod(ports []namedPort) (port, missing string, never terminalFailure) {
	switch at, never := h.choose(ports); {
	case never.why != "":
		return "", "", never
	case at >= 0:
		return ports[at].number, "", terminalFailure{}
	case h.Port == "":
		return "", "", terminalFailure{why: "its containers list no TCP port", next: "set waitFor.http.port to the number of one"}
	case isNumber(h.Port):
		return h.Port, "", terminalFailure{}
	default:
		return "", "", terminalFailure{
			why:  fmt.Sprintf("its containers list no TCP port %s, only %s", h.Port, listed(ports)),
			next: "set waitFor.http.port to one that they have",
		}
	}
}

func listed(ports []namedPort) string {
	texts := make([]string, len(ports))
	for i, p := range ports {
		texts[i] = p.String()
	}
	return cmp.Or(strings.Join(texts, ", "), "none")
}

func isNumber(port string) bool {
	_, err := strconv.Atoi(port)
	return err == nil
}

func portsOfService(object map[string]any) []namedPort {
	ports, _, _ := unstructured.NestedSlice(object, "spec", "ports")
	return tcpPorts(ports, "port")
}

// portsOfPod are the ports of the containers that run side by side.
func portsOfPod(object map[string]any) (ports []namedPort) {
	for _, field := range []string{"containers", "initContainers"} {
		containers, _, _ := unstructured.NestedSlice(object, "spec", field)
		for _, c := range containers {
			container, _ := c.(map[string]any)
			if field == "initContainers" && container["restartPolicy"] != "Always" {
				continue
			}
			of, _, _ := unstructured.NestedSlice(container, "ports")
			ports = append(ports, tcpPorts(of, "containerPort")...)
		}
	}
	return ports
}

func tcpPorts(all []any, number string) (ports []namedPort) {
	for _, l := range all {
		port, _ := l.(map[string]any)
		if protocol, _ := port["protocol"].(string); protocol != "" && protocol != "TCP" {
			continue
		}
		name, _ := port["name"].(string)
		ports = append(ports, namedPort{name, fmt.Sprint(port[number])})
	}
	return ports
}
