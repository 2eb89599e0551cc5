#!/usr/bin/env bash
# Makes the pictures of the README in docs/pictures, of real runs: a preview that finds drift, and a wait that fails with
# its cause. "make pictures" builds what this needs and runs it. The log of a container is on the second one, so the cluster
# has a real node: Linux, root and Debian's packages, as package tests/node says.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bin=$root/bin
work=$(mktemp -d "${TMPDIR:-/tmp}/k8sconnect-pictures.XXXXXX")
source "$root/tests/demo/stage.sh"
leave_nothing_behind

own_pulumi pictures
export PULUMI_OPTION_COLOR=always
start_cluster -node=real
go build -o "$work/picture" "$root/tests/pictures"
mkdir -p "$root/docs/pictures"

# show COMMAND...: the command as one would type it, and what it prints, with its colors. It may fail.
show() {
	local word line=
	for word in "$@"; do
		if [[ $word == *[\"\ ]* ]]; then line+=" '$word'"; else line+=" $word"; fi
	done
	printf '\e[1m$%s\e[0m\n' "$line"
	"$@" 2>&1 || true
}

# picture NAME TITLE TEXT: draws standard input, in which TEXT must occur, as docs/pictures/NAME.svg, without empty
# lines that follow another one or come last.
picture() {
	printf '%s\n' "$(sed -E 's/[[:space:]]+$//' | cat -s)" >"$work/output"
	if ! sed $'s/\e\\[[0-9;]*m//g' "$work/output" | grep -F -- "$3" >/dev/null; then
		cat "$work/output" >&2
		echo "This should have been in the output above: $3" >&2
		exit 1
	fi
	"$work/picture" "$2" <"$work/output" >"$work/$1.svg"
	mv "$work/$1.svg" "$root/docs/pictures/$1.svg"
}

for program in drift wait; do
	step="the picture $program"
	cp -r "$root/tests/pictures/testdata/$program" "$work/$program"
	cd "$work/$program"
	pulumi stack init dev >/dev/null 2>&1
	case $program in
	drift)
		pulumi up --yes --skip-preview >"$work/up.log" || { cat "$work/up.log" >&2; exit 1; }
		{
			show kubectl patch configmap settings --patch '{"data":{"log.level":"debug"}}'
			echo
			show pulumi preview --diff
		} | picture drift 'A preview shows the field that was changed outside Pulumi, and by which manager' '"debug" => "info"'
		;;
	wait)
		show pulumi up --yes --skip-preview |
			picture wait 'An update fails with the reason why the pods are not ready: the last lines of their log' 'DATABASE_URL'
		;;
	esac
done
