# Everything goes into .venv and node_modules of this checkout.
# First commands after cloning: `make demo`, or `make test`.

PYTHON ?= python3
VENV := $(CURDIR)/.venv
BIN := $(VENV)/bin
export PATH := $(BIN):$(PATH)
# Only root needs to tell Jupyter that it may run as root.
ROOT_FLAG := $(shell [ "$$(id -u)" = 0 ] && echo --allow-root)

SOURCES := $(shell find src style schema jupyterlab_refine/kernel scripts -type f ! -name kernelSource.ts ! -path '*/__tests__/*' ! -path '*/__pycache__/*' 2>/dev/null)

.PHONY: screenshot help demo lab test test-unit test-python test-browser test-full smoke bench lint format setup build wheel clean

help:
	@sed -n 's/^## //p' $(MAKEFILE_LIST)

## make demo        set up everything, refine the demo notebook from the command line
demo: build
	@mkdir -p demo/out
	jupyter-refine run demo/fibonacci.ipynb --profile demo --output demo/out/fibonacci.ipynb

## make lab         open JupyterLab on the demo notebook
lab: build
	jupyter lab $(ROOT_FLAG) demo/fibonacci.ipynb

## make test        run every test: unit, server, kernel, command line, browser
test: test-unit test-python test-browser

test-unit: build
	jlpm jest

test-python: build
	pytest

test-browser: build .make/browser
	cd ui-tests && jlpm playwright test

## make test-full   the slow suites as well
test-full: test smoke
	pytest -m full --timeout 3600

## make smoke       install the wheel in empty environments: the newest, JupyterLab 4.4 and Notebook 7.4
smoke: wheel
	bash scripts/smoke.sh

## make bench       overhead of an attempt, websocket, bundle size; ratios in one run
bench: build .make/browser
	node bench/run.mjs

## make screenshot  take the picture of the README again
screenshot: build .make/browser
	cd ui-tests && REFINE_SCREENSHOT=1 jlpm playwright test demo

## make lint        all linters and type checks
lint: build
	jlpm lint:check
	jlpm tsc --noEmit
	ruff check .
	ruff format --check .
	node scripts/settings-schema.mjs --check

## make format      let the formatters write
format: setup
	jlpm prettier
	jlpm eslint
	ruff check --fix .
	ruff format .

## make wheel       build dist/*.whl, which installs without Node
wheel: setup
	jlpm build:prod
	rm -rf dist
	SKIP_JUPYTER_BUILDER=1 python -m build --no-isolation --wheel

## make clean       remove what was built, keep .venv and node_modules
clean:
	rm -rf lib dist jupyterlab_refine/labextension jupyterlab_refine/cli src/kernel/kernelSource.ts .make/build demo/out

setup: .make/python .make/node

build: .make/build

.make/python: requirements-dev.txt scripts/setup-venv.sh
	@mkdir -p .make
	PYTHON="$(PYTHON)" bash scripts/setup-venv.sh
	@touch $@

.make/node: package.json yarn.lock .make/python
	@bash scripts/check-node.sh
	jlpm install --immutable
	@touch $@

.make/build: .make/node pyproject.toml $(SOURCES)
	jlpm build
	jlpm build:testing
	SKIP_JUPYTER_BUILDER=1 python -m pip install --quiet --no-deps --no-build-isolation -e .
	jupyter labextension develop --overwrite . > /dev/null
	@touch $@

.make/browser: .make/node
	bash scripts/setup-browser.sh
	@touch $@
