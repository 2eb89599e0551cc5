#!/usr/bin/env bash
# What k8sconnect does, shown on a real API server: create, drift, repair, destroy.
#
# "make demo" builds what this needs and runs it. Without KUBECONFIG it starts a cluster of
# its own and stops it at the end; with KUBECONFIG it uses that cluster, in the namespace
# "quickstart". It leaves nothing behind, also after a failure or ^C.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bin=$root/bin
work=$(mktemp -d "${TMPDIR:-/tmp}/k8sconnect-demo.XXXXXX")
namespace=quickstart
stack=        # not empty while there is a stack that may have objects in the cluster
source "$root/tests/demo/stage.sh"
leave_nothing_behind

# clean_up: our own cluster goes as a whole.
clean_up() {
	if [[ -n $stack && -z $cluster ]]; then
		echo "Removing what the demo made in your cluster…" >&2
		if ! pulumi destroy --yes --skip-preview >"$work/destroy.log" 2>&1; then
			cat "$work/destroy.log" >&2
			echo "That failed. What is left is in the namespace $namespace." >&2
		fi
	fi
}

# --- A Pulumi of our own, that touches nothing of yours -----------------------------------

own_pulumi demo
export PULUMI_OPTION_COLOR=$color
cp -r "$root/examples/quickstart" "$work/quickstart"
cd "$work/quickstart"

# --- The story ----------------------------------------------------------------------------

if [[ -n ${KUBECONFIG:-} ]]; then
	title "Your cluster"
	say <<-EOF
		KUBECONFIG is set, so this uses your cluster, context "$(kubectl config current-context)",
		and there the namespace "$namespace".
	EOF
	if [[ -n $(kubectl get namespace "$namespace" --ignore-not-found --output name) ]]; then
		echo "The namespace $namespace exists already, and the demo would not touch what is yours." >&2
		exit 1
	fi
else
	title "A Kubernetes cluster"
	say <<-'EOF'
		etcd, API server, controllers and scheduler as released, with kwok playing a node: pods
		get ready, but no image runs. It listens on 127.0.0.1 and is gone at the end.
	EOF
	start_cluster
fi
run kubectl get nodes

title "1. Create"
say <<-EOF
	examples/quickstart/Pulumi.yaml has a Namespace, a ConfigMap, a Deployment and a Service.
	Each is one server-side apply that can only create: what is already there is never
	overwritten by accident.
EOF
run pulumi stack init demo
stack=demo
run pulumi up --yes --skip-preview
say <<<"The controllers take it from there: pods are made, scheduled and become ready."
run kubectl rollout status deployment/web --namespace "$namespace" --timeout 2m

title "2. Nothing to do"
say <<-'EOF'
	The API server has filled in dozens of defaults, a clusterIP, a status. None of that is in
	the program, none of it is owned by it, so none of it is a difference. (The state of every
	object is read from the cluster first. No --refresh is needed.)
EOF
run pulumi preview --expect-no-changes

title "3. Someone changes things behind Pulumi's back"
say <<<"One field that the program owns, and one annotation that it knows nothing about:"
run kubectl patch configmap settings --namespace "$namespace" --type merge --patch '{"data":{"log.level":"debug"}}'
run kubectl annotate deployment web --namespace "$namespace" example.com/team=blue

title "4. The preview finds exactly the field that is ours"
say <<-'EOF'
	First what changed in the cluster since the last run, with who did it; then what an update
	would do about it, as live => desired. The annotation belongs to another manager: no word of it.
EOF
run pulumi preview --diff
expect '"debug" => "info"'
expect '1 to update'

title "5. Put it right"
say <<<"One field is applied again, in place. Nothing is replaced, nothing else is touched."
run pulumi up --yes --skip-preview
expect '1 updated'
run kubectl get configmap settings --namespace "$namespace" --output 'jsonpath={.data.log\.level}{"\n"}'
expect 'info'
say <<<"And the annotation of the others is still there:"
run kubectl get deployment web --namespace "$namespace" --output 'jsonpath={.metadata.annotations.example\.com/team}{"\n"}'
expect 'blue'

title "6. Refresh"
say <<<"State and cluster agree, so a refresh has nothing to report."
run pulumi refresh --yes --skip-preview --expect-no-changes

title "7. Destroy"
say <<-'EOF'
	In the reverse order, and each object is waited for until it is really gone: the
	Deployment with its pods first, the namespace last.
EOF
run pulumi destroy --yes --skip-preview --remove
stack=
left=$(kubectl get namespace "$namespace" --ignore-not-found --output name)
if [[ -n $left ]]; then
	echo "Still in the cluster: $left" >&2
	exit 1
fi

title "Done"
say <<-EOF
	${green}Nothing is left in the cluster.${reset}
	Next: examples/quickstart is the program. "make cluster" runs such a cluster for yourself,
	"make install" makes the provider a plugin of your own Pulumi.
EOF
