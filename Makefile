# Everything runs in .venv, made on first use from pinned versions.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CONSTRAINTS := constraints.txt
EXTRAS := cli,dask,excel,frames,parquet,plot,serve
GROUP := dev
PIP := pip==26.3
READY := $(VENV)/.ready

# numba's cache does not notice an edit in a called file, so each state of the
# kernels has a folder of its own.
STAMP = $(shell cat src/sklazy/kernels/*.py src/sklazy/kernels/*/*.py src/sklazy/flow.py 2>/dev/null | cksum | cut -d' ' -f1)
export NUMBA_CACHE_DIR ?= $(CURDIR)/$(VENV)/numba-$(STAMP)

.DEFAULT_GOAL := help
.PHONY: help demo test check lint docs release-check extras-check sbom slow mutate bench tables accuracy peers compat format clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 15

$(READY): pyproject.toml $(CONSTRAINTS)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(PIP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c $(CONSTRAINTS) -e '.[$(EXTRAS)]' --group $(GROUP)
	@touch $@

demo: $(READY)  ## the main job, on data that scikit-learn ships
	$(BIN)/sklazy demo

# The gate draws the same examples every time; `make slow` draws new ones.
test: $(READY)  ## tests and doctests
	$(BIN)/python -m pytest -q -n 2 --dist worksteal -m "not slow" --hypothesis-profile=ci

check: lint test  ## format, lint, types, contracts, tests, doctests

lint: $(READY)  ## format, lint, types and contracts, no tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python docs/check_names.py

docs: $(READY)  ## the site, in docs/_build/html; nothing is fetched, warnings are errors
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html

# The environments are made anew: what is tried is what somebody would install.
release-check:  ## what would be published: built, checked, installed alone and asked
	rm -rf dist .venv-release .venv-alone
	$(PYTHON) -m venv .venv-release
	.venv-release/bin/python -m pip install --quiet --disable-pip-version-check -c $(CONSTRAINTS) hatchling twine
	.venv-release/bin/python -m hatchling build
	.venv-release/bin/python -m twine check --strict dist/*
	$(PYTHON) -m venv .venv-alone
	.venv-alone/bin/python -m pip install --quiet --disable-pip-version-check -c $(CONSTRAINTS) dist/*.whl
	cd .venv-alone && bin/python ../tests/try_wheel.py

extras-check:  ## the wheel with each extra alone (ONLY=names), after `make release-check` (some GB)
	$(PYTHON) tests/try_extras.py $(ONLY)

sbom:  ## what an installation consists of (CycloneDX), in dist/; after `make release-check`
	.venv-release/bin/python -m pip install --quiet --disable-pip-version-check -c $(CONSTRAINTS) cyclonedx-bom
	.venv-release/bin/cyclonedx-py environment .venv-alone --output-file dist/sklazy.cdx.json

# Here linear algebra has threads, as it has where people use it.
slow: export OPENBLAS_NUM_THREADS ?= 2
slow: $(READY)  ## the statistical and large tests, properties on new examples
	$(BIN)/python -m pytest -q -n 2 --dist worksteal -m "slow or hypothesis" --hypothesis-profile=default
	$(MAKE) mutate

mutate: $(READY)  ## whether tests notice changed operators (ROOMS=, SEED=, NUMBER=, JOBS=, LOG=)
	$(BIN)/python tests/mutation.py --seed $(or $(SEED),0) --number $(or $(NUMBER),20) --jobs $(or $(JOBS),2) $(if $(LOG),--log $(LOG)) $(ROOMS)

bench: $(READY)  ## speeds as ratios to a peer, kept for the tables (ONLY=word picks some)
	$(BIN)/python benchmarks/run.py $(ONLY)
	$(BIN)/python benchmarks/tables.py

tables: $(READY)  ## the documentation's speed tables, from what `make bench` kept
	$(BIN)/python benchmarks/tables.py

accuracy: $(READY)  ## the study beside forests and boosting (hours; it resumes)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c $(CONSTRAINTS) --group peers
	$(BIN)/sklazy reproduce accuracy --jobs 2 --out sklazy-results

peers: $(READY)  ## docs/comparison.md: installs each peer and asks it (minutes, some GB)
	$(BIN)/python benchmarks/peers/run.py $(ONLY)

compat:  ## the tests against the oldest supported versions
	$(MAKE) test VENV=.venv-oldest CONSTRAINTS=constraints-oldest.txt GROUP=test

format: $(READY)  ## rewrite the sources in the house format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:  ## remove the environments and caches
	rm -rf docs/_build docs/api docs/gallery
	rm -rf .venv .venv-oldest .venv-peers .pytest_cache .mypy_cache .ruff_cache .hypothesis
