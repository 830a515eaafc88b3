#!/usr/bin/env bash
# The tables of a paper, measured of the ten workloads: bench/papers.sh [-quick] PAPER OUT, where PAPER is arnold-ryder, hps,
# instant or shadow; as text in OUT/PAPER.txt, as CSV in OUT/PAPER.csv, and drawn in OUT/PAPER-N.svg. docs/papers.md has them beside the paper's. Takes
# from one hour to four; -quick, of three workloads (WORKLOADS names others), a quarter of one.
set -euo pipefail
cd "$(dirname "$0")"
quick='' runs=8 intervals="10 100 1000 10000 100000"
bursts="auto@100 auto@1000 auto@10000 auto@1000x10 auto@10000x100"
if [ "$1" = -quick ]; then
	shift
	quick=-quick runs=2 intervals="100 1000" bursts="auto@100 auto@10000x100"
	export WORKLOADS=${WORKLOADS:-compress yacc tpcb}
fi
paper=$1 out=$(realpath -m "$2")
mkdir -p "$out"

tables() {
	case $paper in
	arnold-ryder)
		for i in calledge fieldaccess; do
			echo "Tables 1 to 3, instructions, $i:"
			INSTRUMENT=$i ./instructions.sh "$out/$i" exhaustive full no auto
		done
		echo "Table 4:"
		./overlaps.sh "$out/overlaps" $intervals
		;;
	hps)
		./hps.sh $quick "$out/hps"
		echo "Figure 8, instructions:"
		INSTRUMENT=calledge ./instructions.sh "$out/cost" auto $bursts
		;;
	instant) ./instant.sh $quick "$out/instant" ;;
	shadow)
		for i in path value; do
			TRIGGERS=shadow RUNS=$runs ./accuracy.sh "$out/$i" $i
		done
		(cd .. && go run ./demo/shadows $quick)
		;;
	*)
		echo "papers.sh: $paper is none of arnold-ryder, hps, instant and shadow" >&2
		return 2
		;;
	esac
}
tables | tee "$out/$paper.txt"
sed -E '/^\|[-|]*$/d; /:$/!{ s/^[ |]+//; s/ *\|$//; s/ *\| */,/g; s/([0-9]) (%|G|ms)/\1\2/g; s/(hot|top) ([0-9v][^ ]*)( %)?/\1-\2/g; /,/!s/ +/,/g; }' "$out/$paper.txt" >"$out/$paper.csv"
go run ./figures "$paper" "$out"
