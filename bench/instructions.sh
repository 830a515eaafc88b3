#!/usr/bin/env bash
# Counts the instructions of the ten workloads with everything instrumented, the
# standard library included, as ratios to the plain build's:
# bench/instructions.sh OUT [COLUMN…], auto if none is named. A column is
# VARIANT[:ELIDE][@INTERVAL[xBURST]]: window is -trigger=window, ELIDE says which checks auto does without,
# all if it is not named, and INTERVAL has a profile made, where otherwise no samples are taken, of which each
# lasts BURST checks, one if it is not named; of window it
# is the share of the time that they are to be open, as 1%, which under valgrind is exceeded many times.
# BACKEND says which back end, auto if it is not set, INSTRUMENT what is counted, calls and field
# accesses if it is not set, WORKLOADS which of them, JOBS how many are
# run at once, as many as there are processors. Needs valgrind; takes some ten minutes for a
# column. OUT/WORKLOAD.COLUMN.cg says where they are executed (cg_annotate), OUT/WORKLOAD.plain.cg
# where the plain build's are. What depends on the time is left out: the garbage collector stops the
# program, there is one processor, and a profile is written at the end alone, for ten seconds of
# the clock are a fraction of one of the program's.
set -euo pipefail
cd "$(dirname "$0")"
export OUT
OUT=$(realpath -m "$1")
shift
columns=${*:-auto}
workloads=${WORKLOADS:-compress sat buntdb gotypes mp3 raytracer yacc ssa tpcb chat}
mkdir -p "$OUT"
(cd .. && go build -o "$OUT/dupinst" ./cmd/dupinst)

build() { # a workload for a column
	local of=${2%@*} elide=all flag
	case $of in *:*) elide=${of#*:} of=${of%:*} ;; esac
	case $of in window) flag=-trigger=window ;; *) flag=-variant=$of ;; esac
	"$OUT/dupinst" -backend="${BACKEND:-auto}" ${INSTRUMENT:+-instrument="$INSTRUMENT"} -elide="$elide" "$flag" -pkgs=all build -o "$OUT/$1.$2" "./$1" 2>"$OUT/$1.$2.build" ||
		{ cat "$OUT/$1.$2.build" >&2; exit 1; }
}
for w in $workloads; do
	go build -o "$OUT/$w.plain" "./$w"
done
for c in $columns; do
	for w in $workloads; do
		build "$w" "$c"
	done
done

count() { # what a build executes
	case $1 in
	*@*%) export DUPINST_OVERHEAD=${1##*@} DUPINST_DIR=$OUT/$1.prof DUPINST_PERIOD=off ;;
	*@*x*) export DUPINST_INTERVAL=$(sed 's/.*@//; s/x.*//' <<<"$1") DUPINST_BURST=${1##*x} DUPINST_DIR=$OUT/$1.prof DUPINST_PERIOD=off ;;
	*@*) export DUPINST_INTERVAL=${1##*@} DUPINST_DIR=$OUT/$1.prof DUPINST_PERIOD=off ;;
	esac
	# valgrind may say that there is RDTSCP where it takes none
	GODEBUG=gcstoptheworld=1,cpu.rdtscp=off GOMAXPROCS=1 valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file="$OUT/${1//%/%%}.cg" "$OUT/$1" >"$OUT/$1.out" 2>"$OUT/$1.err" ||
		{ echo "instructions.sh: $1 has failed under valgrind: $OUT/$1.err says why" >&2; return 255; }
}
export -f count
for w in $workloads; do
	printf "$w.%s\n" plain $columns
done | xargs -P "${JOBS:-$(nproc)}" -I{} bash -c 'set -euo pipefail; count {} || exit 255'

{ # a line for each workload: its name, and the counts
	for w in $workloads; do
		printf '%s' "$w"
		for c in plain $columns; do
			awk '/I *refs:/ { gsub(",", ""); printf " %s", $NF }' "$OUT/$w.$c.err"
		done
		echo
	done
} | awk -v head="workload plain $columns" '
	BEGIN { n = split(head, h); printf "%-10s %10s", h[1], h[2]; for (i = 3; i <= n; i++) printf " %16s", h[i]; print "" }
	{ printf "%-10s %8.2f G", $1, $2 / 1e9; for (i = 3; i <= NF; i++) { printf " %+14.2f %%", 100 * ($i / $2 - 1); sum[i] += $i / $2 - 1 } print "" }
	END { printf "%-21s", "mean"; for (i = 3; i <= NF; i++) printf " %+14.2f %%", 100 * sum[i] / NR; print "" }'
