# The short way in; everything else is CMake (CMakePresets.json). Each target installs the Debian packages
# it needs when they are missing, and works without network once they are there.
#
#   make run                          explain a sentence, write headwater-report.html
#   make run MODEL=dir TEXT="…"       with your own model folder and text
#   make test                         build and run every test

MODEL ?= sentiment
TEXT ?= The plot is thin, but the actors are so good that you will not mind at all.
METHOD ?=
OUTPUT ?= headwater-report.html
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
# Two tests more than processors: some of them wait.
TEST_JOBS ?= $(shell expr $(JOBS) + 2)
FUZZ_SECONDS ?= 600

BUILD := build/release
PROGRAM := $(BUILD)/headwater
SOURCES = $(shell git ls-files '*.cpp' '*.h')
# Which compile flags a directory was configured with, so that `run` does not undo what `test` turned on.
tests_on = grep -qs '^HEADWATER_TESTS:BOOL=ON' $(BUILD)/CMakeCache.txt
# A build folder that was moved or copied here names the folder it was made in and would write there: it is made anew.
own = test ! -e $(1)/CMakeCache.txt \
	|| test "$$(sed -n 's/^CMAKE_CACHEFILE_DIR:INTERNAL=//p' $(1)/CMakeCache.txt)" -ef $(1) \
	|| { echo '$(1) was made in another folder: it is made anew'; rm -rf $(1); }
# Progress for a person, silence for a log.
ninja_quiet = $(if $(MAKE_TERMOUT),, -- --quiet)
quiet = >build/$(1).log 2>&1 || { cat build/$(1).log; exit 1; }

.DEFAULT_GOAL := help
.PHONY: help run test build bench docs format format-check tidy asan tsan fuzz install clean setup

help:
	@echo 'make run       build, explain a sentence (MODEL=dir TEXT="…"), write $(OUTPUT)'
	@echo 'make test      build and run every test'
	@echo 'make docs      write docs/methods.md from the methods records'
	@echo 'make bench     build and run the benchmarks'
	@echo 'make asan      tests under the address and undefined-behaviour sanitizers'
	@echo 'make tsan      tests under the thread sanitizer'
	@echo 'make fuzz      run each fuzz target for FUZZ_SECONDS=$(FUZZ_SECONDS)'
	@echo 'make format    format every source        make format-check   only look'
	@echo 'make tidy      clang-tidy over every source'
	@echo 'make install   install to PREFIX=$(PREFIX)'
	@echo 'make clean     remove build/'

setup:
	@tools/install-packages run test bench dev

build:
	@tools/install-packages run
	@mkdir -p build
	@$(call own,$(BUILD))
	@test -e $(PROGRAM) || echo 'building headwater; the first time takes some minutes'
	@test -e $(BUILD)/build.ninja || cmake --preset release $(call quiet,configure)
	@cmake --build $(BUILD) -j $(JOBS) --target headwater_cli$(ninja_quiet)

run: build
	@$(PROGRAM) explain -m '$(MODEL)' $(if $(METHOD),--method '$(METHOD)') --also '$(OUTPUT)' -- "$$TEXT"
	@echo 'open $(OUTPUT), or the page with every view and your own texts: $(PROGRAM) serve --open'
run: export TEXT := $(TEXT)

test:
	@tools/install-packages run test
	@mkdir -p build
	@$(call own,$(BUILD))
	@$(tests_on) || cmake --preset release -DHEADWATER_TESTS=ON $(call quiet,configure)
	@cmake --build $(BUILD) -j $(JOBS)$(ninja_quiet)
	@ctest --test-dir $(BUILD) -j $(TEST_JOBS) --output-on-failure --progress --no-tests=error

bench:
	@tools/install-packages run bench
	@mkdir -p build
	@$(call own,build/bench)
	@cmake --preset bench $(call quiet,configure-bench)
	@cmake --build build/bench -j $(JOBS)$(ninja_quiet)
	@build/bench/bench/kernels_bench
	@echo "beside PyTorch: python bench/peers/forward_torch.py build/bench/bench/forward_bench"

docs: build
	@$(PROGRAM) methods --format markdown -q -o docs/methods.md

asan tsan:
	@tools/install-packages run test dev
	@mkdir -p build
	@$(call own,build/$@)
	@test -e build/$@/build.ninja || cmake --preset $@ $(call quiet,configure-$@)
	@cmake --build build/$@ -j $(JOBS)$(ninja_quiet)
	@ctest --preset $@ -j $(JOBS)

fuzz:
	@tools/install-packages run test dev
	@mkdir -p build
	@$(call own,build/fuzz)
	@cmake --preset fuzz $(call quiet,configure-fuzz)
	@cmake --build build/fuzz -j $(JOBS)$(ninja_quiet)
	@tools/fuzz build/fuzz $(FUZZ_SECONDS) $(JOBS)

format:
	@tools/install-packages dev
	@clang-format-14 -i $(SOURCES)

format-check:
	@tools/install-packages dev
	@clang-format-14 --dry-run -Werror $(SOURCES)

tidy:
	@tools/install-packages run test dev
	@mkdir -p build
	@$(call own,build/tidy)
	@cmake --preset tidy $(call quiet,configure-tidy)
	@tools/tidy build/tidy $(JOBS) $(filter %.cpp,$(SOURCES))

install: build
	@cmake --build $(BUILD) -j $(JOBS) --target headwater_installed$(ninja_quiet)
	@cmake --install $(BUILD) --prefix '$(PREFIX)' $(call quiet,install)
	@echo "installed to $(PREFIX)"

clean:
	@rm -rf build headwater-report.html
