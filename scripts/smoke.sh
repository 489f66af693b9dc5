#!/usr/bin/env bash
# Installs dist/*.whl into empty environments, as a user would, and looks:
# the newest JupyterLab and Notebook, then JupyterLab 4.4 with Notebook 7.4.
# The first has the Node of this machine, the second the one that [cli] brings.
set -euo pipefail
cd "$(dirname "$0")/.."
python="${PYTHON:-python3}"
wheel=$(ls "$PWD"/dist/*.whl)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "smoke: $*" >&2
  exit 1
}

# install NAME REQUIREMENT…: an empty environment, and no Node on the path while installing.
install() {
  local env="$work/$1"
  echo "== $*"
  shift
  "$python" -m venv "$env"
  PATH="$env/bin" "$env/bin/pip" install --quiet --disable-pip-version-check "$@"
  "$env/bin/jupyter" labextension list 2>&1 | grep -E 'jupyterlab-refine .*enabled.*OK'
  "$env/bin/jupyter" server extension list 2>&1 | grep -E 'jupyterlab_refine .*OK'
}

# refine NAME PATH: the demo from the command line with what is on PATH.
refine() {
  local notebooks="$work/$1-notebooks"
  mkdir -p "$notebooks"
  cp demo/fibonacci.ipynb "$notebooks/"
  PATH="$2" "$work/$1/bin/jupyter" refine run "$notebooks/fibonacci.ipynb" --profile demo --in-place 2> "$work/$1.log" || {
    local status=$?
    cat "$work/$1.log" >&2
    return $status
  }
}

# browse NAME: the demo in JupyterLab and in Notebook, in a browser.
browse() {
  REFINE_SMOKE_JUPYTER="$work/$1/bin/jupyter" REFINE_SMOKE_ROOT="$work/$1-notebooks" node ui-tests/smoke.mjs
}

install newest "$wheel" jupyterlab notebook ipykernel
status=0
refine newest "$work/newest/bin" 2> "$work/no-node.log" || status=$?
[ "$status" = 3 ] || fail "without Node, jupyter refine ended with status $status instead of 3"
grep -q "jupyterlab-refine\[cli\]" "$work/no-node.log" || fail "without Node, jupyter refine names no way out"
refine newest "$work/newest/bin:$PATH"
browse newest

install oldest "$wheel[cli]" 'jupyterlab==4.4.*' 'notebook==7.4.*' 'ipykernel==6.29.*'
refine oldest "$work/oldest/bin"
browse oldest

echo "smoke: passed in both environments"
