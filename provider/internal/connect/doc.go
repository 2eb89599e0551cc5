// Package connect turns what a user says about a cluster into settings for client-go. A [Connection] is plain data: a
// kubeconfig, as contents or as a path, or a host with credentials.
//
// Its laws:
//
//   - It uses no network. It reads the files of a kubeconfig, and the environment.
//   - An error names the field as the user knows it, and never shows the field's value ([failure.FieldError]).
//   - A [Connection] never prints its credentials, with any formatter: they are [Secret]s.
//   - Equal connections have the same [Connection.Identity], which does not reveal their secrets.
//
// # The files
//
//   - what a user says about a cluster: connection.go; inputs that contradict each other: combinations.go
//   - which kubeconfig and which context are used: kubeconfig.go
//   - the settings for client-go: the default namespace, the proxy, impersonation, credential plugins, and the ServiceAccount of a pod:
//     rest_config.go
//   - mistakes in an address, of the API server (host) or of a proxy (proxyUrl): address.go; in certificates and keys: certificate.go
//   - whether two connections can share a client, and whether they lead to the same cluster: identity.go
//   - credentials, which nothing prints: secret.go
package connect
