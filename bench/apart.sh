#!/usr/bin/env bash
# What it costs, and how accurate it is, to sample what is dear less often than what is cheap: bench/apart.sh OUT. Call edges, field accesses,
# blocks, values and contexts of the ten workloads (WORKLOADS), the standard library included, in
# windows: all in the same ones (together), 25 a second of 1 ms, and by -apart, where DEAR (value=2/s,context=2/s) says
# how often some have theirs. RUNS (9) of each and of the plain program take turns; a line has the median of the processor
# time over the plain program's, and then the overlap of each profile, of all runs, with an exhaustive build's, in per cent.
set -euo pipefail
cd "$(dirname "$0")"
out=$(realpath -m "$1")
mkdir -p "$out"
(cd .. && go build -o "$out/dupinst" ./cmd/dupinst)
dear=${DEAR:-value=2/s,context=2/s}
instrument=calledge,fieldaccess,block,value,context
TIMEFORMAT='%U %S'

build() { # as a file, with flags
	"$out/dupinst" -backend=compiler -instrument=$instrument -pkgs=all "${@:2}" build -o "$out/$w.$1" "./$w" 2>"$out/build" || { cat "$out/build" >&2; exit 1; }
}
spent() { # the processor time of a build's run, in seconds, with settings
	{ time env "${@:2}" "$out/$w.$1" >"$out/output"; } 2>&1 | awk '{ print $1 + $2 }'
}
printf '%-10s %-9s %6s' workload sampled time
tr , ' ' <<<" $instrument" | xargs printf ' %11s'
echo
for w in ${WORKLOADS:-compress sat buntdb gotypes mp3 raytracer yacc ssa tpcb chat}; do
	go build -o "$out/$w.plain" "./$w"
	build exhaustive -variant=exhaustive
	build together -trigger=window
	build apart -trigger=window -apart
	rm -rf "$out/$w".*.profile "$out/$w".*.times
	DUPINST_DIR="$out/$w.exhaustive.profile" "$out/$w.exhaustive" >"$out/output"
	for _ in $(seq "${RUNS:-9}"); do
		spent plain >>"$out/$w.plain.times"
		spent together DUPINST_DIR="$out/$w.together.profile" >>"$out/$w.together.times"
		spent apart DUPINST_DIR="$out/$w.apart.profile" DUPINST_APART="$dear" >>"$out/$w.apart.times"
	done
	for b in together apart; do
		ratio=$(paste "$out/$w.plain.times" "$out/$w.$b.times" | awk '{ print $2 / $1 }' | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }')
		"$out/dupinst" overlap "$out/$w.exhaustive.profile" "$out/$w.$b.profile" |
			awk -v w="$w" -v b=$b -v ratio="$ratio" -v order=$instrument 'NR > 1 { sub("%", "", $2); is[$1] = $2 }
				END { printf "%-10s %-9s %6.3f", w, b, ratio; n = split(order, i, ","); for (j = 1; j <= n; j++) printf " %11s", is[i[j]]; print "" }'
	done
done
