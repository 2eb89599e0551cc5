// Package connect turns what a user says about a cluster into settings for client-go. A [Connection] is plain data: a
// kubeconfig, as contents or as a path, or a host with credentials.
//
// Its laws:
//
//   - It uses no network. It reads the files of a kubeconfig, and the environment.
//   - An error names the field as the user knows it, and never shows the field's value ([failure.FieldError]).
//   - A [Connection] never prints its credentials, with any formatter: they are [Secret]s.
//   - Equal connections have the same [Connection.Identity], which does not reveal their secrets.
package connect
