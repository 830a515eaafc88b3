#!/usr/bin/env bash
# Counts the instructions of the ten workloads with everything instrumented, the
# standard library included, and no samples, as a ratio to the plain build's:
# bench/instructions.sh OUT [flags of dupinst]. Needs valgrind; takes about ten minutes.
# OUT/WORKLOAD.plain.cg and OUT/WORKLOAD.dupinst.cg say where they are executed
# (cg_annotate). What depends on when other threads run is left out: the garbage
# collector stops the program, and there is one processor.
set -euo pipefail
cd "$(dirname "$0")"
out=$(realpath -m "$1")
shift
mkdir -p "$out"
(cd .. && go build -o "$out/dupinst" ./cmd/dupinst)

count() { # of a workload's build
	GODEBUG=gcstoptheworld=1 GOMAXPROCS=1 valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file="$out/$1.$2.cg" "$out/$1.$2" >"$out/$1.$2.out" 2>"$out/$1.$2.err"
	awk '/I *refs:/ { gsub(",", ""); print $NF }' "$out/$1.$2.err"
}

ratios=
for w in ${WORKLOADS:-compress sat buntdb gotypes mp3 raytracer yacc ssa tpcb chat}; do
	go build -o "$out/$w.plain" "./$w"
	"$out/dupinst" "$@" -pkgs=all build -o "$out/$w.dupinst" "./$w" 2>"$out/$w.build"
	line="$w $(count "$w" plain) $(count "$w" dupinst)"
	awk '{ printf "%-10s %8.2f G %+6.1f %%\n", $1, $2 / 1e9, 100 * ($3 / $2 - 1) }' <<<"$line"
	ratios+="$line"$'\n'
done
awk 'NF { sum += $3 / $2 - 1; n++ } END { printf "mean %23.1f %%\n", 100 * sum / n }' <<<"$ratios"
