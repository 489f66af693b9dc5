#!/usr/bin/env bash
# Prints the path of the newest Python here: on the path, or known to pyenv or uv. NEWEST_PYTHON names one.
set -uo pipefail
if [ -n "${NEWEST_PYTHON:-}" ]; then
  command -v "$NEWEST_PYTHON" && exit
  echo "make: NEWEST_PYTHON: there is no '$NEWEST_PYTHON'" >&2
  exit 1
fi

# A shim may be there for a version that is switched off: only what runs counts.
newest='import sys; v = sys.version_info; v.releaselevel == "final" and print("%03d %03d %s" % (v[1], v[2], sys.executable))'
candidates() {
  compgen -c python3. | grep -E '^python3\.[0-9]+$'
  command -v python3
  command -v pyenv > /dev/null && ls -d "$(pyenv root)"/versions/3.*/bin/python3
  command -v uv > /dev/null && uv python list --only-installed --no-python-downloads 2> /dev/null | awk '{print $2}'
}
found=$(candidates | sort -u | while read -r python; do "$python" -c "$newest"; done 2> /dev/null | sort | tail -n 1 | cut -d ' ' -f 3-)
[ -n "$found" ] || {
  echo "make: no Python was found. Name one: make NEWEST_PYTHON=/path/to/python3" >&2
  exit 1
}
echo "$found"
