#!/usr/bin/env bash
# Makes the pictures of the README in docs/pictures, of real runs: a preview that finds drift, and a wait that fails with
# its cause. "make pictures" builds what this needs and runs it. The log of a container is on the second one, so the cluster
# has a real node: Linux, root and Debian's packages, as package tests/node says.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bin=$root/bin
work=$(mktemp -d "${TMPDIR:-/tmp}/k8sconnect-pictures.XXXXXX")
source "$root/tests/demo/stage.sh"

finish() {
	stop_cluster
	rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

own_pulumi pictures
start_cluster -node=real
go build -o "$work/picture" "$root/tests/pictures"
mkdir -p "$root/docs/pictures"

# show COMMAND...: the command as one would type it, and what it prints, with its colors. It may fail.
show() {
	printf '\e[1m$ %s\e[0m\n' "$*"
	"$@" 2>&1 || true
}

# picture NAME TITLE TEXT: draws standard input, in which TEXT must occur, as docs/pictures/NAME.svg. What the CLI prints of
# where the stack is, and empty lines before the first one and after the last, are no news.
picture() {
	sed -E '/^(Previewing|Updating) \(/d; s/[[:space:]]+$//' | cat -s >"$work/output"
	if ! sed $'s/\e\\[[0-9;]*m//g' "$work/output" | grep -F -- "$3" >/dev/null; then
		cat "$work/output" >&2
		echo "This should have been in the output above: $3" >&2
		exit 1
	fi
	"$work/picture" "$2" <"$work/output" >"$work/$1.svg"
	mv "$work/$1.svg" "$root/docs/pictures/$1.svg"
}

for program in drift wait; do
	cp -r "$root/tests/pictures/testdata/$program" "$work/$program"
	cd "$work/$program"
	pulumi stack init dev >/dev/null
	case $program in
	drift)
		pulumi up --yes --skip-preview >"$work/up.log" || { cat "$work/up.log" >&2; exit 1; }
		{
			show kubectl scale deployment web --replicas 1
			echo
			show pulumi preview --diff --color=always
		} | picture drift 'A preview shows the field that was changed outside Pulumi, and by which manager' '1 => 3'
		;;
	wait)
		show pulumi up --yes --skip-preview --color=always |
			picture wait 'An update fails with the reason why the pods are not ready: the last lines of their log' 'DATABASE_URL'
		;;
	esac
done
