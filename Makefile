# The two commands of the README. Each sets everything up from a fresh clone, and starts at once the second time.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
KERNEL := CMakeLists.txt pyproject.toml $(wildcard cpp/*)

# Tests start the program hundreds of times; without compiled modules each start would compile them.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test services suite types examples evidence format bench papers site dist docs explore fuzz clean

demo: $(VENV)/.installed
	@$(BIN)/discreet demo
	@echo "  For these commands in this shell:  . $(BIN)/activate"

# The types and the examples are checked beside the suite: one uses the processor while another waits.
test:
	@$(MAKE) --no-print-directory --jobs=2 $(VENV)/.installed-dev services
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/clang-format --dry-run -Werror cpp/*.?pp cpp/fuzz/*.cpp
	@$(MAKE) --no-print-directory --jobs=3 suite types examples

# A browser, Java and PostgreSQL: Debian's are installed if there are none and we may.
services:
	@tests/browser/set_up.sh
	@.ci/java
	@.ci/postgresql

# One process more than cores, since the tests of pages, of Spark and of two parties mostly wait.
# What failed is tried once more, alone: a page that answers late on a busy machine is no fault, a fault fails again.
suite:
	$(BIN)/pytest -n 3 --dist loadgroup --durations 25 -o cache_dir=build/suite_cache || \
		$(BIN)/pytest --last-failed --last-failed-no-failures none -o cache_dir=build/suite_cache

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
	$(BIN)/python -m benchmarks.growth build/growth

# What the five papers say and what we get, a page for each, with its figures: some points, or all of them with FULL=1 (hours).
papers: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks.papers build/papers $(if $(FULL),--full)

# The documentation as a site with search, in build/site/site; needs no network once Zensical is installed.
site: $(VENV)/.installed-dev
	$(BIN)/python -m tests.docs.site build/site

# What is published: sdist and wheels, built twice with the same bytes and tried in a fresh environment of every Python at hand.
dist: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks.wheels dist --twice

# The long campaigns that try to break the promises; writes what they tried and found to docs/evidence.md.
evidence: $(VENV)/.installed-dev
	$(BIN)/python -m evidence
	DISCREET_DRAWS=10 $(BIN)/pytest -q -n 2 tests/laws tests/attacks tests/channels tests/papers tests/peers tests/fuzz tests/twoparty \
		tests/transactions tests/patterns tests/publishing tests/uncertainty tests/microdata tests/hiding tests/cli/test_wording.py
	DISCREET_DRAWS=64 $(BIN)/pytest -q tests/spark/test_same_answers.py

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip

$(VENV)/.installed: $(KERNEL) | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

# The kernel is compiled while the other packages are fetched and unpacked.
$(VENV)/.installed-dev: $(KERNEL) | $(BIN)/python
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'pip>=26.3' # for --only-deps
	@echo "Compiling the kernel and installing the packages it is developed with ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --only-deps --editable '.[dev]' & packages=$$!; \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .; kernel=$$?; \
		wait $$packages && exit $$kernel
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
