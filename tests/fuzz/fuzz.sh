#!/usr/bin/env bash
# Tries inputs of every fuzz target of some modules for a while, and names those that failed:
#
#   fuzz.sh TIME FOLDER MODULE...
#
# The go command keeps an input that fails beside the target, in testdata/fuzz. FOLDER gets a copy of it, for who runs this
# on a machine that is thrown away.
set -euo pipefail

time=$1 found=$2
shift 2
root=$PWD
rm -rf "$found"

# The packages that have fuzz targets. All others need not be compiled.
fuzzed() {
	go list -f '{{$dir := .Dir}}{{$path := .ImportPath}}{{range .TestGoFiles}}{{$path}} {{$dir}}/{{.}}{{"\n"}}{{end}}{{range .XTestGoFiles}}{{$path}} {{$dir}}/{{.}}{{"\n"}}{{end}}' ./... |
		while read -r package file; do
			if grep -q '^func Fuzz' "$file"; then echo "$package"; fi
		done | sort -u
}

failed=()
count=0
for module; do
	cd "$root/$module"
	echo "--- Compiling the fuzz targets of $module (minutes the first time)"
	for package in $(fuzzed); do
		targets=$(go test -list '^Fuzz' "$package")
		for target in $(grep '^Fuzz' <<<"$targets"); do
			count=$((count + 1))
			echo "--- $target of $package"
			go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$package" || failed+=("$target of $package")
		done
	done
done

cd "$root"
git ls-files --others --exclude-standard -- ':(glob)**/testdata/fuzz/**' | while read -r input; do
	mkdir -p "$found/$(dirname "$input")"
	cp "$input" "$found/$input"
done

if ((count == 0)); then
	echo "There are no fuzz targets." >&2
	exit 1
fi
if ((${#failed[@]})); then
	printf 'Failed:\n' >&2
	printf '  %s\n' "${failed[@]}" >&2
	exit 1
fi
echo "$count fuzz targets found no input that fails."
