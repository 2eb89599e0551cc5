// Package converter is the converter plugin k8sconnect. `pulumi import --from k8sconnect` starts it, and asks it which
// objects to import. Pulumi then reads each by the provider, and writes the program.
//
// Its laws:
//
//   - It writes nothing. Of a namespace, it reads only the metadata of objects, which is enough to select them.
//   - It selects what people have applied ([ownership.IsMadeByPeople]), or what a release or a state names. It says what
//     it leaves out, unless nothing names it and the control plane has made it, or another object owns it.
//   - The name of a resource is a function of its object, or of its address in Terraform. A second import, or an import
//     of another namespace into the same stack, makes the same names and no equal ones.
//
// The CLI does not pass the configuration of the stack to a converter. It connects by its own arguments, as kubectl
// would.
//
// # The files
//
//   - the server of the plugin: serve.go; the arguments after --, and mistakes in them: arguments.go
//   - which objects are left out, and why: select.go; the names of the resources: names.go
//
// Where the objects come from:
//
//   - a namespace, and the kinds in it: namespace.go
//   - the record of a Helm release: release.go
//   - a stack of the provider kubernetes: stack.go
//   - a state of Terraform or OpenTofu: terraform.go; what is in its file: terraform_state.go
//   - all but those of a namespace are looked up by their names: named.go
package converter
