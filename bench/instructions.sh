#!/usr/bin/env bash
# Counts the instructions of the ten workloads with everything instrumented, the
# standard library included, and no samples, as ratios to the plain build's:
# bench/instructions.sh OUT [VARIANT…], auto if none is named, window for -trigger=window; BACKEND says which back
# end, auto if it is not set, ELIDE which checks auto does without, all if it is not set, and
# INTERVAL has a profile made, at that interval. Needs
# valgrind; takes about ten minutes for one variant. OUT/WORKLOAD.VARIANT.cg says where
# they are executed (cg_annotate), OUT/WORKLOAD.plain.cg where the plain build's are. What depends
# on when other threads run is left out: the garbage collector stops the program, and
# there is one processor.
set -euo pipefail
cd "$(dirname "$0")"
out=$(realpath -m "$1")
shift
variants=${*:-auto}
mkdir -p "$out"
(cd .. && go build -o "$out/dupinst" ./cmd/dupinst)

count() { # of a workload's build
	if [ -n "${INTERVAL:-}" ]; then
		export DUPINST_INTERVAL=$INTERVAL DUPINST_DIR=$out/$1.$2.prof
	fi
	GODEBUG=gcstoptheworld=1 GOMAXPROCS=1 valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file="$out/$1.$2.cg" "$out/$1.$2" >"$out/$1.$2.out" 2>"$out/$1.$2.err"
	awk '/I *refs:/ { gsub(",", ""); print $NF }' "$out/$1.$2.err"
}

rows=
printf '%-10s %10s' workload plain
printf ' %10s' $variants
echo
for w in ${WORKLOADS:-compress sat buntdb gotypes mp3 raytracer yacc ssa tpcb chat}; do
	go build -o "$out/$w.plain" "./$w"
	row="$w $(count "$w" plain)"
	for v in $variants; do
		case $v in window) flag=-trigger=window ;; *) flag=-variant=$v ;; esac
		"$out/dupinst" -backend="${BACKEND:-auto}" -elide="${ELIDE:-all}" "$flag" -pkgs=all build -o "$out/$w.$v" "./$w" 2>"$out/$w.$v.build"
		row+=" $(count "$w" "$v")"
	done
	awk '{ printf "%-10s %8.2f G", $1, $2 / 1e9; for (i = 3; i <= NF; i++) printf " %+8.2f %%", 100 * ($i / $2 - 1); print "" }' <<<"$row"
	rows+="$row"$'\n'
done
awk 'NF { for (i = 3; i <= NF; i++) sum[i] += $i / $2 - 1; n++; last = NF }
	END { printf "%-21s", "mean"; for (i = 3; i <= last; i++) printf " %+8.2f %%", 100 * sum[i] / n; print "" }' <<<"$rows"
