// Package artifact gets the program of a class from an OCI registry.
//
//	registry.go   asks the registry: which manifest a tag is, the manifest, and its layers
//	transport.go  what is connected to, and by which rules
//	login.go      the credentials in a pull Secret
//	files.go      the files in the layers, within the bounds of a ConfigMap
//	problem.go    why there is no program, in words for whoever has to do something about it
//
// Whatever comes from a registry is checked against the digest that stands for it before it is looked at. A registry may be slow, lie or
// send too much: all of that is a [Problem], and none of it is believed.
package artifact
