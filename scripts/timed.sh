#!/usr/bin/env bash
# One part of the tests: its output as it is, then how long it took.
#   scripts/timed.sh NAME COMMAND [ARGUMENT]…
# In CI, tests that fail run once more, by themselves; the output then calls those that pass flaky.
# REFINE_AGAIN is the argument that asks the runner for them.
set -uo pipefail
name=$1
shift
start=$SECONDS
"$@"
status=$?
if [ "$status" != 0 ] && [ -n "${CI:-}" ] && [ -n "${REFINE_AGAIN:-}" ]; then
  echo "make: $name failed; the failed ones run once more"
  "$@" "$REFINE_AGAIN" && status=0 && echo "make: flaky $name, see the failures above"
fi
echo "make: $name took $((SECONDS - start)) s"
exit "$status"
