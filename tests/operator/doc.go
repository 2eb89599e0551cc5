// Package operator tests the operator of examples/operator from outside: installed into a real API server by its
// own manifests, with pods that package kubelet plays from the files of its image. Tests make Environments and look at what is in the
// cluster. They know nothing of the operator's code.
//
// With the flag -node=real, as "make test-node" runs them, the same tests have a cluster in which containers run (see
// package node): the archive of the image is what runs, SIGKILL comes from outside of the pod, and it is the kernel that
// ends a container whose memory is used up. Tests that want a cluster of their own are skipped there.
//
// The names of tests carry the numbers of the cases that they prove.
package operator
