#!/usr/bin/env bash
# The figures of Instant Profiling (CGO 2013, Figures 4, 5 and 7) for the ten workloads, everything instrumented, the standard
# library included: bench/instant.sh [-quick] OUT. Which way branches go, by windows of a duration, so many a second on each
# processor that runs, and by phases of all goroutines by the clock (TRIGGERS: window and phase): what they add to the time and to
# the processor's, as medians of interleaved rounds' ratios to the plain build's, and how accurate all rounds together are, in per
# cent (dupinst branches -truth: the overlap of edges, and how well shares of branches' ways agree). RUNS rounds (12). Takes two
# hours; -quick, three workloads and four rounds, some minutes. Needs a machine with no other work to say anything of times.
set -euo pipefail
cd "$(dirname "$0")"
workloads=${WORKLOADS:-compress sat buntdb gotypes mp3 raytracer yacc ssa tpcb chat} runs=${RUNS:-12}
if [ "$1" = -quick ]; then
	shift
	workloads=${WORKLOADS:-compress yacc tpcb} runs=${RUNS:-4}
fi
out=$(realpath -m "$1")
mkdir -p "$out"
(cd .. && go build -o "$out/dupinst" ./cmd/dupinst)
settings=
for t in ${TRIGGERS:-window phase}; do
	settings+=" $t:1/s:1ms $t:1/s:2ms $t:1/s:4ms $t:4/s:2ms"
done

build() { # a workload, with flags, as a file
	"$out/dupinst" -instrument=block -pkgs=all "$2" build -o "$out/$1.$3" "./$1" 2>"$out/$1.$3.build" || { cat "$out/$1.$3.build" >&2; exit 1; }
}
timed() { # the seconds of a run, and those of the processor
	local TIMEFORMAT='%R %U %S'
	{ time "$@" >/dev/null 2>"$out/errors"; } 2>&1 | awk '{ print $1, $2 + $3 }'
}
median() { sort -g | awk '{ v[NR] = $1 } END { n = int((NR + 1) / 2); print NR % 2 ? v[n] : (v[n] + v[n + 1]) / 2 }'; }

: >"$out/rows"
for w in $workloads; do
	go build -o "$out/$w.plain" "./$w"
	build "$w" -variant=exhaustive exhaustive
	build "$w" -trigger=window window
	build "$w" -variant=auto phase
	rm -rf "$out/$w".*.profile
	DUPINST_DIR="$out/$w.truth.profile" DUPINST_PERIOD=off "$out/$w.exhaustive" >/dev/null
	: >"$out/$w.times"
	for _ in $(seq "$runs"); do
		read -r wall cpu < <(timed "$out/$w.plain")
		for s in $settings; do
			IFS=: read -r trigger rate length <<<"$s"
			read -r w1 c1 < <(timed env DUPINST_DIR="$out/$w.${s/\//-}.profile" DUPINST_PERIOD=off "DUPINST_${trigger^^}S=$rate" "DUPINST_${trigger^^}=$length" "$out/$w.$trigger")
			awk -v s="$s" -v w0="$wall" -v c0="$cpu" -v w1="$w1" -v c1="$c1" 'BEGIN { print s, 100 * (w1 / w0 - 1), 100 * (c1 / c0 - 1) }' >>"$out/$w.times"
		done
	done
	for s in $settings; do
		accuracy=$("$out/dupinst" branches -truth="$out/$w.truth.profile" "$out/$w.${s/\//-}.profile" $(go list -deps "./$w") |
			awk '{ gsub("%|;", ""); print $4, $NF }')
		echo "$s $w $(awk -v s="$s" '$1 == s { print $2 }' "$out/$w.times" | median) $(awk -v s="$s" '$1 == s { print $3 }' "$out/$w.times" | median) $accuracy" >>"$out/rows"
	done
done
printf '%-14s %-10s %9s %9s %9s %9s\n' settings workload time processor edges ways
form='{ printf "%-14s %-10s %+8.1f%% %+8.1f%% %9.1f %9.1f\n", $1, $2, $3, $4, $5, $6 }'
sort "$out/rows" | awk "$form"
for s in $settings; do
	awk -v s="$s" '$1 == s { n++; for (i = 3; i <= 6; i++) sum[i] += $i } END { print s, "mean", sum[3] / n, sum[4] / n, sum[5] / n, sum[6] / n }' "$out/rows" | awk "$form"
done
