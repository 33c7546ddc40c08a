# Every target sets up .venv itself.
#   make demo    build a transformer by hand, run it exactly, save it, load it
#   make test    lint, strict types, import direction, tests
#   make test-long  the tests that search longer
#   make dist    an sdist and a wheel, in dist/
#   make test-distribution  builds both and tests them outside the source tree
#   make bench   speed ratios against other tools, measured in the same run (ONLY=checking: one subject)
#   make web     the page's component, from web/ (needs Node 20; its output is committed)
#   make docs    the documentation, in docs/_build/html/index.html
#   make pictures  the pictures of the documentation (needs chromium)
#   make notebooks  the notebooks of docs/notebooks, written from the pages
#   make gallery   every table of docs/gallery, computed again (ONLY=k-hop: one table)

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
# Byte code is compiled on import, because compiling all of it takes longer than installing. It is always kept, because
# the tests start many processes.
unexport PYTHONDONTWRITEBYTECODE
INSTALL := $(PIP) install --no-compile --constraint constraints.txt
# Two test processes run in parallel: more threads than cores would slow down both
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
PYTEST := $(ONE_THREAD) $(BIN)/pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder

.PHONY: demo test test-long test-distribution dist bench web pictures notebooks gallery docs clean installed
.DELETE_ON_ERROR:

demo: $(VENV)/.core
	@$(BIN)/weightsmith demo
	@echo "(first: source $(BIN)/activate)"

# mypy runs at low priority beside the tests, which often wait for browsers and clusters; its output comes last
# Without Node nothing is said of web/, unless CI is set: then a test fails
CHECK_WEB := if command -v npm >/dev/null; then npm --prefix web run --silent check; fi
test: installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-logo
	@nice -n 19 $(BIN)/mypy >$(VENV)/types 2>&1 & types=$$!; nice -n 19 sh -c '$(CHECK_WEB)' >$(VENV)/web 2>&1 & web=$$!; \
	trap 'kill $$types $$web' INT TERM; $(PYTEST); tests=$$?; wait $$types; types=$$?; wait $$web; web=$$?; \
	echo 'mypy:'; cat $(VENV)/types; echo 'web:'; cat $(VENV)/web; exit $$((tests | types | web))

test-long: installed $(VENV)/.notebooks
	$(PYTEST) -m long

test-distribution: $(VENV)/.test
	$(BIN)/pytest -m long tests/test_distribution.py

dist: $(VENV)/.release
	$(BIN)/python -m build --outdir dist

bench: $(VENV)/.bench $(VENV)/.browser
	@$(ONE_THREAD) $(BIN)/python -m benchmarks $(ONLY)

web: web/node_modules
	npm --prefix web run check
	npm --prefix web run build

pictures: $(VENV)/.test $(VENV)/.browser
	$(BIN)/python docs/pictures.py

notebooks: $(VENV)/.core
	$(BIN)/python docs/write_notebooks.py

gallery: $(VENV)/.test
	@$(ONE_THREAD) $(BIN)/python -m benchmarks.gallery --write $(ONLY)

docs: $(VENV)/.docs
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html
	@echo "open docs/_build/html/index.html"

clean:
	rm -rf $(VENV) docs/_build web/node_modules

# Installations mostly wait for the network, so they run in parallel
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

# test, bench, docs, notebooks and release are dependency groups of pyproject.toml
$(VENV)/.test $(VENV)/.bench $(VENV)/.docs $(VENV)/.notebooks $(VENV)/.release: $(VENV)/.%: $(VENV)/.core
	@echo 'Installing the packages for make $* …'
	@$(INSTALL) --group $*
	@touch $@

# Numba loops, compiled once for all tests
$(VENV)/.compiled: $(VENV)/.core tests/compile_all.py $(wildcard src/weightsmith/arithmetic/*rounding.py src/weightsmith/kernels/packed/*.py src/weightsmith/automata/extraction/*.py)
	@echo 'Compiling the loops …'
	@$(BIN)/python -m tests.compile_all
	@touch $@

# The tests of the page run in real browsers
$(VENV)/.browser: Makefile | $(VENV)/.python
	@command -v chromium >/dev/null && { command -v firefox-esr || command -v firefox; } >/dev/null || { \
	  echo 'Installing chromium and Firefox …'; apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium firefox-esr >/dev/null; } || { \
	  echo 'The page is tested in two browsers: install them, such as with sudo apt-get install chromium firefox-esr' >&2; exit 2; }
	@touch $@

# Without Node the component is not built, and the tests say that they did not compare it with its sources
$(VENV)/.web: web/package-lock.json | $(VENV)/.python
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory web/node_modules; fi
	@touch $@

web/node_modules: web/package-lock.json
	@echo 'Installing the packages that build the page …'
	@npm --prefix web install --no-save --silent --no-audit --no-fund  # npm ci would also need the packages of other platforms
	@touch $@
