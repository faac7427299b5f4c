# sbx: static command-line tools around an untrusted sandbox. "make help" lists what there is to make; see INSTALL.

# Knobs: make NAME=VALUE
VERSION      = 0.1.0
CFLAGS       = -Os
LDFLAGS      = -s
DESTDIR      =
PREFIX       = /usr/local
# A folder with musl's libcap.a and its include/; the default one is filled by .make/libcap.
LIBCAP       = build/libcap
# Which build: build is what is installed, static programs of musl. The others are programs of the system's libc:
# build/asan runs under ASan and UBSan, build/cover counts what it runs, build/fuzz is for fuzzers.
SBX_BUILD    = build
SANITIZE     = -fsanitize=address,undefined -fno-sanitize-recover=all
# The test files that check runs, JOBS of them at a time.
TESTS        = $(sort $(wildcard t/*.bats)) $(UNITS:%=$(UNIT_BUILD)/%)
JOBS         = 2
FUZZ_SECONDS = 60
ifeq ($(origin CC),default)
CC           = gcc
endif

TOOLS = sbx-put sbx-get sbx-discard sbx-collect sbx-jail

WARNINGS  = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wstrict-prototypes -Wmissing-prototypes \
            -Wold-style-definition -Wformat=2 -Wvla -Wundef -Wwrite-strings -Wpointer-arith -Wcast-qual -Wcast-align \
            -Wnull-dereference -Wimplicit-fallthrough -Wredundant-decls
HARDENING = -fstack-protector-strong -fstack-clash-protection -Wl,-z,relro,-z,now,-z,noexecstack
SMALL     = -ffunction-sections -fdata-sections -Wl,--gc-sections -fno-asynchronous-unwind-tables
COMMON    = -std=gnu11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DSBX_VERSION=\"$(VERSION)\" -Ilib

# What the build in hand is compiled with, by the last part of its folder's name.
B            = $(SBX_BUILD)
KIND         = $(notdir $(B))
FLAGS_build  = $(COMMON) $(WARNINGS) $(HARDENING) $(SMALL) -ffile-prefix-map="$(CURDIR)"=. -I$(LIBCAP)/include \
               @build/toolchain $(CFLAGS) $(LDFLAGS)
FLAGS_asan   = $(COMMON) -g -O1 -fno-omit-frame-pointer $(SANITIZE)
FLAGS_cover  = $(COMMON) -g -O0 --coverage -Wl,--wrap=_exit
FLAGS_fuzz   = $(COMMON) -g -O1 -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all
NEEDS_build  = build/toolchain $(LIBCAP)/libcap.a
COMPILE      = $(if $(filter fuzz,$(KIND)),clang,$(CC)) @$B/flags
LIBRARIES    = $(if $(filter build,$(KIND)),$(LIBCAP)/libcap.a,-lcap)
UNIT_BUILD   = $(if $(filter cover,$(KIND)),build/cover,build/asan)

LIB     = $(sort $(wildcard lib/*/*.c)) $(if $(filter cover,$(KIND)),.make/cover.c)
FRAME   = $(filter-out $(TOOLS:%=cmd/%.c),$(sort $(wildcard cmd/*.c))) $(if $(filter asan,$(KIND)),.make/asan.c)
UNITS   = $(patsubst %.c,%,$(sort $(wildcard t/unit-*.c)))
FUZZERS = $(patsubst %.c,%,$(sort $(wildcard t/fuzz-*.c)))
HELPERS = $(filter-out $(UNITS) $(FUZZERS),$(patsubst %.c,%,$(sort $(wildcard t/*.c))))
SHARE   = $(DESTDIR)$(PREFIX)/share

MAKEFLAGS += --no-print-directory
.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all units fuzzers helpers install uninstall dist check asan check-asan cover lint format generate demo bench \
        mutants fuzz clean help FORCE

all: $(TOOLS:%=$B/%)                          ## build the tools (the default)
# Programs of the test suite. Attackers and other helpers are static, so that they run in any container.
units: $(UNITS:%=$B/%)
fuzzers: $(FUZZERS:%=$B/%)
helpers: $(HELPERS:%=$B/%)

$B/objects/%.o: %.c $B/flags $(NEEDS_$(KIND))
	@mkdir -p $(@D)
	$(COMPILE) -MMD -MP -c -o $@ $<
$B/libsbx.a: $(LIB:%.c=$B/objects/%.o)
	@rm -f $@
	$(AR) rcD $@ $^
$(TOOLS:%=$B/%): $B/%: $B/objects/cmd/%.o $(FRAME:%.c=$B/objects/%.o) $B/libsbx.a
	$(COMPILE) -o $@ $^ $(LIBRARIES)
$(UNITS:%=$B/%) $(HELPERS:%=$B/%): $B/%: $B/objects/%.o $B/libsbx.a
	@mkdir -p $(@D)
	$(COMPILE) -o $@ $^ $(LIBRARIES)
$(FUZZERS:%=$B/%): $B/%: $B/objects/%.o $B/libsbx.a
	@mkdir -p $(@D)
	$(COMPILE) -fsanitize=fuzzer -o $@ $^ $(LIBRARIES)
-include $(patsubst %.c,$B/objects/%.d,$(LIB) $(wildcard cmd/*.c t/*.c))

# Written anew only when they change, and then all that was compiled with them is.
$B/flags: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(FLAGS_$(KIND))' | cmp -s - $@ || printf '%s\n' '$(FLAGS_$(KIND))' >$@
build/toolchain: .make/toolchain
	@.make/packages --check build
	@CC='$(CC)' .make/toolchain build >$@
build/libcap/libcap.a: .make/libcap
	@.make/packages --check build
	@CC='$(CC)' .make/libcap build/libcap

# 0711: what its user may execute but not read, the user's other processes cannot reach into by /proc.
install: all                                  ## install tools, man pages and completions into DESTDIR and PREFIX
	install -d $(DESTDIR)$(PREFIX)/bin $(SHARE)/man/man1 $(SHARE)/bash-completion/completions \
	    $(SHARE)/zsh/site-functions $(SHARE)/fish/vendor_completions.d
	install -m 0711 $(TOOLS:%=$B/%) $(DESTDIR)$(PREFIX)/bin
	install -m 0644 $(TOOLS:%=cmd/%.1) $(SHARE)/man/man1
	install -m 0644 $(TOOLS:%=completions/bash/%) $(SHARE)/bash-completion/completions
	install -m 0644 $(TOOLS:%=completions/zsh/_%) $(SHARE)/zsh/site-functions
	install -m 0644 $(TOOLS:%=completions/fish/%.fish) $(SHARE)/fish/vendor_completions.d
uninstall:                                    ## remove what install installed
	rm -f $(TOOLS:%=$(DESTDIR)$(PREFIX)/bin/%) $(TOOLS:%=$(SHARE)/man/man1/%.1) \
	    $(TOOLS:%=$(SHARE)/bash-completion/completions/%) $(TOOLS:%=$(SHARE)/zsh/site-functions/_%) \
	    $(TOOLS:%=$(SHARE)/fish/vendor_completions.d/%.fish)
dist:                                         ## the committed source as build/sbx-VERSION.tar.gz, and SHA256SUMS
	@mkdir -p build
	git archive --prefix=sbx-$(VERSION)/ -o build/sbx-$(VERSION).tar.gz HEAD
	cd build && sha256sum sbx-$(VERSION).tar.gz >SHA256SUMS

# From here on each target first sees to the packages that it needs, and installs them where it may.
check:                                        ## build and run the test suite (TESTS, JOBS, SBX_BUILD)
	@.make/packages build test engine asan
	@$(MAKE) helpers SBX_BUILD=build
	@$(MAKE) units SBX_BUILD=$(UNIT_BUILD)
	@$(MAKE) all helpers
	@SBX_BUILD='$(abspath $B)' JOBS=$(JOBS) .make/check $(TESTS)
asan:                                         ## build the tools with ASan and UBSan into build/asan
	@.make/packages build asan
	@$(MAKE) all SBX_BUILD=build/asan
check-asan:                                   ## run the test suite against them
	@$(MAKE) check SBX_BUILD=build/asan
cover:                                        ## run the test suite and count; see build/cover/report.html
	@.make/packages build cover
	@$(MAKE) all SBX_BUILD=build/cover
	@MAKE='$(MAKE)' .make/cover
lint:                                         ## all linters; fails on any finding
	@.make/packages build lint
	@$(MAKE) build/flags $(NEEDS_build)
	@CC='$(CC)' JOBS=$(JOBS) .make/lint
format:                                       ## clang-format all C in place
	find cmd lib t .make -name '*.[ch]' -exec clang-format -i {} +
generate: all                                 ## write the generated parts of man pages and completions anew
	.make/generate
demo:                                         ## the main job and the attacks on it, narrated
	@.make/packages build demo
	@$(MAKE) all helpers
	@t/demo
bench:                                        ## measure against cat, python3 and docker cp
	@.make/packages build bench engine
	@$(MAKE) all helpers
	@t/bench
mutants:                                      ## undo each line that carries security: a named test must fail
	@.make/packages build test engine asan
	@$(MAKE) all helpers units SBX_BUILD=build
	@JOBS=$(JOBS) t/mutants
fuzz:                                         ## FUZZ_SECONDS of each fuzzer
	@.make/packages build fuzz
	@$(MAKE) fuzzers SBX_BUILD=build/fuzz
	@FUZZ_SECONDS=$(FUZZ_SECONDS) JOBS=$(JOBS) .make/fuzz $(FUZZERS:%=build/fuzz/%)
clean:                                        ## remove build/
	rm -rf build
help:                                         ## this list
	@sed -n 's/^\([a-z-]*\):.* ## */\1	/p' Makefile | expand -t 14
