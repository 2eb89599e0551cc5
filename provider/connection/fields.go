package connection

import "sort"

// namespaceField is a key of the provider's configuration that belongs to the connection's defaults.
const namespaceField = "namespace"

// shape is what a value must look like.
type shape int

const (
	text shape = iota
	boolean
	textList
	textMap
	textsMap
	execObject
	impersonationObject
)

// field describes one property of a connection.
type field struct {
	shape  shape
	object bool // an object, which provider configuration delivers as JSON text
	secret bool // a credential
	inline bool // makes sense only with host
}

var fields = map[string]field{
	"kubeconfig":           {secret: true},
	"context":              {},
	"host":                 {},
	"clusterCaCertificate": {inline: true},
	"insecure":             {shape: boolean, inline: true},
	"tlsServerName":        {inline: true},
	"proxyUrl":             {inline: true},
	"token":                {secret: true, inline: true},
	"clientCertificate":    {secret: true, inline: true},
	"clientKey":            {secret: true, inline: true},
	"exec":                 {shape: execObject, object: true, secret: true, inline: true},
	"impersonate":          {shape: impersonationObject, object: true},
}

var execFields = map[string]field{
	"apiVersion": {},
	"command":    {},
	"args":       {shape: textList},
	"env":        {shape: textMap},
}

var impersonationFields = map[string]field{
	"user":   {},
	"groups": {shape: textList},
	"extra":  {shape: textsMap},
}

// fieldNames are the properties of a connection in a fixed order.
func fieldNames() []string { return sortedNames(fields) }

func sortedNames(known map[string]field) []string {
	names := make([]string, 0, len(known))
	for name := range known {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
