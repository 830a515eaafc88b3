#!/usr/bin/env bash
# Measures the ten workloads with everything instrumented, the standard library
# included: bench/all.sh OUT [flags of dupinst bench]. BACKEND says which back end, auto if it
# is not set. Takes half an hour or more.
set -euo pipefail
cd "$(dirname "$0")"
out=$(realpath -m "$1")
shift
mkdir -p "$out"
(cd .. && go build -o "$out/dupinst" ./cmd/dupinst)
for w in ${WORKLOADS:-compress sat buntdb gotypes mp3 raytracer yacc ssa tpcb chat}; do
	"$out/dupinst" -backend="${BACKEND:-auto}" -pkgs=all bench -o "$out/$w" "$@" "./$w"
done
