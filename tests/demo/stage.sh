# What the demos and the pictures share: how a demo looks, how it ends, and a Pulumi and a cluster of their own. To be
# sourced by a script that has set bin, the folder of the programs, and work, a folder that is removed at its end.

cluster=      # process id of our own cluster
step=preparing

# --- How it looks -------------------------------------------------------------------------

bold='' red='' green='' reset='' color=never
if [[ -t 1 && -z ${NO_COLOR:-} ]]; then
	bold=$'\e[1m' red=$'\e[31m' green=$'\e[32m' reset=$'\e[0m' color=always
fi

# title TEXT: the heading of a step.
title() {
	step=$1
	printf '%s=== %s%s\n\n' "$bold" "$1" "$reset"
}

# say: explains, from standard input.
say() {
	cat
	echo
}

# run COMMAND...: shows a command and its output.
run() {
	printf '%s$ %s%s\n' "$bold" "$(printable "$@")" "$reset"
	"$@" 2>&1 | tidy | record
	echo
}

# printable COMMAND...: the command as one would type it.
printable() {
	local word line=
	for word in "$@"; do
		if [[ $word =~ ^[A-Za-z0-9_./:=@,-]+$ ]]; then line+=" $word"; else line+=" '$word'"; fi
	done
	echo "${line# }"
}

# tidy: drops lines that only say that something has begun (one follows when it is done) or
# that reading found nothing, and runs of empty lines. Like record it outlives a ^C, so that
# the command before it can end in good order.
tidy() {
	trap '' INT
	awk '{
		plain = $0
		gsub(/\033\[[0-9;]*m/, "", plain)
		if (plain ~ / (creating|updating|deleting|refreshing|running) *(\(|$)/) next
		if (plain ~ / refresh *(\([0-9.a-z]+\))? *$/) next
		if (plain ~ /^[ \t]*$/) { gap = lines; next }
		if (gap) print ""
		print
		gap = 0
		lines = 1
		fflush()
	}'
}

# record: keeps what passes for expect.
record() {
	trap '' INT
	tee "$work/output"
}

# expect TEXT: the output of the last command must contain it.
expect() {
	if ! sed $'s/\e\\[[0-9;]*m//g' "$work/output" | grep -F -- "$1" >/dev/null; then
		echo "This should have been in the output above: $1" >&2
		return 1
	fi
}

# --- The end, whatever happens ------------------------------------------------------------

# leave_nothing_behind: sets the traps. A signal may be noticed when the EXIT trap begins already, since ^C also ends the
# command that the script waits for. So each trap does the whole work, and no function is entered before signals are ignored.
leave_nothing_behind() {
	trap 'status=$?; trap "" HUP INT TERM; trap - EXIT; finish' EXIT
	trap 'status=129; trap "" HUP INT TERM; trap - EXIT; finish' HUP
	trap 'status=130; trap "" HUP INT TERM; trap - EXIT; finish' INT
	trap 'status=143; trap "" HUP INT TERM; trap - EXIT; finish' TERM
}

# clean_up STATUS: what a demo does at its end before its cluster is gone. A demo may have its own.
clean_up() { :; }

# finish: cleans up, and ends the script with the status.
finish() {
	if ((status != 0)); then
		printf '\n%sStopped at "%s" (exit code %d).%s\n' "$red" "$step" "$status" "$reset" >&2
	fi
	clean_up "$status"
	stop_cluster
	rm -rf "$work"
	exit "$status"
}

# --- A Pulumi and a cluster of our own ----------------------------------------------------

# own_tools TOOLS...: PATH with the tools that were built, and no cache of kubectl among the user's files.
own_tools() {
	local tool
	# Links and not bin/ itself: Pulumi warns about a provider that it finds on the PATH instead
	# of among its plugins.
	mkdir "$work/tools"
	for tool; do
		if [[ -x $bin/$tool ]]; then ln -s "$bin/$tool" "$work/tools/$tool"; fi
	done
	export PATH="$work/tools:$PATH" K8SCONNECT_BIN="$bin" KUBECACHEDIR="$work/kubectl"
}

# own_pulumi: PATH and the environment of a Pulumi that touches nothing of the user's, with the provider as its plugin.
own_pulumi() {
	if [[ ! -x $bin/pulumi-resource-k8sconnect ]]; then
		echo "The provider is not built. \"make $1\" builds it and runs this." >&2
		exit 1
	fi
	own_tools pulumi pulumi-language-yaml kubectl
	mkdir "$work/home" "$work/state"
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
