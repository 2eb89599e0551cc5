// Package stack is what Pulumi knows an Environment by: the name of its stack, the project, the key of its secrets and
// its configuration file.
//
// # The key
//
// The passphrase and the salt are made once and kept (see [New]). Both are needed to read the state, and with another
// salt each run would encrypt everything again, so that no two states could be compared.
//
// # The configuration file
//
// Pulumi.<stack>.yaml is written in this process, with the secrets encrypted already (see [Settings]). "pulumi config set"
// would put them on a command line, where every process of the pod can read them.
//
// A program does not bring this file: it could name a secrets provider of its own, and the engine would obey.
//
// # The files
//
//   - the name of the stack, and a name that is too long: name.go
//   - the passphrase and the salt, and whether they fit each other: key.go
//   - the configuration file, and mistakes in config and secretConfig: settings.go
//   - a text that a YAML program would take for a number, a boolean or JSON: text_for_yaml.go
//   - the keys that a program declares, and those of them that have no value: declared_keys.go
//   - a key that the program does not have: misspelt_keys.go
//   - Pulumi.yaml, and what a program must not bring; the program of a destroy: project.go
package stack
