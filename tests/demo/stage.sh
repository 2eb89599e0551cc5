# What the demo and the pictures share: a Pulumi and a cluster of their own. To be sourced by a script that has set
# bin, the folder of the programs, and work, a folder that it removes at its end.

cluster=      # process id of our own cluster

# own_pulumi: PATH and the environment of a Pulumi that touches nothing of the user's, with the provider as its plugin.
own_pulumi() {
	local tool
	if [[ ! -x $bin/pulumi-resource-k8sconnect ]]; then
		echo "The provider is not built. \"make $1\" builds it and runs this." >&2
		exit 1
	fi
	# Links and not bin/ itself: Pulumi warns about a provider that it finds on the PATH instead
	# of among its plugins.
	mkdir "$work/tools" "$work/home" "$work/state"
	for tool in pulumi pulumi-language-yaml kubectl; do
		if [[ -x $bin/$tool ]]; then ln -s "$bin/$tool" "$work/tools/$tool"; fi
	done
	export PATH="$work/tools:$PATH"
	export K8SCONNECT_BIN="$bin"
	export PULUMI_HOME="$work/home" PULUMI_BACKEND_URL="file://$work/state" PULUMI_CONFIG_PASSPHRASE=demo
	export PULUMI_SKIP_UPDATE_CHECK=true PULUMI_OPTION_NON_INTERACTIVE=true PULUMI_OPTION_SUPPRESS_PROGRESS=true
	unset PULUMI_CONFIG_PASSPHRASE_FILE PULUMI_STACK PULUMI_ACCESS_TOKEN
	pulumi plugin install resource k8sconnect "$(cat "$bin/.version")" --file "$bin/pulumi-resource-k8sconnect" >"$work/install.log" 2>&1 ||
		{ cat "$work/install.log" >&2; exit 1; }
}

# start_cluster FLAGS...: runs a cluster until stop_cluster, and makes it the one of KUBECONFIG.
start_cluster() {
	local i
	"$bin/cluster" -dir "$work/cluster" "$@" >"$work/cluster.log" 2>&1 </dev/null &
	cluster=$!
	for ((i = 0; i < 600; i++)); do
		[[ ! -f $work/cluster/kubeconfig ]] || break
		if ! kill -0 "$cluster" 2>/dev/null || ((i == 599)); then
			cat "$work/cluster.log" >&2
			echo "The cluster did not start." >&2
			exit 1
		fi
		sleep 0.2
	done
	export KUBECONFIG="$work/cluster/kubeconfig"
}

stop_cluster() {
	if [[ -n $cluster ]]; then
		kill "$cluster" 2>/dev/null || true
		wait "$cluster" 2>/dev/null || true
	fi
}
