#!/usr/bin/env bash
# Builds dupinst and runs the main job on a real program: the minifier
# github.com/tdewolff/minify, 24 packages with its dependencies, on the largest
# HTML page of the Go distribution. Ends with its call edges and field accesses
# at interval 1000, and their overlap with the exhaustive profile.
#
# usage: demo/minify.sh [DIR]; what it makes stays in DIR (default: a new
# temporary directory). BACKEND says which back end, auto if it is not set.
set -euo pipefail
version=v2.24.25
backend=${BACKEND:-auto}
cd "$(dirname "$0")/.."
out=${1:-$(mktemp -d)}
mkdir -p "$out"
out=$(cd "$out" && pwd)
go build -o "$out/dupinst" ./cmd/dupinst
module=$(cd "$out" && go mod download -json github.com/tdewolff/minify/v2@$version | sed -n 's/.*"Dir": "\(.*\)",/\1/p')
input=$(go env GOROOT)/src/internal/trace/traceviewer/static/trace_viewer_full.html
pkgs=github.com/...,gopkg.in/...
export PATH=$out:$PATH

echo "building minify three ways …"
cd "$module"
go build -o "$out/plain" ./cmd/minify
go build -toolexec "dupinst -backend=$backend -pkgs=$pkgs" -o "$out/auto" ./cmd/minify
go build -toolexec "dupinst -backend=$backend -pkgs=$pkgs -variant=exhaustive" -o "$out/exhaustive" ./cmd/minify
cd "$out"

run() { # NAME INTERVAL PROGRAM
	rm -rf "$1.prof"
	DUPINST_DIR=$1.prof DUPINST_INTERVAL=$2 "./$3" -q --type=html <"$input" >"$1.html"
	cmp "$1.html" plain.html
}
./plain -q --type=html <"$input" >plain.html
run exhaustive 1 exhaustive
run perfect 1 auto
run sampled 1000 auto
echo "output: identical in all builds, $(wc -c <plain.html) bytes"

for p in exhaustive perfect; do
	dupinst report -format=json $p.prof | grep -E '"(key|count)"' >$p.counts
done
cmp exhaustive.counts perfect.counts
echo "interval 1: equal to the exhaustive profile, count for count, at $(grep -c key perfect.counts) keys"
echo
dupinst report -n 10 sampled.prof
echo
echo "overlap of interval 1000 with the exhaustive profile (expected: of as many independent samples):"
dupinst overlap exhaustive.prof sampled.prof
echo
echo "all of it is in $out"
