# The two commands of the README. Each sets everything up from a fresh clone, and starts at once the second time.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
KERNEL := CMakeLists.txt pyproject.toml $(wildcard cpp/*)

.PHONY: demo test types examples evidence format bench docs explore fuzz clean

demo: $(VENV)/.installed
	@$(BIN)/discreet demo
	@echo "  For these commands in this shell:  . $(BIN)/activate"

test: $(VENV)/.installed-dev
	@tests/browser/set_up.sh
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/clang-format --dry-run -Werror cpp/*.?pp cpp/fuzz/*.cpp
	@$(MAKE) --no-print-directory --jobs=2 --output-sync types examples
	@.ci/java
	@.ci/postgresql
	$(BIN)/pytest -n 2 --dist loadgroup --durations 25

types:
	$(BIN)/mypy

examples:
	$(BIN)/lint-imports
	$(BIN)/pytest -q --doctest-modules src

format: $(VENV)/.installed-dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/clang-format -i cpp/*.?pp cpp/fuzz/*.cpp

# Ratios against other miners, on the public data sets (DISCREET_DATA, or ../shared/data).
bench: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks

# The long campaigns that try to break the promises; writes what they tried and found to docs/evidence.md.
evidence: $(VENV)/.installed-dev
	$(BIN)/python -m evidence
	DISCREET_DRAWS=5 $(BIN)/pytest -q -n 2 tests/laws tests/attacks tests/channels tests/papers tests/peers
	DISCREET_DRAWS=25 $(BIN)/pytest -q tests/spark/test_same_answers.py

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip

$(VENV)/.installed: $(KERNEL) | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.installed-dev: $(KERNEL) | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/.installed

clean:
	rm -rf $(VENV) build dist

# Runs the commands that the pages show and puts their output into the pages; read the difference before committing.
docs: $(VENV)/.installed-dev
	$(BIN)/python -m tests.docs.refresh

# Runs the tests on random data with new random data, until it is stopped or one of them fails.
explore: $(VENV)/.installed-dev
	while HYPOTHESIS_PROFILE=explore $(BIN)/pytest -q -n 2 $$(grep -rl hypothesis --include='test_*.py' tests); do :; done

# Throws random bytes at the text parser for a minute; needs clang.
fuzz:
	mkdir -p build/fuzz/corpus
	clang++ -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined cpp/fuzz/fuzz_text.cpp cpp/text.cpp cpp/rows.cpp -o build/fuzz/fuzz_text
	cd build/fuzz && ./fuzz_text -max_total_time=60 -max_len=4096 corpus ../../tests/data
