#!/usr/bin/env bash
# One part of the tests: its output as it is, then how long it took.
#   scripts/timed.sh NAME COMMAND [ARGUMENT]…
set -uo pipefail
name=$1
shift
start=$SECONDS
"$@"
status=$?
echo "make: $name took $((SECONDS - start)) s"
exit "$status"
