#!/usr/bin/env bash
# Installs dist/*.whl into empty environments, as a user would, and looks:
# the newest JupyterLab and Notebook, then JupyterLab 4.4 with Notebook 7.4.
# Node is not needed by the install; `jupyter refine` runs with the one it finds.
set -euo pipefail
cd "$(dirname "$0")/.."
python="${PYTHON:-python3}"
wheel=$(ls dist/*.whl)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

check() {
  local name=$1
  shift
  local env="$work/$name"
  echo "== $name: $*"
  "$python" -m venv "$env"
  # No Node on the path while installing: the wheel must not need it.
  env PATH="$env/bin:/usr/bin:/bin" "$env/bin/pip" install --quiet --disable-pip-version-check "$wheel" "$@"
  "$env/bin/jupyter" labextension list 2>&1 | grep -E 'jupyterlab-refine .*enabled.*OK'
  "$env/bin/jupyter" server extension list 2>&1 | grep -E 'jupyterlab_refine .*OK'
  mkdir -p "$work/$name-notebooks"
  cp demo/fibonacci.ipynb "$work/$name-notebooks/"
  "$env/bin/jupyter" refine run "$work/$name-notebooks/fibonacci.ipynb" --profile demo --in-place
  REFINE_SMOKE_JUPYTER="$env/bin/jupyter" REFINE_SMOKE_ROOT="$work/$name-notebooks" node ui-tests/smoke.mjs
}

check newest jupyterlab notebook ipykernel
check oldest 'jupyterlab==4.4.*' 'notebook==7.4.*' 'ipykernel==6.29.*'
echo "smoke: passed in both environments"
