# `make` alone lists the targets.

BIN  := bin
VENV := $(BIN)/venv
PEERS := $(BIN)/peers
PKGS := ./... ./testdata

# What is behind the API: the tests of stores.
STORES := ./internal/store ./internal/snapshots ./internal/check ./internal/work ./internal/backup ./internal/crashtest

# What computes, and has longer sweeps.
SWEPT := ./compute $(addprefix ./compute/internal/,order reduce gemm kernel ptx scan) ./internal/transpose

# Packages that run goroutines, share mappings or take locks: `make race`.
RACE := . $(STORES) $(addsuffix /...,$(wildcard ./internal/fsx ./internal/filelock ./mmapstore ./view ./catalog ./compute ./interchange ./cmd))

# Packages among them that start no goroutines and keep nothing that changes: `make race` leaves them out.
SEQUENTIAL := /(catalog/internal/(boltfile|overlay|wire)|compute/internal/(fewmap|kernel|knn|plan|term)|interchange/.*)$$

# Tests that look at thousands of files in one goroutine, or kill processes: `make race` leaves them out.
RACESKIP := ^Test(PowerCut.*|Kill.*|Damage|Damaged(Bits|Header)|OldStores|VerifyFindsFlips)$$

# What generates its own assembly.
ASSEMBLY := compute/internal/correlate compute/internal/gemm compute/internal/kernel internal/transpose
# What is generated, all in all.
GENERATED := $(ASSEMBLY) compute/internal/ptx

FUZZTIME  ?= 20s
BENCHTIME ?= 300ms
BENCHSIZE ?= 4GiB
PEERSIZE  ?= 1GiB
CEILING   ?= 67108864
CRASHPOINTS ?= 200
# Tests that kill have their stores here: the others keep theirs in memory (internal/testdir).
DISK      ?= /tmp
REALIMAGES ?= 200
MODELTIME ?= 10m
SOAKSTEPS ?= 900
PROGRAMS  ?= 10000000
ASSEMBLED ?= 2000
GPUPROGRAMS ?= 100000
SEED      ?= 1
CUDA      := $(BIN)/cuda
CUDASRC   := cudabridge/internal/driver
PLATFORMS := linux/arm64 darwin/arm64 windows/amd64

# The folder of cuda.h, of CUDA 11.8 or a 12: `make cuda-sdk` fetches one, unless CUDA_INCLUDE names it.
CUDA_HEADER := $(VENV)/cuda/nvidia/cuda_runtime/include/cuda.h
ifdef CUDA_INCLUDE
CUDA_HEADER :=
else
CUDA_INCLUDE := $(dir $(CUDA_HEADER))
endif

# How commands of Go build for CUDA. The stub has the symbols of the driver for one link in between; no program needs it.
CUDAENV = CGO_ENABLED=1 CGO_CFLAGS="-I$(abspath $(CUDA_INCLUDE))" CGO_LDFLAGS="-L$(CURDIR)/$(CUDA) -Wl,--as-needed"

# Go stamps a program with its version, commit and date, which it asks of git: also where GOFLAGS says no.
STAMP := $(if $(shell git rev-parse --verify --quiet HEAD 2>/dev/null),-buildvcs=true)

.DEFAULT_GOAL := help
.PHONY: help build build-check test test-isa test-windows race invariants sweeps crash crash-fs network-fs crash-nightly soak many accuracy fuzz-jit fuzz-ptx lint fuzz cross cuda-sdk build-cuda gpu-check cuda-test tidy generate generate-check ptx-check release release-test man numpy-check testdata golden bench bench-peers memory-check check clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build bin/tstore
	CGO_ENABLED=0 go build -trimpath $(STAMP) -o $(BIN)/tstore ./cmd/tstore

build-check: build ## check that bin/tstore is static, and knows what it was built from
	go test -run '^TestBuild$$' -count 1 ./cmd/tstore -tstore $(CURDIR)/$(BIN)/tstore

test: ## run the tests
	go test ./...

race: ## run the tests of concurrent packages, with shorter sweeps, under the race detector
	go list $(RACE) | grep -vE '$(SEQUENTIAL)' | xargs go test -race -short -timeout 20m -skip '$(RACESKIP)'

invariants: ## run the tests of mapped storages with leak tracking and poisoned mappings, and stores on DISK (/tmp)
	go test -tags invariants ./mmapstore ./view ./compute/device/devicetest
	TMPDIR=$(DISK) go test -tags invariants -short . $(STORES)

sweeps: ## run the sweeps of the tests whole: each operation fails in each way, power cuts, damage, processes
	go test -timeout 30m -skip '^TestMemoryCeiling$$' ./internal/store ./internal/snapshots ./internal/work -long
	go test -timeout 30m ./internal/check -long -damaged-bits 500
	go test -timeout 30m ./internal/backup -long -backup-every 3 -backup-kills 12
	go test -timeout 30m -skip '^TestKill$$' ./internal/crashtest -long -power-images 200 -processes 8 -process-steps 200
	go test -timeout 30m -run '^Test(Histories|Processes)$$' ./internal/crashtest/model -model-time 5s
	go test -timeout 30m -run '^TestRandomDamage$$' ./catalog -damage-rounds 200
	go test -timeout 30m $(SWEPT) -long

crash: ## kill writers at CRASHPOINTS (200) random moments and look what survived
	TMPDIR=$(DISK) go test -run '^TestKill$$' -v ./internal/crashtest -kill-points $(CRASHPOINTS)

soak: ## 16 processes that read and change one store (SOAKSTEPS 900 changes each), and what is left of it
	TMPDIR=$(DISK) go test -run '^TestProcesses$$' -count 1 -timeout 30m -v ./internal/crashtest -processes 16 -process-steps $(SOAKSTEPS)

many: ## open 100,000 small tensors of shared files, and as many of files of their own, at once (1 GB of memory)
	go test -run '^TestManyTensors$$' -count 1 -timeout 30m -v ./internal/store -many-tensors 100000 -many-files 100000 -many-maps 0

crash-fs: $(BIN)/faultdisk ## break ext4, xfs and btrfs: power cuts (REALIMAGES 200 states of each), failing disks, full ones (takes root)
	scripts/crash-fs $(BIN)/faultdisk -real-images $(REALIMAGES)

network-fs: build ## make stores on a network file system, mounted twice: GlusterFS, on this machine (takes root)
	scripts/network-fs $(BIN)/tstore

crash-nightly: crash-fs ## kill writers at 2,000 moments, cut the power at 20,000, flip 20,000 bits, break file systems
	TMPDIR=$(DISK) go test -run '^TestKill(Job)?$$' -count 1 -timeout 3h -v ./internal/crashtest ./internal/work -long -kill-points 2000
	TMPDIR=$(DISK) go test -run '^Test(BackupFailsAtEveryOperation|KillBackup)$$' -count 1 -timeout 1h -v ./internal/backup -backup-every 1 -backup-kills 500
	go test -run '^TestPowerCut$$' -count 1 -timeout 3h -v ./internal/crashtest -long -power-images 20000
	go test -run '^TestDamaged(Header|Bits)$$' -count 1 -timeout 3h -v ./internal/check -damaged-bits 10000
	go test -run '^TestRandomDamage$$' -count 1 -timeout 1h -v ./catalog -damage-rounds 5000

model: ## compare random histories with a model for MODELTIME (10m): of one process, and of several that are killed
	go test -run '^TestHistories$$' -count 1 -timeout 3h -v ./internal/crashtest/model -model-time $(MODELTIME)
	go test -run '^TestProcesses$$' -count 1 -timeout 3h -v ./internal/crashtest/model -model-time $(MODELTIME)

nightly: crash-nightly model release-test ## crash-nightly, 10 minutes of each kind of random history against a model, and released programs

accuracy: ## compute the functions of one float32 for every float32 (half an hour)
	go test -run '^TestMathFloat32$$' -count 1 -timeout 2h -v ./compute/internal/kernel -exhaustive

fuzz-jit: ## compare PROGRAMS (10,000,000) random programs in machine code, for AVX-512 and AVX2, with the kernels in Go (an hour)
	go test -run '^Test(SameBits|Sums)$$' -count 1 -timeout 3h -v ./compute/internal/jit -programs $(PROGRAMS) -seed $(SEED)

fuzz-ptx: ## compare GPUPROGRAMS (100,000) random programs in GPU code, interpreted, with the kernels in Go (10 minutes)
	go test -run '^Test(SameBits|Layouts|Folds)$$' -count 1 -timeout 3h -v ./compute/internal/ptx -programs $(GPUPROGRAMS) -seed $(SEED)

lint: ## gofmt, go vet and staticcheck
	@unformatted=$$(gofmt -l $$(git ls-files --cached --others --exclude-standard '*.go')); \
	if [ -n "$$unformatted" ]; then echo "not gofmt'ed:"; echo "$$unformatted"; exit 1; fi
	go vet $(PKGS)
	go tool staticcheck $(PKGS)

fuzz: ## run each fuzz target for FUZZTIME (20s)
	scripts/fuzz $(FUZZTIME)

cross: ## build and vet for the other platforms
	@set -e; for platform in $(PLATFORMS); do \
		echo "go build, go vet for $$platform"; \
		export CGO_ENABLED=0 GOOS=$${platform%/*} GOARCH=$${platform#*/}; \
		go build ./...; go vet $(PKGS); \
	done

cuda-sdk: $(CUDA_HEADER) $(CUDA)/libcuda.so ## get what CUDA builds need: the header (CUDA_INCLUDE for your own) and a stub library

build-cuda: cuda-sdk ## build bin/tstore-cuda, the tstore that reaches GPUs, for Linux
	$(CUDAENV) go build -trimpath $(STAMP) -tags cuda -o $(BIN)/tstore-cuda ./cmd/tstore

gpu-check: cuda-sdk ## build bin/gpu-check, and compare and measure a GPU with it where there is a driver (8 minutes)
	$(CUDAENV) go build -trimpath -ldflags '-s -w' -tags cuda -o $(BIN)/gpu-check ./bench/gpucheck
	@if ldconfig -p 2>/dev/null | grep -q libcuda.so.1 || [ -e /dev/nvidiactl ]; then \
		cd $(BIN) && ./gpu-check $(GPUCHECKFLAGS); \
	else \
		echo "bin/gpu-check was not run: there is no NVIDIA driver. Copy it to a machine with one, and run it there"; \
	fi

cuda-test: build build-cuda ## vet and test the CUDA build without a GPU: over a fake driver, and as users start it
	@set -e; for tags in cuda 'cuda fakecuda'; do \
		echo "vet, staticcheck and tests with the tags $$tags"; \
		$(CUDAENV) go vet -tags "$$tags" ./cudabridge/... ./cmd/tstore ./bench/gpucheck; \
		$(CUDAENV) go tool staticcheck -tags "$$tags" ./cudabridge/... ./cmd/tstore ./bench/gpucheck; \
		$(CUDAENV) go test -tags "$$tags" ./cudabridge/... ./bench/gpucheck; \
	done
	$(CUDAENV) go test -race -tags 'cuda fakecuda' ./cudabridge/...
	$(CUDAENV) go test -run '^TestScripts$$/^devices' -tags 'cuda fakecuda' ./cmd/tstore
	$(CUDAENV) go test -run '^TestScripts$$' -tags 'cuda fakecuda' ./cmd/tstore -script-device gpu:0
	go test -run '^TestCUDAProgram$$' ./cmd/tstore -tstore $(CURDIR)/$(BIN)/tstore -tstore-cuda $(CURDIR)/$(BIN)/tstore-cuda

tidy: ## check that go.mod is tidy and the modules are unaltered
	go mod tidy -diff
	go mod verify

generate: ## write the assembly and the GPU code again
	@set -e; for dir in $(GENERATED); do (cd $$dir/_gen && go run . ..); done

generate-check: ## check that the assembly and the GPU code are what their generators write, and that AVX2 kernels are for AVX2
	@set -e; for dir in $(GENERATED); do \
		new=$(CURDIR)/$(BIN)/_generated/$$dir; rm -rf $$new; mkdir -p $$new; \
		(cd $$dir/_gen && go vet . && go run . $$new); \
		for file in $$new/*; do cmp $$dir/$${file##*/} $$file; done; \
	done
	@set -e; for dir in $(ASSEMBLY); do \
		awk '/^TEXT/ { fn = $$2 } /[^A-Z0-9][XY](1[6-9]|2[0-9]|3[01])|[^A-Z0-9]Z[0-9]|[^A-Z0-9]K[0-7]([^0-9]|$$)/ { print FILENAME ": " fn ": " $$0; bad = 1 } \
			END { exit bad }' $$dir/*_avx2_amd64.s; \
	done
	@echo "the assembly and the GPU code are what their generators write"

ptx-check: $(VENV)/ptxas ## have NVIDIA's assembler take the GPU code, and ASSEMBLED (2,000) random programs, for five generations of devices
	go test -run '^TestAssemble' -count 1 ./compute/internal/ptx -ptxas $(CURDIR)/$(VENV)/ptxas/nvidia/cuda_nvcc/bin/ptxas -programs $(ASSEMBLED)
	go test -run '^TestAssemble' -count 1 ./internal/ptxvm/ptxcase ./compute/devicecheck -ptxas $(CURDIR)/$(VENV)/ptxas/nvidia/cuda_nvcc/bin/ptxas

test-isa: ## run the tests of compute for AVX2 and for arm64 in an emulator (QEMU's)
	scripts/test-isa

test-windows: ## run the tests of files, locks and mappings on Windows, in Wine
	scripts/test-windows

release: ## write archives, a deb, an rpm, lists of parts and checksums to bin/release; with tstore-cuda where it can be built
	@if [ "$$(go env GOHOSTOS)/$$(go env GOHOSTARCH)" = linux/amd64 ] && $(MAKE) --no-print-directory build-cuda; then \
		go run ./bench/release $(BIN)/release $(BIN)/tstore-cuda; \
	else \
		echo "tstore-cuda is left out: it could not be built"; \
		go run ./bench/release $(BIN)/release; \
	fi

release-test: release ## run the released programs: here, for arm64 in QEMU, for Windows in Wine
	scripts/release-test $(BIN)/release

man: build ## write the manual pages to bin/man
	mkdir -p $(BIN)/man
	$(BIN)/tstore man $(BIN)/man

numpy-check: build $(VENV)/numpy ## check that NumPy reads every storage file and every export
	$(VENV)/bin/python scripts/numpy_check.py $(BIN)/tstore

testdata: $(VENV)/testdata ## make the test arrays again and compare them with the committed ones
	rm -rf $(BIN)/testdata
	$(VENV)/bin/python testdata/make.py $(BIN)/testdata
	@for file in testdata/*.npy $(BIN)/testdata/*.npy; do \
		cmp "testdata/$${file##*/}" "$(BIN)/testdata/$${file##*/}" || exit 1; done
	@echo "the committed arrays are what testdata/make.py writes"

golden: $(VENV)/golden ## make the golden cases again and compare them with the committed ones
	rm -rf $(BIN)/golden
	@set -e; for script in */testdata/golden.py compute/internal/kernel/testdata/golden.py; do \
		folder=$${script%/golden.py}; echo "$$script"; \
		$(VENV)/bin/python $$script $(BIN)/golden/$$folder; \
		diff -rq $$folder/golden $(BIN)/golden/$$folder; \
	done
	@echo "the committed golden cases are what the scripts write"

bench: build ## run the Go benchmarks and the import benchmark (BENCHSIZE 4GiB)
	go test -run '^$$' -bench . -benchtime $(BENCHTIME) ./...
	go run ./bench/import -tstore $(BIN)/tstore -size $(BENCHSIZE)

bench-peers: $(PEERS)/limit $(PEERS)/gonum $(PEERS)/venv/ready ## compare with a C program and with other libraries (PEERSIZE 1GiB, PEERFLAGS)
	go build -o $(PEERS)/peers ./bench/peers
	$(PEERS)/peers -tools $(PEERS) -python $(PEERS)/venv/bin/python -size $(PEERSIZE) $(PEERFLAGS)

memory-check: ## evaluate operands of eight times the memory that is allowed (CEILING 64 MiB)
	go test -run '^TestMemoryCeiling$$' -count 1 -v ./internal/work -long -memory-ceiling $(CEILING)

check: ## everything that continuous integration runs
	.ci/run

clean: ## remove bin
	rm -rf $(BIN)

$(PEERS)/limit: bench/peers/limit/limit.c
	mkdir -p $(PEERS)
	$(CC) -O3 -march=native -pthread -o $@ $<

# Gonum is in a module of its own, so that users of tstore don't get it.
$(PEERS)/gonum: bench/peers/gonum/main.go bench/peers/gonum/go.mod
	mkdir -p $(PEERS)
	cd bench/peers/gonum && go build -o $(CURDIR)/$@ . || echo "SKIPPED: gonum could not be built"

# The disk that fails is in a module of its own, so that users of tstore don't get go-fuse.
$(BIN)/faultdisk: $(wildcard internal/disklog/_faultdisk/*.go internal/disklog/*.go) internal/disklog/_faultdisk/go.mod
	mkdir -p $(BIN)
	cd internal/disklog/_faultdisk && go build -o $(CURDIR)/$@ . || echo "SKIPPED: faultdisk could not be built"

$(PEERS)/venv/ready: bench/peers/requirements.txt bench/peers/requirements-torch.txt bench/peers/requirements-faiss.txt
	python3 -m venv $(PEERS)/venv
	$(PEERS)/venv/bin/python -m pip install --quiet -r bench/peers/requirements.txt
	$(PEERS)/venv/bin/python -m pip install --quiet -r bench/peers/requirements-torch.txt || echo "SKIPPED: PyTorch could not be installed"
	$(PEERS)/venv/bin/python -m pip install --quiet -r bench/peers/requirements-faiss.txt || echo "SKIPPED: Faiss could not be installed"
	touch $@

$(VENV)/bin/python:
	python3 -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(VENV)/numpy: $(VENV)/bin/python
	$(VENV)/bin/python -m pip install --quiet 'numpy>=2.2'
	touch $@

$(VENV)/testdata: testdata/requirements.txt $(VENV)/bin/python
	$(VENV)/bin/python -m pip install --quiet --no-deps -r testdata/requirements.txt
	touch $@

$(VENV)/golden: dtype/testdata/requirements.txt $(VENV)/bin/python
	$(VENV)/bin/python -m pip install --quiet -r dtype/testdata/requirements.txt
	touch $@

$(VENV)/ptxas: $(VENV)/bin/python
	$(VENV)/bin/python -m pip install --quiet --no-deps --target $@ nvidia-cuda-nvcc-cu12==12.9.86

$(VENV)/cuda/nvidia/cuda_runtime/include/cuda.h: $(VENV)/bin/python
	$(VENV)/bin/python -m pip install --quiet --no-deps --upgrade --target $(VENV)/cuda nvidia-cuda-runtime-cu11==11.8.89
	touch $@

$(CUDA)/libcuda.so: $(CUDASRC)/stub.c $(CUDASRC)/symbols.h
	mkdir -p $(CUDA)
	$(CC) -shared -o $@ $<
