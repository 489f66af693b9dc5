# Everything goes into .venv and node_modules of this checkout; logs of the set-up into .make.
# First commands after cloning: `make demo`, or `make test`.

PYTHON ?= python3
BIN := $(CURDIR)/.venv/bin
export PATH := $(BIN):$(PATH)
export PYTHON
# `make V=1 …` shows all that the set-up does.
export V
export PIP_DISABLE_PIP_VERSION_CHECK := 1
STEP := @bash scripts/step.sh
TIMED := @bash scripts/timed.sh
# Only root needs to tell Jupyter that it may run as root.
ROOT_FLAG := $(shell [ "$$(id -u)" = 0 ] && echo --allow-root)
# The kernel part is tested on both generations of ipykernel.
KERNEL_PYTHONS := $(BIN)/python:$(CURDIR)/.venv-ipykernel6/bin/python

SOURCES := $(shell find src style schema jupyterlab_refine/kernel scripts/*.mjs -type f ! -name kernelSource.ts ! -path '*/__tests__/*' ! -path '*/__pycache__/*' 2>/dev/null)

.PHONY: help demo lab test test-unit test-integration test-python test-browser test-full test-newest test-slow smoke bench \
	real screenshot docs lite lint format wheel clean distclean setup build

help:
	@sed -n 's/^## //p' $(MAKEFILE_LIST)

## make demo        set up everything, refine the demo notebook from the command line
demo: build
	@mkdir -p demo/out
	@jupyter refine run demo/fibonacci.ipynb --profile demo --output demo/out/fibonacci.ipynb

## make lab         open JupyterLab on the demo notebook
lab: build
	jupyter lab $(ROOT_FLAG) demo/fibonacci.ipynb

## make test        run every test: unit, server, kernel, command line, browser
test: test-unit test-integration test-python test-browser

test-unit: build
	@REFINE_AGAIN=--onlyFailures bash scripts/timed.sh 'unit tests' jlpm jest --selectProjects unit --maxWorkers 2
	$(TIMED) 'tests of the benchmarks' node --test --test-reporter dot bench/__tests__/*.test.mjs

# Servers and kernels of their own: one spec for each core keeps their time limits honest.
test-integration: build
	@REFINE_AGAIN=--onlyFailures bash scripts/timed.sh 'integration tests' jlpm jest --selectProjects integration --maxWorkers 2

# In the order of their folders: the long files of the command line come first, the short ones of the server last.
test-python: build .make/ipykernel6
	@REFINE_AGAIN=--last-failed REFINE_TEST_PYTHONS=$(KERNEL_PYTHONS) bash scripts/timed.sh 'Python tests' pytest -n 3 --dist loadfile --no-loadscope-reorder --durations 5

test-browser: build .make/browser
	@cd ui-tests && bash ../scripts/timed.sh 'browser tests' jlpm playwright test

## make test-full   the slow suites as well: endurance, MBPP, the newest Python, Notebook 7 and collaboration, installing (hours)
test-full: test smoke test-newest test-slow

test-slow: build .make/ipykernel6 .make/docs .make/browser lite .make/pyodide .make/corpus .make/collaboration .make/kernels .make/gateway
	REFINE_CORPUS_PYTHON=$(CURDIR)/.venv-corpus/bin/python \
		REFINE_KERNELS_PYTHON=$(CURDIR)/.venv-kernels/bin/python \
		REFINE_GATEWAY=$(CURDIR)/.venv-gateway/bin/jupyter-enterprisegateway \
		pytest -m full --timeout 3600
	REFINE_FULL=1 jlpm jest --selectProjects unit properties
	cd ui-tests && REFINE_FULL=1 jlpm playwright test
	cd ui-tests && jlpm playwright test --config collaboration.config.ts
	REFINE_EVERY_KERNEL=1 REFINE_TEST_PYTHONS=$(KERNEL_PYTHONS) pytest tests/kernel

# The kernel part on the newest Python of this machine; NEWEST_PYTHON names another.
test-newest: build .make/newest
	REFINE_TEST_PYTHONS=$(CURDIR)/.venv-newest/bin/python pytest tests/kernel

## make smoke       install the wheel in empty environments: the newest, JupyterLab 4.4 and Notebook 7.4
smoke: wheel .make/browser
	bash scripts/smoke.sh

## make bench       overhead of an attempt, grading, bundle size; with their peers
bench: build .make/browser .make/peers
	node bench/run.mjs

## make real        a served model, next to a plain loop: MODEL_URL=http://127.0.0.1:11434/v1 MODEL=name, N=40 SEED=7 MBPP=mbpp.jsonl
N ?= 40
SEED ?= 7
MBPP ?= ../shared/data/mbpp/mbpp.jsonl
real: build
	python bench/real/real.py --base-url $(MODEL_URL) --model $(MODEL) --n $(N) --seed $(SEED) --tasks $(MBPP)

## make screenshot  take the picture and the animation of the README again, with a served model: MODEL_URL= MODEL=
screenshot: build .make/browser
	cd ui-tests && MODEL_URL=$(MODEL_URL) MODEL=$(MODEL) jlpm playwright test --config readme.config.ts
	python scripts/animation.py .make/frames docs/refine.gif

## make docs        build the pages of docs/ into docs/_build/html; a warning is an error
docs: .make/docs
	.venv-docs/bin/sphinx-build -W --keep-going -q -b html docs docs/_build/html
	@echo docs/_build/html/index.html

## make lite        build the JupyterLite site, which needs no server, into .make/site
lite: build .make/lite
	@cp -r jupyterlab_refine/labextension/. .venv-lite/share/jupyter/labextensions/jupyterlab-refine
	cd lite && ../.venv-lite/bin/jupyter lite build --contents ../demo/fibonacci.ipynb --piplite-wheels ../.make/comm --output-dir ../.make/site

## make lint        all linters and type checks
lint: build
	jlpm lint:check
	jlpm tsc -p tsconfig.product.json
	ruff check .
	ruff format --check .
	mypy
	node scripts/settings-schema.mjs --check

## make format      let the formatters write
format: setup
	jlpm prettier
	jlpm eslint
	ruff check --fix .
	ruff format .

## make wheel       build dist/*.whl, which installs without Node
wheel: setup
	$(STEP) wheel-build 'Building for release' jlpm build:prod
	@rm -rf dist .make/build
	@SKIP_JUPYTER_BUILDER=1 python -m build --no-isolation --wheel --outdir dist > .make/wheel.log 2>&1 || { cat .make/wheel.log; exit 1; }
	@ls -sh dist/*.whl

## make clean       remove what was built, keep .venv and node_modules
clean:
	rm -rf lib tsconfig.tsbuildinfo dist jupyterlab_refine/labextension jupyterlab_refine/cli src/kernel/kernelSource.ts .make/build demo/out

## make distclean   remove everything that make has made
distclean: clean
	rm -rf .venv .venv-*/ node_modules .make

setup: .make/python .make/node

build: .make/build .make/develop

.make/python: requirements-dev.txt scripts/setup/setup-venv.sh
	$(STEP) node-version 'Looking for Node' bash scripts/setup/check-node.sh
	$(STEP) python 'Installing Python packages into .venv' bash scripts/setup/setup-venv.sh .venv -r requirements-dev.txt
	@touch $@

.make/node: package.json yarn.lock .yarnrc.yml .make/python
	$(STEP) node 'Installing Node packages into node_modules (some minutes the first time)' jlpm install --immutable
	@touch $@

.make/build: .make/node $(SOURCES)
	$(STEP) build 'Building the extension and the command line' jlpm build
	$(STEP) build-testing 'Building the scripted model server' jlpm build:testing
	@touch $@

.make/develop: pyproject.toml jupyter-config/server-config/*.json | .make/build
	$(STEP) develop 'Linking the Python code into .venv' env SKIP_JUPYTER_BUILDER=1 python -m pip install --quiet --no-deps --no-build-isolation -e .
	$(STEP) develop-lab 'Linking the built extension' jupyter-builder develop --overwrite .
	@touch $@

# The locked versions of everything but ipykernel itself.
.make/ipykernel6: pyproject.toml requirements-dev.txt scripts/setup/setup-venv.sh
	@mkdir -p .make
	@grep -v '^ipykernel==' requirements-dev.txt > .make/constraints.txt
	$(STEP) ipykernel6 'Installing ipykernel 6.29 into .venv-ipykernel6' bash scripts/setup/setup-venv.sh .venv-ipykernel6 --group ipykernel6 -c .make/constraints.txt
	@touch $@

.make/newest: pyproject.toml requirements-dev.txt scripts/setup/setup-venv.sh scripts/setup/newest-python.sh
	@mkdir -p .make
	$(STEP) newest 'Installing the newest Python into .venv-newest' env PYTHON="$$(bash scripts/setup/newest-python.sh)" bash scripts/setup/setup-venv.sh .venv-newest --group newest -c requirements-dev.txt
	@touch $@

# The libraries that rows of tests/kernel/corpus need.
.make/corpus: pyproject.toml requirements-dev.txt scripts/setup/setup-venv.sh
	$(STEP) corpus 'Installing the libraries of the corpora into .venv-corpus' bash scripts/setup/setup-venv.sh .venv-corpus --group corpus -c requirements-dev.txt
	@touch $@

# Kernels of other languages and makers.
.make/kernels: pyproject.toml ui-tests/kernels/tslab/package-lock.json scripts/setup/setup-venv.sh
	$(STEP) kernels 'Installing kernels of other languages into .venv-kernels' bash scripts/setup/setup-venv.sh .venv-kernels --group kernels
	$(STEP) tslab 'Installing the TypeScript kernel tslab' npm ci --prefix ui-tests/kernels/tslab --no-audit --no-fund --silent
	@touch $@

# Kernels on another server, which tests kill.
.make/gateway: pyproject.toml scripts/setup/setup-venv.sh
	$(STEP) gateway 'Installing Jupyter Enterprise Gateway into .venv-gateway' bash scripts/setup/setup-venv.sh .venv-gateway --group gateway
	@touch $@

# JupyterLab and Notebook 7 with jupyter-collaboration.
.make/collaboration: pyproject.toml requirements-dev.txt scripts/setup/setup-venv.sh
	$(STEP) collaboration 'Installing jupyter-collaboration and Notebook 7 into .venv-collaboration' bash scripts/setup/setup-venv.sh .venv-collaboration --group collaboration -c requirements-dev.txt
	@touch $@

.make/docs: pyproject.toml scripts/setup/setup-venv.sh
	@mkdir -p .make
	$(STEP) docs 'Installing Sphinx into .venv-docs' bash scripts/setup/setup-venv.sh .venv-docs --group docs
	@touch $@

# What the kernel of the site would otherwise fetch from PyPI each time it starts is part of the site.
.make/lite: pyproject.toml scripts/setup/setup-venv.sh
	$(STEP) lite 'Installing JupyterLite into .venv-lite' bash scripts/setup/setup-venv.sh .venv-lite --group lite
	$(STEP) lite-comm 'Downloading what its kernel needs' .venv-lite/bin/python -m pip download --no-deps --dest .make/comm comm
	@mkdir -p .venv-lite/share/jupyter/labextensions/jupyterlab-refine
	@touch $@

# The browser test of the site serves it without a CDN.
.make/pyodide: lite/pyodide.py
	rm -rf .make/pyodide
	$(STEP) pyodide 'Downloading Pyodide' .venv-lite/bin/python lite/pyodide.py .make/site .make/pyodide

# Programs that the benchmarks compare with.
.make/peers: pyproject.toml requirements-dev.txt scripts/setup/setup-venv.sh
	$(STEP) peers 'Installing the peers of the benchmarks into .venv-peers' bash scripts/setup/setup-venv.sh .venv-peers --group peers -c requirements-dev.txt
	@touch $@

.make/browser: .make/node scripts/setup/setup-browser.sh
	$(STEP) browser 'Looking for a Chromium' bash scripts/setup/setup-browser.sh
	@touch $@
