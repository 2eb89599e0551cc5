# The programs of the cluster for tests: API servers, their companions, and the node's. Part of the Makefile in the root.

CLUSTER_SOURCES := go.mod go.sum $(shell find tests/cluster tests/kubelet -name '*.go' ! -name '*_test.go' ! -path '*/controlplane/*' ! -path '*/node/*')
SERVER_SOURCES := $(wildcard $(addprefix tests/cluster/controlplane/,servers/*.go multicall/*.go))
COMPANION_SOURCES := $(wildcard $(addprefix tests/cluster/controlplane/,companions/*.go multicall/*.go))
NODE_SOURCES := $(shell find tests/cluster/node -name '*.go') tests/cluster/node/go.mod tests/cluster/node/go.sum

# The cluster's starter is ours and takes seconds, what it starts does not.
bin/cluster: $(CLUSTER_SOURCES) $(CONTROLPLANE_LINKS)
	$(call say,Building the starter of the cluster)
	$(call go-build,.,cluster,./tests/cluster/cmd/cluster,)

$(addprefix bin/,$(SERVERS)): bin/servers
	@ln -sf servers $@

$(addprefix bin/,$(COMPANIONS)): bin/companions
	@ln -sf companions $@

# $(call kubernetes-version,VERSION): what the programs of Kubernetes say that they are.
kubernetes-version = $(foreach package,k8s.io/component-base/version k8s.io/client-go/pkg/version,\
	-X $(package).gitVersion=$(1) -X $(package).gitMajor=1 -X $(package).gitMinor=$(word 2,$(subst ., ,$(1))) \
	-X $(package).gitTreeState=clean -X $(package).gitCommit=)

bin/servers: tests/cluster/controlplane/go.mod tests/cluster/controlplane/go.sum $(SERVER_SOURCES)
	$(call say,Building the servers of Kubernetes $(KUBERNETES_VERSION) as one program (five to eight minutes the first time))
	$(call go-build,tests/cluster/controlplane,servers,./servers,$(call kubernetes-version,$(KUBERNETES_VERSION)))

bin/companions: tests/cluster/controlplane/go.mod tests/cluster/controlplane/go.sum $(COMPANION_SOURCES)
	$(call say,Building etcd$(comma) kwok and kubectl as one program (a minute the first time))
	$(call go-build,tests/cluster/controlplane,companions,./companions,$(call kubernetes-version,$(KUBERNETES_VERSION)))

$(OTHER_VERSIONS:%=bin/servers-%): bin/servers-%: tests/cluster/controlplane/kubernetes-%.mod tests/cluster/controlplane/kubernetes-%.sum $(SERVER_SOURCES)
	$(call say,Building the servers of Kubernetes $(call pinned,k8s.io/kubernetes,$<) as one program (ten to twenty minutes the first time))
	$(call go-build,tests/cluster/controlplane,servers-$*,-modfile=kubernetes-$*.mod ./servers,$(call \
		kubernetes-version,$(call pinned,k8s.io/kubernetes,$<)))

# A folder in which the servers are of another version, and all else is the same.
$(OTHER_VERSIONS:%=bin/kubernetes-%/.complete): bin/kubernetes-%/.complete: bin/servers-% $(addprefix bin/,$(COMPANIONS))
	@mkdir -p $(@D)
	@for server in $(SERVERS); do ln -sf ../servers-$* $(@D)/$$server; done
	@for companion in $(COMPANIONS); do ln -sf ../$$companion $(@D)/$$companion; done
	@touch $@

bin/kubelet bin/kube-proxy: bin/node-components
	@ln -sf node-components $@

# Not "node": the programs in bin come first on the PATH of tests, and Node.js has that name.
bin/node-components: $(NODE_SOURCES)
	$(call say,Building the kubelet and kube-proxy of Kubernetes $(KUBERNETES_VERSION) as one program (two to four minutes the first time))
	$(call go-build,tests/cluster/node,node-components,.,$(call kubernetes-version,$(KUBERNETES_VERSION)))

bin/pause bin/image: bin/%: $(NODE_SOURCES)
	$(call go-build,tests/cluster/node,$*,./$*,)
