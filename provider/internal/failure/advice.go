package failure

// summary completes "cannot VERB SUBJECT: …".
var summary = map[Class]string{
	ClassConfiguration:    "the connection to the cluster is not usable",
	ClassCredentials:      "the credential plugin gave no credentials",
	ClassAuthentication:   "the API server does not accept the credentials (401)",
	ClassForbidden:        "the API server forbids it (403)",
	ClassNotFound:         "not found (404)",
	ClassNamespaceMissing: "its namespace does not exist",
	ClassKindNotServed:    "the cluster does not know this kind",
	ClassAlreadyExists:    "it already exists",
	ClassConflict:         "the object is not in the expected state (409)",
	ClassFieldConflict:    "other field managers own fields that the manifest sets",
	ClassInvalid:          "the API server refuses the manifest as invalid",
	ClassTooManyRequests:  "the API server is overloaded (429)",
	ClassServer:           "the API server failed",
	ClassUnreachable:      "the API server cannot be reached",
	ClassDNS:              "the API server's host name cannot be resolved",
	ClassCertificate:      "the TLS connection cannot be trusted",
	ClassTimeout:          "no answer in time",
	ClassCancelled:        "cancelled",
	ClassConnection:       "the connection to the API server failed",
	ClassOther:            "it failed",
}

// next says what to do about each class.
var next = map[Class]string{
	ClassConfiguration:    "correct the named field of the provider's configuration or of clusterConnection.",
	ClassCredentials:      "run the plugin by hand as the user that runs pulumi; check that it is installed, on PATH and logged in.",
	ClassAuthentication:   "renew the token or certificate of this connection (a login may have expired).",
	ClassForbidden:        "the reason above says which rule of the cluster forbids it; change the object, or ask whoever maintains the rule.",
	ClassNotFound:         "check the name and the namespace, and that the connection points to the right cluster.",
	ClassNamespaceMissing: "create the namespace first, or let this object depend on the resource that creates it.",
	ClassKindNotServed:    "check apiVersion and kind; if it is a custom resource, install its CustomResourceDefinition first, or depend on the resource that does.",
	ClassAlreadyExists:    "import the existing object, or take it over with `adopt: true`.",
	ClassConflict:         "another client changed the object in the meantime; run again to continue from its current state.",
	ClassFieldConflict:    "list the fields in ignoreFields to leave them to their owner, or set conflictPolicy to force to take them.",
	ClassInvalid:          "fix the errors above; later checks run only once these pass.",
	ClassTooManyRequests:  "run again later, or with a lower --parallel.",
	ClassServer:           "run again; if the error persists, check the API server's health and the webhooks that are called for this kind.",
	ClassUnreachable:      "check host and port, that the API server runs, and the network (VPN, proxy, firewall).",
	ClassDNS:              "check the spelling of the host, and that this machine can resolve it (VPN, private DNS).",
	ClassCertificate:      "check clusterCaCertificate (and tlsServerName if the certificate is for another name).",
	ClassTimeout:          "check the network and the API server's health, then run again; raise customTimeouts if it is just slow.",
	ClassCancelled:        "run again to continue.",
	ClassConnection:       "check the network (VPN, proxy, load balancer), then run again.",
	ClassOther:            "",
}
