// Package connect turns what a user says about a cluster into settings for client-go. A [Connection] is plain data: a
// kubeconfig, as contents or as a path, or a host with credentials.
//
// Its laws:
//
//   - It uses no network. It reads the files of a kubeconfig, and what the environment says.
//   - A mistake names the field that the user knows, and never shows what is in it ([failure.FieldError]).
//   - A [Connection] prints without its credentials, whatever it is printed with: they are [Secret]s.
//   - Equal connections have the same [Connection.Identity], and it does not tell their secrets.
package connect
