#!/usr/bin/env bash
# How accurate the profiles of the ten workloads are, everything instrumented, the standard library
# included, by each measure of the papers': bench/accuracy.sh OUT [INSTRUMENTATION…], all if none is
# named. With counters at interval 1,000 and with windows, SHARE of the time (1%), of RUNS runs together (5), each
# against an exhaustive build, in per cent (dupinst overlap): the overlap, what as many independent random
# samples would be expected to reach, the overlap of what is hot, what of the hottest twentieth is found,
# and by how much the share of a site's most frequent value is off; with blocks the overlap of edges out of
# branches, and how well the shares of their ways agree (dupinst branches). Takes an hour or two: an exhaustive
# build with all of them is up to a hundred times as slow. TRIGGERS names others of counter, window, shadow and phase, the last two so many a
# second (SHADOWS, 10/s; PHASES, 10/s) of a length (SHADOW, 10ms; PHASE, 2ms), of RUNS runs; shadows may cost what they do (OVERHEAD, off). An exhaustive
# profile of the same instrumentations that OUT has from a run before is used as it is where TRUTH=kept, whatever build of dupinst it is of. All are without paths, trips and references; where paths (path or interpath) are among
# them counters are under full, else under auto, and with trips or references there are none.
set -euo pipefail
cd "$(dirname "$0")"
out=$(realpath -m "$1")
shift
instrumentations=${*:-calledge fieldaccess block value context}
mkdir -p "$out"
(cd .. && go build -o "$out/dupinst" ./cmd/dupinst)

build() { # a workload, with flags, as a file
	"$out/dupinst" -backend=compiler -instrument="${instrumentations// /,}" -pkgs=all "$2" build -o "$out/$1.$3" "./$1" 2>"$out/$1.$3.build" || { cat "$out/$1.$3.build" >&2; exit 1; }
}
profile() { # a build's, in some runs together, with settings
	rm -rf "$out/$1.profile"
	for _ in $(seq "$2"); do
		env DUPINST_DIR="$out/$1.profile" DUPINST_PERIOD=off "${@:3}" "$out/$1" >"$out/$1.out"
	done
}

triggers=${TRIGGERS:-counter window}
case " $instrumentations " in *" trip "* | *" reference "*) triggers=window ;; esac

rows=
form='{ printf "%-10s %-8s %-12s", $1, $2, $3; for (i = 4; i <= 8; i++) printf " %9s", ($i == "-" ? "-" : sprintf("%.1f", $i)); print "" }'
printf '%-10s %-8s %-12s %9s %9s %9s %9s %9s\n' workload trigger profile overlap expected 'hot 90 %' 'top 5 %' 'top value'
for w in ${WORKLOADS:-compress sat buntdb gotypes mp3 raytracer yacc ssa tpcb chat}; do
	if [ "${TRUTH:-}" != kept ] || [ ! -e "$out/$w.exhaustive.done" ] || [ "$(cat "$out/$w.exhaustive.done")" != "$instrumentations" ]; then
		rm -f "$out/$w.exhaustive.done"
		build "$w" -variant=exhaustive exhaustive
		profile "$w.exhaustive" 1
		echo "$instrumentations" >"$out/$w.exhaustive.done"
	fi
	for t in $triggers; do
		case "$t $instrumentations " in
		window*) build "$w" -trigger=window window ;;
		*"path "*) build "$w" -variant=full "$t" ;;
		*) build "$w" -variant=auto "$t" ;;
		esac
		case $t in
		window) profile "$w.window" "${RUNS:-5}" DUPINST_OVERHEAD="${SHARE:-1%}" ;;
		shadow) profile "$w.shadow" "${RUNS:-5}" DUPINST_OVERHEAD="${OVERHEAD:-off}" DUPINST_SHADOWS="${SHADOWS:-10/s}" DUPINST_SHADOW="${SHADOW:-10ms}" ;;
		phase) profile "$w.phase" "${RUNS:-5}" DUPINST_PHASES="${PHASES:-10/s}" DUPINST_PHASE="${PHASE:-2ms}" ;;
		*) profile "$w.counter" 1 DUPINST_INTERVAL=1000 ;;
		esac
		row=$("$out/dupinst" overlap "$out/$w.exhaustive.profile" "$out/$w.$t.profile" |
			awk -v of="$w $t" 'NR > 1 { gsub("%|±", ""); print of, $1, $2, $3, $6, $7, $8 }')
		case " $instrumentations " in *" block "*)
			row+=$'\n'$("$out/dupinst" branches -truth="$out/$w.exhaustive.profile" "$out/$w.$t.profile" $(go list -deps "./$w") |
				awk -v of="$w $t" '{ gsub("%|;", ""); print of, "edges", $4, "- - - -"; print of, "ways", $NF, "- - - -" }') ;;
		esac
		awk "$form" <<<"$row"
		rows+="$row"$'\n'
	done
done
for t in $triggers; do
	for i in $instrumentations edges ways; do
		awk -v t="$t" -v i="$i" '$2 == t && $3 == i { for (j = 4; j <= 8; j++) if ($j != "-") { sum[j] += $j; n[j]++ } }
			END { line = "mean " t " " i; for (j = 4; j <= 8; j++) line = line " " (n[j] ? sum[j] / n[j] : "-"); print line }' <<<"$rows" | awk "$form"
	done
done
