#!/usr/bin/env bash
# One step of the set-up: a line for people, the tools' own output into a log.
#   scripts/step.sh NAME 'what is done' COMMAND [ARGUMENT]…
# `make V=1 …` shows all output instead.
set -uo pipefail
name=$1 label=$2
shift 2
# The Makefile writes its marks there, too.
mkdir -p .make

if [ -n "${V:-}" ]; then
  echo "$label"
  exec "$@"
fi

log=.make/$name.log
printf '%s … ' "$label"
start=$SECONDS
"$@" > "$log" 2>&1 < /dev/null
status=$?
if [ "$status" = 0 ]; then
  echo "$((SECONDS - start)) s"
  exit 0
fi
echo failed
# A script of ours that stopped says why in lines that start with `make:`.
if grep -q '^make: ' "$log"; then
  grep '^make: ' "$log" >&2
else
  tail -n 30 "$log" | sed 's/^/  │ /' >&2
  echo "make: that step failed with status $status; all of its output is in $log. Fix it and run make again: it continues from here." >&2
fi
exit "$status"
