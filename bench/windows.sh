#!/usr/bin/env bash
# What windows cost and how true they are, on the ten workloads with everything instrumented,
# the standard library included: bench/windows.sh OUT. Processor time with no window open, at
# DUPINST_WINDOWS and DUPINST_WINDOW, and in one window without an end, as ratios to the plain
# build's, medians of ROUNDS interleaved rounds (9); then the overlap of call edges and of field
# accesses of RUNS runs (15) with the exhaustive profile; INSTRUCTIONS=1 counts instructions with
# no window open instead, by valgrind. linux/amd64; takes half an hour.
set -euo pipefail
cd "$(dirname "$0")"
out=$(realpath -m "$1")
mkdir -p "$out"
(cd .. && go build -o "$out/dupinst" ./cmd/dupinst)
TIMEFORMAT='%U %S'

timed() { # seconds of processor time that a program takes, with variables set
	{ time env "${@:2}" "$1" >"$out/stdout" 2>"$out/stderr"; } 2>&1 | awk '{ print $1 + $2 }'
}

count() { # a program's instructions; what depends on when other threads run is left out
	GODEBUG=gcstoptheworld=1 GOMAXPROCS=1 valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null "$1" 2>&1 >"$out/stdout" |
		awk '/I *refs:/ { gsub(",", ""); print $NF }'
}

median() { sort -n | awk '{ x[NR] = $1 } END { print (x[int((NR + 1) / 2)] + x[int((NR + 2) / 2)]) / 2 }'; }

rows=
form='{ printf "%-10s", $1; for (i = 2; i <= NF; i++) printf " %8s", $i; print "" }'
if [ -n "${INSTRUCTIONS:-}" ]; then
	awk "$form" <<<"workload off"
else
	awk "$form" <<<"workload off open always calls fields"
fi
for w in ${WORKLOADS:-compress sat buntdb gotypes mp3 raytracer yacc ssa tpcb chat}; do
	go build -o "$out/$w.plain" "./$w"
	"$out/dupinst" -trigger=window -pkgs=all build -o "$out/$w.window" "./$w" 2>"$out/$w.build"
	cd "$w"
	if [ -n "${INSTRUCTIONS:-}" ]; then
		row="$w $(echo "$(count "$out/$w.window") $(count "$out/$w.plain")" | awk '{ printf "%.5f", $1 / $2 }')"
	else
		for v in off open always; do : >"$out/$w.$v"; done
		for ((i = 0; i < ${ROUNDS:-9}; i++)); do
			plain=$(timed "$out/$w.plain")
			rm -rf "$out/$w.timed"
			awk "{ print \$1 / $plain }" <<<"$(timed "$out/$w.window" DUPINST_DIR=)" >>"$out/$w.off"
			awk "{ print \$1 / $plain }" <<<"$(timed "$out/$w.window" DUPINST_DIR="$out/$w.timed")" >>"$out/$w.open"
			awk "{ print \$1 / $plain }" <<<"$(timed "$out/$w.window" DUPINST_DIR="$out/$w.timed" DUPINST_WINDOWS=always)" >>"$out/$w.always"
		done
		(cd .. && "$out/dupinst" -variant=exhaustive -pkgs=all build -o "$out/$w.exhaustive" "./$w" 2>>"$out/$w.build")
		rm -rf "$out/$w.truth" "$out/$w.profile"
		timed "$out/$w.exhaustive" DUPINST_DIR="$out/$w.truth" >"$out/seconds"
		for ((i = 0; i < ${RUNS:-15}; i++)); do
			timed "$out/$w.window" DUPINST_DIR="$out/$w.profile" >"$out/seconds"
		done
		row="$w $(median <"$out/$w.off") $(median <"$out/$w.open") $(median <"$out/$w.always") $("$out/dupinst" overlap "$out/$w.truth" "$out/$w.profile" |
			awk '/^calledge/ { calls = $2 } /^fieldaccess/ { fields = $2 } END { print calls + 0, fields + 0 }')"
	fi
	cd ..
	awk "$form" <<<"$row"
	rows+="$row"$'\n'
done
awk 'NF { for (i = 2; i <= NF; i++) sum[i] += $i; n++; k = NF }
	END { printf "mean"; for (i = 2; i <= k; i++) printf " %.4f", sum[i] / n; print "" }' <<<"$rows" | awk "$form"
