#!/usr/bin/env bash
# What the operator of examples/operator does, shown on a real API server: create, change, drift, a plan to approve, a
# killed run, deletion.
#
# "make demo-operator" builds what this needs and runs it. It needs Linux and root: the operator's pods are processes of
# this machine, in a cluster that is stopped at the end. Every step is checked, and the first that does not hold ends it.
# It leaves nothing behind, also after a failure or ^C.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bin=$root/bin
work=$(mktemp -d "${TMPDIR:-/tmp}/k8sconnect-demo.XXXXXX")
source "$root/tests/demo/stage.sh"
leave_nothing_behind

# clean_up STATUS: shows after a failure what one would look at.
clean_up() {
	if (($1 != 0 && $1 < 128)) && [[ -n ${KUBECONFIG:-} ]]; then
		kubectl describe environments >&2 || true
		kubectl get jobs,pods --all-namespaces >&2 || true
		tail -n 50 "$work/cluster/pods.log" >&2 || true
	fi
}

# --- What holds ---------------------------------------------------------------------------

# ready NAME: waits until an Environment is Ready.
ready() {
	run kubectl wait "environment/$1" --for condition=Ready --timeout 2m
}

# becomes NAME CONDITION REASON: waits until a condition of an Environment has a reason.
becomes() {
	run kubectl wait "environment/$1" --for "jsonpath={.status.conditions[?(@.type==\"$2\")].reason}=$3" --timeout 2m
}

# shows KIND/NAME PATH TEXT: shows what is at a path of an object, which must contain the text.
shows() {
	run kubectl get "$1" --output "jsonpath={$2}{\"\\n\"}"
	expect "$3"
}

# uids KIND/NAME...: the uids of objects, each of which has to be there.
uids() {
	kubectl get "$@" --no-headers --output custom-columns=KIND:.kind,NAME:.metadata.name,UID:.metadata.uid
}

# unchanged UIDS KIND/NAME...: the objects must have these uids, which uids has printed before.
unchanged() {
	local before=$1 now
	shift
	now=$(uids "$@")
	if [[ $now != "$before" ]]; then
		printf 'Not the same objects any more. Before:\n%s\nNow:\n%s\n' "$before" "$now" >&2
		return 1
	fi
	printf 'Still the same objects:\n%s\n\n' "$now"
}

# process_of ARGUMENT: the process of the pod that has this argument. All pods are children of the cluster's process.
process_of() {
	local status pid
	for status in $(grep -lE "^PPid:[[:space:]]+$cluster\$" /proc/[0-9]*/status 2>/dev/null); do
		pid=$(basename "$(dirname "$status")")
		if tr '\0' '\n' <"/proc/$pid/cmdline" 2>/dev/null | grep -xF -e "$1" >/dev/null; then
			echo "$pid"
			return
		fi
	done
	echo "There is no process with the argument $1." >&2
	return 1
}

# free_port: one that nothing listens on. All pods share the network of this machine.
free_port() {
	local port=$((20000 + RANDOM % 10000))
	while (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do port=$((port + 1)); done
	echo "$port"
}

# --- The story ----------------------------------------------------------------------------

if [[ ! -x $bin/cluster || ! -f $bin/operator-image.tar ]]; then
	echo "The operator is not built. \"make demo-operator\" builds it and runs this." >&2
	exit 1
fi
unset KUBECONFIG # Whatever happens, your cluster is not touched.
own_tools kubectl
cp -r "$root/examples/operator/config" "$work/config"
cp "$root"/tests/demo/operator/*.yaml "$work"
cd "$work"
sed -i "s/8081/$(free_port)/" config/manager/manager.yaml # of the probes

title "A Kubernetes cluster"
say <<-'EOF'
	etcd, API server, controllers and scheduler as released. Its one node runs pods as processes of
	this machine, from the operator's image. It listens on 127.0.0.1 and is gone at the end.
EOF
start_cluster -node=played -image "$bin/operator-image.tar=$bin/operator-root"
run kubectl get nodes

title "1. Install the operator"
run kubectl apply --kustomize config/crd
run kubectl apply --kustomize config
run kubectl rollout status deployment/environment-operator --namespace environment-operator --timeout 2m

title "2. A team gets an Environment"
say <<-'EOF'
	The platform team has written a Pulumi program: a ConfigMap with settings, then a Wait until the
	maintenance window is open, then a Service. The program is in a ConfigMap. Its runs may do what
	the service account environment-runner may do.
EOF
kubectl create namespace team-a >"$work/output"
kubectl config set-context --current --namespace team-a >"$work/output"
run kubectl apply --filename program.yaml --filename config/namespace/runner.yaml
say <<<"All that the team writes is this:"
run cat shop.yaml
run kubectl apply --filename shop.yaml
ready shop
run kubectl get environments
expect '3 create'
shows environment/shop .status.outputs.url 'http://shop.team-a'
run kubectl get configmap/shop-settings service/shop secret/shop-outputs job/shop-1
made=$(uids configmap/shop-settings service/shop)

title "3. A change is one update, in place"
run kubectl patch environment shop --type merge --patch '{"spec":{"config":{"image":"shop:1.5"}}}'
ready shop
run kubectl get environments
expect '2 same, 1 update'
shows configmap/shop-settings .data.image 'shop:1.5'
unchanged "$made" configmap/shop-settings service/shop

title "4. Someone changes what the program made"
say <<<"The operator looks for drift at an interval, and puts back the fields that the program sets."
run kubectl patch configmap shop-settings --type merge --patch '{"data":{"image":"shop:debug"}}'
run kubectl patch environment shop --type merge --patch '{"spec":{"driftDetection":{"interval":"5s"}}}'
becomes shop DriftDetected Corrected
shows environment/shop '.status.conditions[?(@.type=="DriftDetected")].message' '1 update'
shows configmap/shop-settings .data.image 'shop:1.5'
unchanged "$made" configmap/shop-settings service/shop

title "5. A change that waits for approval"
run kubectl patch environment shop --type merge \
	--patch '{"spec":{"approval":"Manual","driftDetection":null,"config":{"image":"shop:1.6"}}}'
becomes shop Ready WaitingForApproval
say <<<"The plan is in the status, and nothing has changed yet:"
shows environment/shop .status.pendingPlan 'settings'
shows configmap/shop-settings .data.image 'shop:1.5'
hash=$(kubectl get environment shop --output 'jsonpath={.status.pendingPlan.hash}')
run kubectl annotate environment shop "platform.example.com/approve=$hash"
ready shop
shows configmap/shop-settings .data.image 'shop:1.6'

title "6. A run is killed in the middle"
say <<-'EOF'
	The maintenance window is shut, so the run of another Environment makes its ConfigMap and waits.
	Then its pod gets SIGKILL.
EOF
run kubectl patch configmap maintenance --type merge --patch '{"data":{"window":"shut"}}'
run kubectl apply --filename trial.yaml
run kubectl wait configmap/trial-settings --for create --timeout 2m
made=$(uids configmap/trial-settings)
run kill -KILL "$(process_of --environment=trial)"
say <<<"That is seen at once, and after the pause of spec.retry the next Job continues what the first one has begun."
run kubectl wait environment/trial --for 'jsonpath={.status.currentOperation.serial}=2' --timeout 2m
run kubectl get environments
run kubectl patch configmap maintenance --type merge --patch '{"data":{"window":"open"}}'
ready trial
run kubectl get environments,jobs
shows environment/trial '.status.history[*].result' 'Succeeded Interrupted'
shows environment/trial .status.outputs.url 'http://trial.team-a'
unchanged "$made" configmap/trial-settings

title "7. Delete"
say <<<"A last run destroys what the program made. Then its state, its Jobs and its outputs go."
run kubectl delete environments --all --timeout 2m
run kubectl wait jobs,pods,leases,secrets --all --for delete --timeout 2m
run kubectl get environments,jobs,pods,configmaps,services,secrets,leases
left=$(kubectl get environments,jobs,pods,configmaps,services,secrets,leases --output name |
	grep -vE '/(kube-root-ca.crt|maintenance|shop-program)$' || true)
if [[ -n $left ]]; then
	printf 'Still in the cluster:\n%s\n' "$left" >&2
	exit 1
fi

title "Done"
say <<-EOF
	${green}Nothing is left of the Environments.${reset}
	Next: examples/operator is the operator. "make cluster NODE=played" runs such a cluster for yourself.
EOF
