// Package operator tests the operator of examples/operator from outside: installed into a real API server by its
// own manifests, with pods that package kubelet plays from the files of its image. Tests make Environments and look at what is in the
// cluster. They know nothing of the operator's code.
//
// The names of tests carry the numbers of the cases that they prove.
package operator
