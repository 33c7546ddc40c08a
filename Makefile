# Every target makes its own .venv: nothing needs to be set up by hand.
#   make demo    build a transformer by hand, run it exactly, save it, load it
#   make test    lint, strict types, import direction, tests
#   make test-long  the tests that only search longer
#   make bench   ratios against peers, measured in one run (ONLY=checking: one subject)
#   make web     the page's component, from web/ (needs Node 20; what it builds is committed)
#   make docs    the documentation, as docs/_build/html/index.html
#   make pictures  the pictures in it, from the page itself (needs chromium)

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
# Byte code is made of what is imported, when it is: making it of everything takes longer than installing.
# But it is kept, whatever the environment says: the tests start many processes.
unexport PYTHONDONTWRITEBYTECODE
INSTALL := $(PIP) install --no-compile --constraint constraints.txt
# One thread in each process: two run side by side, and threads that wait for each other take the cores from both
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
PYTEST := $(ONE_THREAD) $(BIN)/pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder

.PHONY: demo test test-long bench web pictures docs clean installed
.DELETE_ON_ERROR:

demo: $(VENV)/.core
	@$(BIN)/weightsmith demo
	@echo "(first: source $(BIN)/activate)"

# Types are checked while tests wait for browsers and clusters (nice: never instead of them), and said at the end
test: installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-logo
	@nice -n 19 $(BIN)/mypy >$(VENV)/types 2>&1 & types=$$!; trap 'kill $$types' INT TERM; $(PYTEST); tests=$$?; \
	wait $$types; types=$$?; echo 'mypy:'; cat $(VENV)/types; exit $$((tests | types))

test-long: installed
	$(PYTEST) -m long

bench: $(VENV)/.bench $(VENV)/.browser
	@$(ONE_THREAD) $(BIN)/python -m benchmarks $(ONLY)

web: web/node_modules
	npm --prefix web run check
	npm --prefix web run build

pictures: $(VENV)/.test $(VENV)/.browser
	$(BIN)/python docs/pictures.py

docs: $(VENV)/.docs
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html
	@echo "open docs/_build/html/index.html"

clean:
	rm -rf $(VENV) docs/_build web/node_modules

# What the tests need, side by side: to wait for the network takes no processor
installed:
	@$(MAKE) --no-print-directory --jobs 4 $(VENV)/.test $(VENV)/.compiled $(VENV)/.browser $(VENV)/.web

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo 'Weightsmith needs Python 3.11 or newer; name it like this: make PYTHON=python3.12' >&2; exit 2; }
	@$(PYTHON) -m venv $(VENV) || { \
	  echo 'Python has no venv here; on Debian and Ubuntu: apt-get install python3-venv' >&2; exit 2; }
	@$(PIP) install --upgrade 'pip>=25.1'
	@touch $@

$(VENV)/.core: $(VENV)/.python pyproject.toml constraints.txt
	@echo 'Installing Weightsmith into $(VENV) …'
	@$(INSTALL) --editable .
	@touch $@

# test, bench and docs are dependency groups of pyproject.toml
$(VENV)/.test $(VENV)/.bench $(VENV)/.docs: $(VENV)/.%: $(VENV)/.core
	@echo 'Installing what make $* needs …'
	@$(INSTALL) --group $*
	@touch $@

# The loops that tests run, compiled once for all of them
$(VENV)/.compiled: $(VENV)/.core tests/compile_all.py $(wildcard src/weightsmith/arithmetic/*rounding.py src/weightsmith/kernels/packed/*.py src/weightsmith/automata/extraction/*.py)
	@echo 'Compiling the loops …'
	@$(BIN)/python -m tests.compile_all
	@touch $@

# The page is tested in a real browser
$(VENV)/.browser: | $(VENV)/.python
	@command -v chromium >/dev/null || { \
	  echo 'Installing chromium …'; apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium >/dev/null; } || { \
	  echo 'The page is tested in a browser: install chromium, such as with sudo apt-get install chromium' >&2; exit 2; }
	@touch $@

# Without Node nothing is built: the tests then say that they did not compare the component with its sources
$(VENV)/.web: web/package-lock.json | $(VENV)/.python
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory web/node_modules; fi
	@touch $@

web/node_modules: web/package-lock.json
	@echo 'Installing what builds the page …'
	@npm --prefix web install --no-save --silent --no-audit --no-fund  # ci wants what other machines need as well
	@touch $@
