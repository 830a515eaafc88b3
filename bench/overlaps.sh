#!/usr/bin/env bash
# Compares the profiles of the ten workloads at interval 1000, everything instrumented,
# the standard library included, with the exhaustive ones: bench/overlaps.sh OUT, in per
# cent: of call edges and of field accesses, each beside what as many independent random
# samples would be expected to reach. Takes about a quarter of an hour: an exhaustive
# build is up to 40 times as slow. What all.sh measures beside times, without them.
set -euo pipefail
cd "$(dirname "$0")"
out=$(realpath -m "$1")
mkdir -p "$out"
(cd .. && go build -o "$out/dupinst" ./cmd/dupinst)

profile() { # a workload's, by a build of a variant
	"$out/dupinst" -variant="$2" -pkgs=all build -o "$out/$1.$2" "./$1" 2>"$out/$1.$2.build"
	rm -rf "$out/$1.$2.profile"
	DUPINST_DIR="$out/$1.$2.profile" DUPINST_INTERVAL=1000 "$out/$1.$2" >"$out/$1.$2.out"
}

rows=
form='{ printf "%-10s %10.1f %10.1f %10.1f %10.1f\n", $1, $2, $3, $4, $5 }'
printf '%-10s %10s %10s %10s %10s\n' workload calls expected fields expected
for w in ${WORKLOADS:-compress sat buntdb gotypes mp3 raytracer yacc ssa tpcb chat}; do
	profile "$w" exhaustive
	profile "$w" auto
	row=$("$out/dupinst" overlap "$out/$w.exhaustive.profile" "$out/$w.auto.profile" |
		awk -v w="$w" '/^calledge/ { calls = $2 " " $3 } /^fieldaccess/ { fields = $2 " " $3 } END { print w, calls, fields }')
	awk "$form" <<<"$row"
	rows+="$row"$'\n'
done
awk "NF { for (i = 2; i <= 5; i++) sum[i] += \$i; n++ }
	END { \$0 = \"mean \" sum[2] / n \" \" sum[3] / n \" \" sum[4] / n \" \" sum[5] / n } END $form" <<<"$rows"
