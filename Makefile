# make run starts the app for this machine alone, make test runs the tests; both set up .venv first. Python 3.11 or newer.
#   PORT=8501          where the app listens
#   PYTHON=python3.12  the interpreter to make the environment with
#   VENV=.venv         where the environment is
#   WORKERS=2          how many tests run at once

PORT ?= 8501
VENV ?= .venv
BIN := $(VENV)/bin
# In the order of their files: those with a browser are few and long, and would end last by number.
PYTEST = $(BIN)/python -m pytest --dist loadfile --no-loadscope-reorder
WORKERS ?= 2
UV := $(shell command -v uv 2>/dev/null)

ifdef UV
CREATE = $(UV) venv --quiet --python '$(or $(PYTHON),>=3.11)' $(VENV)
INSTALL = $(UV) pip install --quiet --python $(BIN)/python
else
CREATE = $(or $(PYTHON),python3) -c 'import sys; sys.version_info < (3, 11) and \
  sys.exit("Python 3.11 or newer is needed; name one with PYTHON=")' \
  && $(or $(PYTHON),python3) -m venv $(VENV)
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check
endif

.PHONY: run quick test coverage test-tools check audit bench bench-check requirements clean
.DEFAULT_GOAL := run

run: $(VENV)/.requirements
	FORMULARY_LOCAL_RUN=1 $(BIN)/python -m streamlit run app.py \
	  --server.address 127.0.0.1 --server.port $(PORT)

# For the work between two commits. Compiled tests are kept: compiling them again takes longer than
# running most of them.
quick: $(VENV)/.requirements-dev
	PYTHONDONTWRITEBYTECODE= $(PYTEST) -n $(WORKERS) --ignore=tests/browser --ignore=tests/pages \
	  -m 'not (browser or pages or documents or slow or tools)'

test: $(VENV)/.requirements-dev
	$(PYTEST) -n $(WORKERS) -m 'not tools'

# Which branches of core the tests take, by those that need no browser and no tools; processes that
# they start are counted too. Fails where too few are.
coverage: $(VENV)/.requirements-dev
	$(PYTEST) -n $(WORKERS) -m 'not (browser or tools)' --cov --cov-report=json:build/coverage.json
	$(BIN)/python .ci/branches build/coverage.json

# What needs more than Python and a browser, one after the other: some of them watch the clock.
test-tools: $(VENV)/.requirements-dev
	$(PYTEST) -m tools

check: $(VENV)/.requirements-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Asks a service for advisories. If it cannot be reached, this says so and passes.
audit: $(VENV)/.requirements-dev
	$(BIN)/python .ci/audit

# Ratios to a peer in the same run, and counts: fails where one is beyond its bound.
bench-check: $(VENV)/.requirements-dev
	$(BIN)/python -m benchmarks.check

# The same in full size, into the table of benchmarks/README.md; for an idle machine.
bench: $(VENV)/.requirements-dev
	$(BIN)/python -m benchmarks.check --whole

# The stamps are older than the lists when these have changed: then, and only then, pip runs.
$(VENV)/.requirements $(VENV)/.requirements-dev: $(VENV)/.%: %.txt
	@test -x $(BIN)/python || { $(CREATE); } || { rm -f $(BIN)/python; exit 1; }
	@echo "Installing $<"
	@$(INSTALL) -r $<
	@touch $@

# Pins the newest releases that pyproject.toml allows, each file with its hash. It needs uv; read
# what changed afterwards.
requirements:
	$(UV) pip compile --quiet --upgrade --generate-hashes --universal --python-version 3.11 \
	  --annotation-style line pyproject.toml -o requirements.txt
	$(UV) pip compile --quiet --upgrade --generate-hashes --universal --python-version 3.11 \
	  --annotation-style line --group dev -c requirements.txt pyproject.toml \
	  -o requirements-dev.txt

clean:
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage* data/store* data/.store*
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
