// Package converter is the converter plugin k8sconnect, with which `pulumi import --from k8sconnect` imports many objects
// by one command. It says which resources there are to import; Pulumi then reads each by the provider, and writes the
// program.
//
// Its laws:
//
//   - It writes nothing, and reads no data: the metadata of objects is enough to select them.
//   - It selects what people have applied, by [ownership.IsMadeByPeople], and says what it leaves out, unless that
//     is of the control plane or belongs to another object.
//   - The name of a resource is a function of its object, so that a second import, or one of another namespace into the
//     same stack, makes the same names and no equal ones.
//
// A plugin of this kind is started without the configuration of the stack: it connects by its own arguments, as kubectl
// would.
package converter
