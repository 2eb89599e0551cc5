// Package node runs programs with the real Pulumi CLI against a cluster in which containers run, so that logs, exit
// codes, probes, volumes, grace periods and webhooks behind a Service are real. The names of tests carry the numbers of
// the cases that they prove.
//
// "make test-node" runs it. It needs Linux, root, iproute2 and Debian's packages containerd, runc,
// containernetworking-plugins, iptables, conntrack and busybox-static; where one is missing, all tests are skipped and
// say which. containerd may be of any version from 1.3 on. The tests of adoption are Helm's, which the command builds from
// its pinned module in tests/helm. The test binary runs itself again in namespaces of its own (see package namespaces); the machine is
// afterwards as it was, which package machine tests.
//
// "make test-node" also runs the tests of packages operator and kubelet, the former with the operator's image in such a
// cluster.
//
// Nothing of it is part of "make test": the files of tests have the build tag node.
package node
