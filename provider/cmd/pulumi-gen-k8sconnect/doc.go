// Command pulumi-gen-k8sconnect writes what is generated from the provider: the Pulumi
// schema and, from the schema, the packages for Go, Node.js and Python. The command in
// javadotnet, a separate module, writes the packages for Java and .NET.
//
// Usage:
//
//	pulumi-gen-k8sconnect schema FILE
//	pulumi-gen-k8sconnect sdk SCHEMA DIR [VERSION]
//
// # The files
//
//   - the commands: main.go; schema: schema.go; sdk: sdk.go
//   - names of inputs and outputs in the descriptions for Python: pythonnames.go
package main
