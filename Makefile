# Everything starts here: `make demo` and `make test` set up what they need by themselves.

BIN := .venv/bin
CORES ?= all
TABLE := results/tables/table4_1.csv
# What Python compiles is kept: the tests alone take seconds, in each of their processes.
export PYTHONDONTWRITEBYTECODE :=
SET = $(if $(CONFIG),--config $(CONFIG))

.DEFAULT_GOAL := help
.PHONY: always help setup demo demo-real plan check report docs publish test test-all test-cluster test-browser lint format bench curves verify schema clean clean-all

help: ## Show what there is
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 20

setup: .venv/.ready ## Make .venv with the pinned versions

# A copied environment would run the code of the folder that it was made in: setup.sh says so.
.venv/.ready: pyproject.toml constraints.txt envs/setup.sh $(shell [ "$$(cat .venv/.ready 2>&1)" = "$$(pwd -P)" ] || echo always)
	@sh envs/setup.sh .venv

demo: setup ## Build the main table in the mini world and show it
	@$(BIN)/contrapose run --cores $(CORES) -- $(TABLE)
	@echo "Next, with sentences of yours (contrapose init --help):"
	@echo "  . $(BIN)/activate && contrapose init mine --sentences FILE --encoder FOLDER"

demo-real: setup ## Compare methods with a real encoder and a chat model (ENCODER=... GGUF=FILE, or ENDPOINT=URL MODEL=NAME)
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh examples/laptop/demo.sh

plan: setup ## Say what it will take: jobs, money, GPU hours, disk (CONFIG="catalog=hub" TARGETS=...)
	@$(BIN)/contrapose plan --config $(CONFIG) -- $(TARGETS)

check: setup ## Look for all that the jobs need and is missing (CONFIG="catalog=hub" TARGETS=... PROFILE=... ASK=1)
	@$(BIN)/contrapose check --config $(CONFIG) $(if $(ASK),--live) $(if $(PROFILE),--profile $(PROFILE)) -- $(TARGETS)

report: setup ## Show what is built in one file, results/report.html (CONFIG="catalog=hub")
	$(BIN)/snakemake built_results --report results/workflow.html $(SET)
	$(BIN)/contrapose report --config $(CONFIG)

docs: .venv/.docs ## Build the documentation site into site/ (open site/index.html)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

# Apart from `setup`: nothing else needs MkDocs.
.venv/.docs: .venv/.ready pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[docs]'
	@touch $@

test: setup ## Run the tests but the slow ones (set CONTRAPOSE_DATA=FOLDER for those on real data)
	$(BIN)/pytest -n 2 --dist loadfile -m "not slow"

test-all: test ## Run all tests: those of `make test`, then the slow ones
	$(BIN)/pytest -n 2 --dist loadfile -m slow

test-browser: setup ## Look at the report in a headless Chromium (installs it where it can)
	sh tests/browser/install.sh
	CONTRAPOSE_BROWSER=required $(BIN)/pytest tests/browser -rs

test-cluster: setup ## Run the tests on a SLURM; as root on Debian they start one
	CONTRAPOSE_CLUSTER=1 $(BIN)/pytest tests/cluster -v -rs

lint: setup ## Check style, types and the workflow
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/snakemake --lint

format: setup ## Format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/snakefmt Snakefile workflow

bench: setup ## Run the benchmarks: us and the peers, side by side
	$(BIN)/python -m benchmarks

curves: setup ## Measure how time and memory grow
	$(BIN)/python -m benchmarks.curves

verify: setup ## Compare every result with today's settings and code
	$(BIN)/contrapose verify

publish: setup ## Write the results as a Data Package (ARGUMENTS="--to FOLDER"; docs/how-to/share-results.md)
	$(BIN)/contrapose publish $(ARGUMENTS) --config $(CONFIG)

schema: setup ## Write the files that are generated from the settings classes
	$(BIN)/python -m contrapose.tools.schema

clean: ## Remove results and logs; paid answers and checkpoints in state/ stay
	rm -rf results logs .snakemake

clean-all: clean ## Remove state/ (paid answers!) and .venv too
	rm -rf state .venv
