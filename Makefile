# Quell. `make run` and `make test` do all the set-up they need; `make help` lists the rest.

GO      ?= go
BIN     := bin
TOOLS   := $(CURDIR)/.tools

# Everything but the window itself builds without cgo. The root package is the window.
PACKAGES = $(shell CGO_ENABLED=1 $(GO) list ./... | grep -v "^quell$$")

GOLANGCI_VERSION := v2.15.0

.PHONY: run build cli workbench worker test race lint cross pacs io-bench screenshots kernels gpu-test gpu-bench ci clean help

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

run: ## set up, then open the workbench on the bundled series (headless without a display)
	@scripts/run.sh

build: cli workbench worker ## the command line, the workbench and the GPU worker, into bin/

cli: ## the command line alone; needs no C compiler
	CGO_ENABLED=0 $(GO) build -o $(BIN)/quell ./cmd/quell

workbench: ## the workbench; installs the window system's headers where they are missing
	@scripts/setup.sh window
	CGO_ENABLED=1 $(GO) build -o $(BIN)/quell-workbench .

worker: ## the GPU worker, where CUDA's headers are or an NVIDIA device is
	@scripts/worker.sh

kernels: ## compile the CUDA kernels anew (nvcc 11.8); the same bytes each time
	JOBS=2 kernels/build.sh

gpu-test: ## programs that test the GPU engine on a machine without Go, into bin/gpu/; runs them where a GPU is
	@scripts/gpu.sh test

gpu-bench: ## programs that time it, likewise
	@scripts/gpu.sh bench

test: ## every test; needs no display, no GPU, no C compiler
	CGO_ENABLED=0 $(GO) vet $(PACKAGES)
	CGO_ENABLED=0 $(GO) test $(PACKAGES)

race: ## the tests that share memory, under the race detector
	CGO_ENABLED=1 $(GO) test -race -short ./app/... ./ui/... ./gpu/... ./denoise/... ./io/...

lint: $(TOOLS)/golangci-lint ## the house's arrows and habits
	CGO_ENABLED=0 $(TOOLS)/golangci-lint run $(addsuffix /...,internal volume series denoise measure io app ui gpu kernels cmd assets scripts)

$(TOOLS)/golangci-lint:
	GOBIN=$(TOOLS) $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)

cross: ## that everything but the window builds for the other systems
	CGO_ENABLED=0 GOOS=windows GOARCH=amd64 $(GO) build $(PACKAGES)
	CGO_ENABLED=0 GOOS=linux GOARCH=arm64 $(GO) build $(PACKAGES)
	@# Fyne itself needs cgo on macOS, so the panels can only be built there.
	CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 $(GO) build $(filter-out quell/ui%,$(PACKAGES))

pacs: ## exports into a real PACS (Orthanc) and back; SERIES="folder..." takes yours instead of the bundled one
	@scripts/setup.sh pacs
	@scripts/pacs.sh $(SERIES)

io-bench: ## how fast series open, beside ITK, dcmtk, pydicom and nibabel where they are installed
	@scripts/io-bench.sh

screenshots: ## redraw the pictures of README and user guide from the running workbench
	@scripts/screenshots.sh

ci: ## what the repository is checked with
	@.ci/run

clean: ## remove what was built
	rm -rf $(BIN) out .tools
