# bootstrap.py does the work: where there is no make, call it directly.
PYTHON ?= python3
BIN := .venv/bin
LAB_ARGS ?=
TEST_ARGS ?=
ALL ?=
AT ?=
LESSONS ?=
SITE_URL ?=

.PHONY: help setup lab dev test site site-test student-env build lint clean

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

lab: ## set everything up and open JupyterLab on the start page (LAB_ARGS go to JupyterLab)
	@$(PYTHON) bootstrap.py lab $(LAB_ARGS)

test: ## set everything up and run the tests that can have changed, or with ALL=1 every test (TEST_ARGS go to pytest)
	@HEADSTART_TEST_ALL=$(ALL) $(PYTHON) bootstrap.py test $(TEST_ARGS)

site: ## the lessons as a website in site/html (LESSONS="01 02" for these alone, SITE_URL=... to publish it there)
	@SITE_URL=$(SITE_URL) $(PYTHON) bootstrap.py site $(LESSONS)

site-test: dev ## build the website and test it in a browser, where there is npm (TEST_ARGS go to pytest)
ifeq ($(shell command -v npm 2>/dev/null),)
	@echo "headstart: the website isn't tested here: it is built with Node's npm, which isn't installed"
else
	@$(BIN)/python -c "import bootstrap; bootstrap.provide('CHROMIUM', 'LIBATOMIC')"
	@$(MAKE) --no-print-directory site
	@$(BIN)/python -m pytest -n auto tests/site/pages.py $(TEST_ARGS)
endif

setup: ## make .venv, or bring it up to date, and build the lessons
	@$(PYTHON) bootstrap.py

dev: ## the same, with what tests and linters need as well
	@$(PYTHON) bootstrap.py dev

student-env: ## make an environment for students, who can't read this folder, in the folder AT
	@$(PYTHON) bootstrap.py student-env "$(AT)"

build: setup ## notebooks/ -> source/ -> release/
	@$(BIN)/headstart build

lint: dev ## ruff and mypy, as tests/house/test_style.py calls them
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy

clean: ## remove .venv and caches; work/ and everything of a class stays
	rm -rf .venv .hypothesis .pytest_cache .ruff_cache .mypy_cache *.egg-info
	find . -name __pycache__ -prune -exec rm -rf {} +
