#!/usr/bin/env bash
# What the probes of windows take: bench/probetime.sh OUT INSTRUMENTATIONS [WORKLOAD…], for each event the processor time
# of a run in one window without an end less that of one without windows, each the least of five. In the three workloads with
# several threads these wait for each other's counters on arm64, which in windows none does: they are not run unless named.
set -euo pipefail
cd "$(dirname "$0")"
out=$(realpath -m "$1")
instrument=$2
shift 2
test $# -gt 0 || set -- compress sat buntdb yacc tpcb mp3
mkdir -p "$out"
(cd .. && go build -o "$out/dupinst" ./cmd/dupinst)

TIMEFORMAT=%U
seconds() { # that a workload takes with windows
	rm -rf "$out/$1.profile"
	{ time DUPINST_DIR=$out/$1.profile DUPINST_WINDOWS=$2 "$out/$1" >/dev/null 2>&1; } 2>&1
}
for w; do
	"$out/dupinst" -trigger=window -pkgs=all -instrument="$instrument" build -o "$out/$w" "./$w" 2>"$out/$w.build" || { cat "$out/$w.build" >&2; exit 1; }
	off= always=
	for _ in 1 2 3 4 5; do
		off+=$(seconds "$w" off)$'\n'
		always+=$(seconds "$w" always)$'\n'
	done
	"$out/dupinst" export -format=csv "$out/$w.profile" |
		awk -F, -v w="$w" -v off="$(sort -n <<<"${off%$'\n'}" | head -1)" -v always="$(sort -n <<<"${always%$'\n'}" | head -1)" '
			NR > 1 { n += $(NF-4) } # a key may have commas
			END { printf "%-10s %5.2f s, %5.2f s in a window, %5.0f M events, %5.2f ns each\n", w, off, always, n/1e6, (always-off)/n*1e9 }'
done
