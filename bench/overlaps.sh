#!/usr/bin/env bash
# Compares the profiles of the ten workloads, everything instrumented, the standard library
# included, with the exhaustive ones: bench/overlaps.sh OUT [INTERVAL…], 1000 if none is named; in per
# cent, of call edges and then of field accesses: the overlap, what as many independent random
# samples would be expected to reach, the overlap of what is hot, and what of the hottest twentieth is
# found (dupinst overlap). Takes about a quarter of an hour: an exhaustive build is up to 40 times
# as slow. What all.sh measures beside times, without them.
set -euo pipefail
cd "$(dirname "$0")"
out=$(realpath -m "$1")
shift
intervals=${*:-1000}
mkdir -p "$out"
(cd .. && go build -o "$out/dupinst" ./cmd/dupinst)

build() { # a workload under a variant
	"$out/dupinst" -variant="$2" -pkgs=all build -o "$out/$1.$2" "./$1" 2>"$out/$1.$2.build" || { cat "$out/$1.$2.build" >&2; exit 1; }
}
profile() { # a build's, at an interval, in a directory
	rm -rf "$out/$3"
	DUPINST_DIR="$out/$3" DUPINST_INTERVAL="$2" "$out/$1" >"$out/$3.out"
}

rows=
form='{ printf "%-10s %8s", $1, $2; for (i = 3; i <= 10; i++) printf " %9.1f", $i; print "" }'
printf '%-10s %8s' workload interval
printf ' %9s' calls expected 'hot 90 %' 'top 5 %' fields expected 'hot 90 %' 'top 5 %'
echo
for w in ${WORKLOADS:-compress sat buntdb gotypes mp3 raytracer yacc ssa tpcb chat}; do
	build "$w" exhaustive
	build "$w" auto
	profile "$w.exhaustive" 1 "$w.exhaustive.profile"
	for n in $intervals; do
		profile "$w.auto" "$n" "$w.$n.profile"
		row=$("$out/dupinst" overlap "$out/$w.exhaustive.profile" "$out/$w.$n.profile" |
			awk -v of="$w $n" '/^calledge/ { calls = $2 " " $3 " " $6 " " $7 } /^fieldaccess/ { fields = $2 " " $3 " " $6 " " $7 } END { print of, calls, fields }')
		awk "$form" <<<"$row"
		rows+="$row"$'\n'
	done
done
for n in $intervals; do
	awk -v n="$n" "\$2 == n { for (i = 3; i <= 10; i++) sum[i] += \$i; all++ }
		END { line = \"mean \" n; for (i = 3; i <= 10; i++) line = line \" \" sum[i] / all; \$0 = line } END $form" <<<"$rows"
done
