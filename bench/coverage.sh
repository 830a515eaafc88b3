#!/usr/bin/env bash
# How soon a running service's coverage is known, everything instrumented, the standard library included:
# bench/coverage.sh OUT [WORKLOAD…], chat, kv and tpcb if none is named. Of the blocks that an exhaustive build has
# entered when it ends, the share that another build has found when it does, and after how many seconds that was 95 %:
# counted once, by windows that are open for SHARE of the time (1%), and by auto's counters at interval 1,000. Profiles are
# written every quarter of a second. kv is asked by eight clients for LOAD seconds (10).
set -euo pipefail
cd "$(dirname "$0")"
out=$(realpath -m "$1")
shift
mkdir -p "$out"
(cd .. && go build -o "$out/dupinst" ./cmd/dupinst)

build() { # a workload, with flags, as a file
	"$out/dupinst" -backend=compiler -instrument=block -pkgs=all "$2" build -o "$out/$1.$3" "./$1" 2>"$out/$1.$3.build" || { cat "$out/$1.$3.build" >&2; exit 1; }
}
clients() { # of what has said in a file where it serves, until it ends
	local url
	until url=$(sed -n 's/^serving on //p' "$2") && test -n "$url"; do sleep 0.05; done
	seq 1000000 | xargs -P 8 -n 200 sh -c 'for i; do echo "url = '"$url"'/next"; done | curl -s -K - || exit 255' _ >/dev/null 2>&1 &
	sleep "${LOAD:-10}"
	kill "$1"
}
covered() { # blocks that a profile has
	"$out/dupinst" export -format=cover "$1" | awk 'NR > 1 && $3 > 0 { print $1 }' | sort
}
profile() { # a build's; says after how long it had 95 % of those in a file, if it is given
	local dir=$out/$1.profile begun pid at share=0 soon=-
	rm -rf "$dir"
	begun=$(date +%s.%N)
	DUPINST_DIR=$dir DUPINST_PERIOD=250ms DUPINST_INTERVAL=1000 "$out/$1" >"$out/$1.out" 2>"$out/$1.err" &
	pid=$!
	case $1 in kv.*) clients $pid "$out/$1.out" & ;; esac
	while kill -0 $pid 2>/dev/null; do
		sleep 0.25
		test $# = 2 && test "$soon" = - && test -n "$(ls "$dir" 2>/dev/null)" || continue
		at=$(stat -c %.Y "$dir"/*)
		share=$(covered "$dir" | comm -12 - "$2" | wc -l)
		awk "BEGIN { exit !($share >= 0.95 * $(wc -l <"$2")) }" && soon=$(awk "BEGIN { printf \"%.1f s\", $at - $begun }")
	done
	wait $pid || true # kv is killed
	test $# = 2 || return 0
	share=$(covered "$dir" | comm -12 - "$2" | wc -l)
	awk "BEGIN { printf \" %9s %8.1f %%\", \"$soon\", 100 * $share / $(wc -l <"$2") }"
}

printf '%-9s %7s %10s %9s %10s %9s %10s %9s %10s\n' workload blocks once '' windows '' counters '' seconds
for w in ${*:-chat kv tpcb}; do
	build "$w" -variant=exhaustive exhaustive
	build "$w" -variant=once once
	build "$w" -trigger=window window
	build "$w" -variant=auto counter
	profile "$w.exhaustive"
	covered "$out/$w.exhaustive.profile" >"$out/$w.entered"
	printf '%-9s %7d' "$w" "$(wc -l <"$out/$w.entered")"
	began=$SECONDS
	profile "$w.once" "$out/$w.entered"
	lasted=$((SECONDS - began))
	DUPINST_OVERHEAD=${SHARE:-1%} profile "$w.window" "$out/$w.entered"
	profile "$w.counter" "$out/$w.entered"
	printf ' %10d\n' "$lasted"
done
