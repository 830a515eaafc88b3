#!/usr/bin/env bash
# The tables of HPS (2005, Figures 8 and 10) for the ten workloads, everything instrumented, the standard library included:
# bench/hps.sh [-quick] OUT. How well samples' hot call pairs, and hot methods, agree with the exhaustive ones, in per cent: the
# overlap of those that together make nine tenths of the calls (dupinst overlap, "hot 90 %"; by callee for methods); by
# the share of the checks that samples last (1/100 to 1/10,000), and by how many each lasts (1, 10, 50 and 100). The mean of
# the workloads. Takes about half an hour; -quick, of three of them and fewer lengths and shares, some minutes.
set -euo pipefail
cd "$(dirname "$0")"
workloads=${WORKLOADS:-compress sat buntdb gotypes mp3 raytracer yacc ssa tpcb chat}
frequencies="100 500 1000 5000 10000" lengths="1 10 50 100"
if [ "$1" = -quick ]; then
	shift
	workloads=${WORKLOADS:-compress yacc tpcb} frequencies="100 1000 10000" lengths="1 100"
fi
out=$(realpath -m "$1")
mkdir -p "$out"
(cd .. && go build -o "$out/dupinst" ./cmd/dupinst)

run() { # a build, with settings: its profile, in a directory of its own
	rm -rf "$out/$2"
	env DUPINST_DIR="$out/$2" DUPINST_PERIOD=off "${@:3}" "$out/$1" >"$out/$2.out"
}
hot() { # how much of what is hot agrees, with flags
	"$out/dupinst" overlap "$@" | awk '/^calledge/ { sub("%", "", $6); print $6 }'
}

: >"$out/rows"
for w in $workloads; do
	for v in exhaustive auto; do
		"$out/dupinst" -variant=$v -instrument=calledge -pkgs=all build -o "$out/$w.$v" "./$w" 2>"$out/$w.$v.build" || { cat "$out/$w.$v.build" >&2; exit 1; }
	done
	run "$w.exhaustive" "$w.truth"
	for f in $frequencies; do
		for b in $lengths; do
			run "$w.auto" "$w.$f.$b" DUPINST_INTERVAL=$((f * b)) DUPINST_BURST="$b"
			pairs=$(hot "$out/$w.truth" "$out/$w.$f.$b") methods=$(hot -by=callee "$out/$w.truth" "$out/$w.$f.$b")
			echo "$w $f $b $pairs $methods" >>"$out/rows"
		done
	done
done
for column in 4 5; do
	[ $column = 4 ] && echo "hot call pairs:" || echo "hot methods:"
	printf '%8s' checks
	for f in $frequencies; do printf ' %9s' "1/$f"; done
	echo
	for b in $lengths; do
		printf '%8s' "$b"
		for f in $frequencies; do
			awk -v f="$f" -v b="$b" -v c=$column '$2 == f && $3 == b { sum += $c; n++ } END { printf " %9.1f", sum / n }' "$out/rows"
		done
		echo
	done
done
