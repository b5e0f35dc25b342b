# make course   set up and grade a small demo class
# make lab      open JupyterLab on the student notebooks
# make test     set up and test the tool and the library: about 10 minutes on two cores; make test ONLY=05 verifies an assignment
# make proofs   verify every assignment of the course, as CI does: about 15 minutes on two cores
# make test-all run also the slow tests, which repeat at length what make test tests once: nightly
# make coverage run the tests and measure what they reach: below the floor in pyproject.toml it fails
# make lint     check format, style and types
# make oldest   release under the oldest torch that pyproject.toml allows: no file may change
# make bench    run the benchmarks behind the performance claims
# make ladder   train every model on one data set: make ladder DATA=reviews, sst2 or imdb
# make pretrain train the BERT of assignment 06 on IMDb: takes hours, resumes after an interruption
# make distil   distil a larger BERT into that one: make distil TEACHER=folder, see pretraining/distill.py
# make site     write the course's site to site/html/: notebooks, guides, reference
# make guide    write the instructor's guide, with solutions, to reports/guide/
# make tag      release a version: make tag VERSION=0.2.0, see RELEASING.md
# make dist     build what is published, wheels and source archives, in dist/; needs build and twine
# make execute  run the solution notebooks and store their outputs
# make constraints   resolve constraints.txt again

PYTHON ?= python3
BIN := .venv/bin
DATA ?= reviews
TOKENS ?= 100e6
# one more than there are cores, since many tests wait for processes of their own
WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)

# in the order of the files; with ORDER= in random order, which some tests do not bear yet
ORDER ?= -p no:randomly

.PHONY: course lab test proofs test-all coverage lint oldest bench ladder pretrain distil site guide tag dist execute constraints

course: .venv/ready
	$(BIN)/autograder release
	$(BIN)/autograder demo

lab: .venv/ready
	$(BIN)/jupyter lab --allow-root --LabApp.default_url=/lab/tree/notebooks $(ARGS)

test: .venv/ready
	$(if $(ONLY),$(BIN)/autograder verify $(ONLY),$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(ORDER) -m "not slow")

proofs: .venv/ready
	OMP_NUM_THREADS=1 $(BIN)/autograder verify

test-all: .venv/ready
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(ORDER)

# not what runs as a sandbox's user, whose processes can write no file here
coverage: .venv/ready
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n $(WORKERS) --dist worksteal $(ORDER) -m "not slow"
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy coursekit autograder

oldest: .venv/ready
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv-oldest
	grep -vE '^(torch|sympy|triton|nvidia-.*|cuda-.*)==' constraints.txt > .venv-oldest/constraints.txt
	$(BIN)/uv pip install --quiet --python .venv-oldest -c .venv-oldest/constraints.txt '.[dev]' './autograder[author]' \
	  "torch==$$(sed -n 's/.*"torch>=\(.*\)".*/\1/p' pyproject.toml)"
	PYTHONPATH=. .venv-oldest/bin/python -m autograder release --check

bench: .venv/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt gensim
	for name in reviews almanac bag_of_words word2vec classifiers transformer_block course; do \
	  $(BIN)/python benchmarks/$$name.py || exit 1; done

ladder: .venv/ready
	$(BIN)/python benchmarks/ladder.py --data $(DATA)

pretrain: .venv/ready
	$(BIN)/python pretraining/pretrain.py --tokens $(TOKENS) --export data/pretrained/imdb

distil: .venv/ready
	$(BIN)/python pretraining/distill.py --teacher "$(TEACHER)" --export data/pretrained/imdb-distilled

site: .venv/ready
	$(BIN)/python -m sphinx -q -W --keep-going -d site/trees -c docs . site/html
	@echo "written: site/html/index.html"

guide: .venv/ready
	$(BIN)/autograder guide

tag: .venv/ready
	$(BIN)/python .ci/tag.py "$(VERSION)"

# without .venv: what is published is built from a clean checkout, by packages of its own
dist:
	rm -rf dist
	$(PYTHON) -m build --outdir dist .
	$(PYTHON) -m build --outdir dist autograder
	$(PYTHON) -m twine check --strict dist/*
	$(if $(TAG),test -e dist/coursekit-$(TAG:v%=%)-py3-none-any.whl)

execute: .venv/ready
	$(BIN)/autograder execute
	$(BIN)/autograder release

constraints: .venv/ready
	grep '^torch==' constraints.txt | $(BIN)/uv pip compile pyproject.toml autograder/pyproject.toml - --all-extras \
	  --universal --python-version 3.10 --no-annotate --no-header --no-emit-index-url \
	  --no-emit-package coursekit --quiet -o constraints.new
	mv constraints.new constraints.txt

.venv/ready: pyproject.toml autograder/pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "coursekit needs Python 3.10 or newer: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt hatchling editables
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt --no-build-isolation \
	  -e '.[dev,browser]' -e './autograder[author,cluster,guide,lab,site]'
	touch $@
