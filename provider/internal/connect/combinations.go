package connect

import "github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"

// Presence says whether an input is set; an unknown one may turn out to be set or not.
type Presence int

// What is known about an input.
const (
	Absent Presence = iota
	Unknown
	Given
)

// needHost are the inputs that make sense only with host.
var needHost = []string{
	"clientCertificate", "clientKey", "clusterCaCertificate", "exec", "insecure", "proxyUrl", "tlsServerName", "token",
}

// exclusive are pairs of inputs; given both, the API server would silently use one.
var exclusive = [][2]string{
	{"insecure", "clusterCaCertificate"},
	{"token", "exec"},
	{"token", "clientCertificate"},
	{"exec", "clientCertificate"},
}

// Contradictions lists the inputs of a connection that contradict each other, each by the name of the input to correct.
// has says which inputs are set.
func Contradictions(has func(name string) Presence) (found []*failure.FieldError) {
	is := func(name string) bool { return has(name) == Given }
	add := func(name, reason string) {
		found = append(found, &failure.FieldError{Field: name, Reason: reason})
	}
	switch {
	case is("host") && is("kubeconfig"):
		add("host", "cannot be combined with kubeconfig")
	case is("host") && is("context"):
		add("context", "names a context of a kubeconfig and cannot be combined with host")
	}
	for _, name := range needHost {
		switch {
		case has("host") != Absent || !is(name):
		case is("kubeconfig"):
			add(name, "cannot be combined with kubeconfig, which has its own")
		default:
			add(name, "needs host")
		}
	}
	for _, pair := range exclusive {
		if is(pair[0]) && is(pair[1]) {
			add(pair[0], "cannot be combined with "+pair[1])
		}
	}
	return append(found, halves(has)...)
}

// halves are a client certificate without its key, and a key without its certificate.
func halves(has func(name string) Presence) (found []*failure.FieldError) {
	for name, other := range map[string]string{"clientCertificate": "clientKey", "clientKey": "clientCertificate"} {
		if has(name) == Given && has(other) == Absent {
			found = append(found, &failure.FieldError{Field: name, Reason: "needs " + other})
		}
	}
	return found
}

// has says whether an input is set.
func (c Connection) has(name string) Presence {
	given := map[string]bool{
		"kubeconfig": c.Kubeconfig.isSet(), "context": c.Context != "", "host": c.Host.isSet(),
		"clusterCaCertificate": c.ClusterCACertificate.isSet(), "insecure": c.Insecure, "tlsServerName": c.TLSServerName != "",
		"proxyUrl": c.ProxyURL.isSet(), "token": c.Token.isSet(), "clientCertificate": c.ClientCertificate.isSet(),
		"clientKey": c.ClientKey.isSet(), "exec": c.Exec != nil,
	}
	if given[name] {
		return Given
	}
	return Absent
}
