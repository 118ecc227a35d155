# Quell. "make run" and "make test" install or build whatever they need, and so does scripts/make.sh where make itself is
# missing; "make help" lists all targets.

SHELL       := bash
.SHELLFLAGS := -o pipefail -c

GO    ?= go
BIN   := bin
# QUELL_VERSION=1.2.3 names a release, so that builds for several processors are one program (internal/version).
BUILD := $(GO) build $(if $(QUELL_VERSION),-ldflags "-X quell/internal/version.stamped=$(QUELL_VERSION)")

# Programs, tests and tools are compiled alike: a package is compiled once for all of them.
export GOFLAGS := -trimpath $(filter-out -trimpath,$(GOFLAGS))

# All packages except the workbench's main package, the only one that needs cgo. CGO_ENABLED=1 lets go list see the
# packages that import cgo.
PACKAGES = $(shell CGO_ENABLED=1 $(GO) list ./... | grep -v "^quell$$")

# Tools are compiled once per machine (scripts/tool.sh).
GOLANGCI_LINT := golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
GREMLINS      := gremlins github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0

# Tests run in random order; -timeout is a limit for tests that hang, far above what a busy machine needs.
TEST    := $(GO) test -json -shuffle=on -timeout=30m
SUMMARY := CGO_ENABLED=0 $(GO) run ./tools/testsummary

.PHONY: run build modules cli workbench worker test test-full race race-full monkey fuzz mutate lint cross cross-full pacs bids io-bench latency peers peers-gpu pictures screenshots site kernels wheel wheel-test package package-test package-metadata bare gpu-test gpu-bench ci clean help cluster shells workflows

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

run: ## open the workbench on the bundled series; without a display, denoise it on the command line
	@scripts/run.sh

build: cli workbench worker ## build the command line, the workbench and the GPU worker into bin/

# What go needs before it is run; make runs go for the lists of packages before the first line of a recipe.
modules:
	@scripts/setup.sh modules

cli: modules ## build the command line alone; needs no C compiler; 95 seconds of processor time at first
	CGO_ENABLED=0 $(BUILD) -tags minimal -o $(BIN)/quell ./cmd/quell

workbench: modules ## build the workbench; installs headers of OpenGL, X11 and Wayland if they are missing
	@scripts/setup.sh workbench
	CGO_ENABLED=1 $(BUILD) -o $(BIN)/quell-workbench .

worker: ## build the GPU worker, if the CUDA headers or an NVIDIA device are present
	@scripts/worker.sh

kernels: ## recompile the CUDA kernels (nvcc 11.8); the output is reproducible byte for byte
	JOBS=2 kernels/build.sh

gpu-test: ## build GPU tests that need no Go to run, into bin/gpu/, and run them if there is a GPU
	@scripts/gpu.sh test

gpu-bench: ## build GPU benchmarks likewise
	@scripts/gpu.sh bench

# Packages of FULL run all of their tests, the others those of the short tier (CONTRIBUTING.md).
FULL  :=
SHORT = $(filter-out $(FULL),$(PACKAGES))
WHOLE = $(filter $(FULL),$(PACKAGES))

test: modules ## run the short tier of all tests, and all tests of FULL="quell/measure ..."; needs no display, no GPU and no C compiler
	@echo "test: compiling the packages; the first time takes minutes"
	@{ failed=0; for tier in $(if $(SHORT),"-short $(SHORT)") $(if $(WHOLE),"$(WHOLE)"); do CGO_ENABLED=0 $(TEST) $$tier || failed=1; done; exit $$failed; } | $(SUMMARY) $(words $(PACKAGES))

test-full: modules ## run all tests of all packages: tables, every filter on the fake GPU, every output
	@$(MAKE) --no-print-directory test FULL="$(PACKAGES)"

race: modules ## run the short tier of packages with shared state under the race detector
	CGO_ENABLED=1 $(TEST) -race -short $$(scripts/concurrent.sh) | $(SUMMARY)

race-full: modules ## run the short tier of all concurrent code under the race detector (an hour)
	CGO_ENABLED=1 $(TEST) -race -short -timeout=2h $$(scripts/concurrent.sh all) | $(SUMMARY)

MONKEY ?= 2000
monkey: ## use the workbench at random for MONKEY=2000 events under the race detector (minutes); QUELL_MONKEY_SEED=N repeats a run
	CGO_ENABLED=1 QUELL_MONKEY=$(MONKEY) $(GO) test -race -v -timeout=60m -run TestMonkey ./ui

fuzz: ## run every fuzz target for FUZZTIME (60s)
	@FUZZTIME=$(FUZZTIME) scripts/fuzz.sh

MUTATE ?= ./denoise/... ./measure/... ./io/... ./app/... ./ui/session
mutate: ## test the tests: mutate MUTATE="./measure ./io/..." (hours for all), or the lines changed since SINCE=main
	@tool=$$(scripts/tool.sh $(GREMLINS)) && CGO_ENABLED=0 $(GO) run ./tools/mutate $(addprefix -since ,$(SINCE)) "$$tool" $(MUTATE)

lint: modules ## check import rules, errors, style (.golangci.yml), words of comments, lines of the program, and the documents
	@CGO_ENABLED=0 $(GO) run ./tools/comments .
	@CGO_ENABLED=0 $(GO) run ./tools/site -check
	@tool=$$(scripts/tool.sh $(GOLANGCI_LINT)) && CGO_ENABLED=0 "$$tool" run $(PACKAGES:quell/%=./%)

cross: ## compile the command line for Windows and macOS, and the panels for Windows
	CGO_ENABLED=0 GOOS=windows GOARCH=amd64 $(GO) build ./cmd/... $(filter quell/ui%,$(PACKAGES))
	@# Fyne itself needs cgo on macOS, so the panels can only be built there.
	CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 $(GO) build ./cmd/...

cross-full: cross ## compile everything but the workbench for Windows, Linux on ARM and macOS
	CGO_ENABLED=0 GOOS=windows GOARCH=amd64 $(GO) build $(PACKAGES)
	CGO_ENABLED=0 GOOS=linux GOARCH=arm64 $(GO) build $(PACKAGES)
	CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 $(GO) build $(filter-out quell/ui%,$(PACKAGES))

pacs: ## send exports to a PACS (Orthanc) and back; SERIES="folder..." instead of the bundled series
	@scripts/setup.sh pacs
	@scripts/pacs.sh $(SERIES)

bids: ## validate what quell bids writes, with npm's bids-validator
	@scripts/setup.sh validators
	@scripts/bids.sh

shells: cli ## complete command lines in the shells that are installed
	@scripts/shells.sh

workflows: cli ## run the workflows of docs/hosts by Snakemake and Nextflow, where they are installed
	@scripts/workflows.sh

cluster: ## check the examples for clusters with the types of Kubernetes and the schema of Compose
	@cd docs/cluster/check && CGO_ENABLED=0 $(GO) test -count=1 ./... # the cache does not see files outside of a module

io-bench: ## time the opening of series, beside ITK, dcmtk, pydicom and nibabel if they are installed
	@scripts/io-bench.sh

latency: cli workbench ## time the workbench on a virtual display: slider and wheel to picture, pictures a second
	@scripts/setup.sh screen
	@CGO_ENABLED=0 $(GO) run ./tools/latency

peers: ## time the CPU filters beside scipy, OpenCV, scikit-image, dipy and ITK, where they are installed
	@scripts/peers.sh

peers-gpu: ## time the CUDA kernels beside open filters, whose sources are fetched, or are in PEER_SOURCES
	@scripts/peers-gpu.sh

pictures: ## redraw the pictures of docs/TRUST.md, docs/benchmarks/quality.md and docs/FILTERS.md from phantoms and the bundled series
	CGO_ENABLED=0 $(GO) run ./tools/trust docs/images

screenshots: ## redraw the pictures of the README and the user guide from the running workbench
	@scripts/screenshots.sh

site: ## check the documents, and make a web site of them in out/site
	CGO_ENABLED=0 $(GO) run ./tools/site out/site

wheel: modules ## build the Python wheel with the command line inside, into out/wheel/
	@scripts/wheel.sh

wheel-test: modules ## build the wheel, and run its tests in a fresh virtual environment
	@scripts/wheel.sh test

package: modules ## build what is installed from, into out/package/: archives, .deb, .rpm, an image, checksums, licences
	@scripts/package.sh $(PARTS)

package-test: modules ## try what make package built: in an empty Debian, under Wine and QEMU, as an image, built twice; needs root; PARTS
	@scripts/package-test.sh $(PARTS)

package-metadata: modules ## check what describes the packages to desktops, stores and papers; takes seconds
	@scripts/package-test.sh metadata

bare: ## try the two commands of the README in a bare Debian; needs root and a mirror of Debian
	@scripts/bare.sh

ci: ## run all checks of the repository
	@.ci/run

clean: ## remove what was built
	rm -rf $(BIN) out
