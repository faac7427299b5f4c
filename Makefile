# sbx: static command-line tools around an untrusted sandbox. "make help" lists what there is to make; see INSTALL.

# Knobs: make NAME=VALUE
VERSION      = 0.1.0
CFLAGS       = -Os
LDFLAGS      = -s
DESTDIR      =
PREFIX       = /usr/local
# A folder with musl's libcap.a and its include/; the default one is filled by .make/libcap.
LIBCAP       = build/libcap
# The build that check tests: build (what is installed), build/asan or build/cover.
SBX_BUILD    = build
# The test files that check runs; JOBS of them at a time.
TESTS        = $(sort $(wildcard t/*.bats)) $(UNITS:%=build/t/%)
JOBS         = 2
SANITIZE     = -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
FUZZ_SECONDS = 60
ifeq ($(origin CC),default)
CC           = gcc
endif

TOOLS = sbx-put sbx-get sbx-discard sbx-collect

WARNINGS = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wstrict-prototypes -Wmissing-prototypes \
           -Wold-style-definition -Wformat=2 -Wvla -Wundef -Wwrite-strings -Wpointer-arith -Wcast-qual -Wcast-align \
           -Wnull-dereference -Wimplicit-fallthrough -Wredundant-decls
HARDENING = -fstack-protector-strong -fstack-clash-protection -fno-plt -fno-common -ffunction-sections -fdata-sections \
            -Wl,--gc-sections,-z,relro,-z,now,-z,noexecstack

# Four builds of one source, each with its flags in build/NAME.flags: static is what is installed, asan and cover are
# programs of the system's libc for the test suite, fuzz is for fuzzers.
COMMON = -std=gnu11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DSBX_VERSION=\"$(VERSION)\" -Ilib \
         -ffile-prefix-map="$(CURDIR)"=.
FLAGS_static = $(COMMON) $(WARNINGS) $(HARDENING) -I$(LIBCAP)/include @build/toolchain $(CFLAGS) $(LDFLAGS)
FLAGS_asan   = $(COMMON) -g -O1 $(SANITIZE)
FLAGS_cover  = $(COMMON) -g -O0 --coverage
FLAGS_fuzz   = $(COMMON) -g -O1 -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all

LIB     = $(sort $(wildcard lib/*/*.c))
FRAME   = $(filter-out $(TOOLS:%=cmd/%.c),$(sort $(wildcard cmd/*.c)))
UNITS   = $(patsubst t/%.c,%,$(sort $(wildcard t/unit-*.c)))
FUZZERS = $(patsubst t/%.c,%,$(sort $(wildcard t/fuzz-*.c)))
HELPERS = $(filter-out $(UNITS) $(FUZZERS),$(patsubst t/%.c,%,$(sort $(wildcard t/*.c))))
SHARE   = $(DESTDIR)$(PREFIX)/share

MAKEFLAGS += --no-print-directory
.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all static asan cover fuzzers test-programs install uninstall dist check check-asan lint format generate \
        demo bench mutants fuzz clean help FORCE

all: static
static: $(TOOLS:%=build/%)                      ## build the tools (the default)
asan: $(TOOLS:%=build/asan/%)                   ## build them with ASan and UBSan into build/asan
fuzzers: $(FUZZERS:%=build/t/%)
test-programs: $(UNITS:%=build/t/%) $(HELPERS:%=build/t/%)

define compile
	@mkdir -p $(@D)
	$(1) @$(2) -MMD -MP -c -o $@ $<
endef
define archive
	@rm -f $@
	$(AR) rcD $@ $^
endef
define program
	@mkdir -p $(@D)
	$(1) @$(2) -MMD -MP -MF $@.d -o $@ $(filter-out %.h,$^) $(3)
endef

build/%.o:       %.c build/static.flags build/toolchain | $(LIBCAP)/libcap.a; $(call compile,$(CC),build/static.flags)
build/asan/%.o:  %.c build/asan.flags;  $(call compile,$(CC),build/asan.flags)
build/cover/%.o: %.c build/cover.flags; $(call compile,$(CC),build/cover.flags)
build/fuzz/%.o:  %.c build/fuzz.flags;  $(call compile,clang,build/fuzz.flags)

build/libsbx.a:       $(LIB:%.c=build/%.o);       $(archive)
build/asan/libsbx.a:  $(LIB:%.c=build/asan/%.o);  $(archive)
build/cover/libsbx.a: $(LIB:%.c=build/cover/%.o); $(archive)
build/fuzz/libsbx.a:  $(LIB:%.c=build/fuzz/%.o);  $(archive)

$(TOOLS:%=build/%): build/%: build/cmd/%.o $(FRAME:%.c=build/%.o) build/libsbx.a $(LIBCAP)/libcap.a
	$(CC) @build/static.flags -o $@ $^
$(TOOLS:%=build/asan/%): build/asan/%: build/asan/cmd/%.o $(FRAME:%.c=build/asan/%.o) build/asan/.make/sanitizer.o \
                                       build/asan/libsbx.a
	$(CC) @build/asan.flags -o $@ $^ -lcap
$(TOOLS:%=build/cover/%): build/cover/%: build/cover/cmd/%.o $(FRAME:%.c=build/cover/%.o) build/cover/libsbx.a
	$(CC) @build/cover.flags -o $@ $^ -lcap

# Programs of the test suite: unit tests under the sanitizers; attackers and other helpers static, so that they run in
# any container.
build/t/unit-%: t/unit-%.c build/asan/libsbx.a; $(call program,$(CC),build/asan.flags,-lcap)
build/t/fuzz-%: t/fuzz-%.c build/fuzz/libsbx.a; $(call program,clang -fsanitize=fuzzer,build/fuzz.flags,-lcap)
build/t/%: t/%.c build/libsbx.a $(LIBCAP)/libcap.a; $(call program,$(CC),build/static.flags)

# Written anew only when they change, and then all that was compiled with them is.
build/%.flags: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(FLAGS_$*)' | cmp -s - $@ || printf '%s\n' '$(FLAGS_$*)' >$@
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
	install -m 0711 $(TOOLS:%=build/%) $(DESTDIR)$(PREFIX)/bin
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
	@.make/packages build test engine
	@$(MAKE) test-programs $(TOOLS:%=$(SBX_BUILD)/%)
	@SBX_BUILD='$(abspath $(SBX_BUILD))' JOBS=$(JOBS) .make/check $(TESTS)
check-asan:                                   ## the same against the tools built with ASan and UBSan
	@.make/packages asan
	@$(MAKE) check SBX_BUILD=build/asan
cover:                                        ## the same against tools that count; report in build/cover/report.html
	@.make/packages cover
	@$(MAKE) $(TOOLS:%=build/cover/%)
	@# Made beforehand, for programs of any uid to write.
	@find build/cover -name '*.gcno' | sed 's/gcno$$/gcda/' | xargs -I{} install -m 0666 /dev/null {}
	@$(MAKE) check SBX_BUILD=build/cover; status=$$?; \
	    gcovr --print-summary --html-details build/cover/report.html build/cover && exit $$status
lint:                                         ## all linters; fails on any finding
	@.make/packages build lint
	@$(MAKE) build/static.flags build/toolchain $(LIBCAP)/libcap.a
	@CC='$(CC)' JOBS=$(JOBS) .make/lint
format:                                       ## clang-format all C in place
	find cmd lib t .make -name '*.[ch]' -exec clang-format -i {} +
generate: all                                 ## write the generated parts of man pages and completions anew
	.make/generate
demo:                                         ## the main job and the attacks on it, narrated
	@.make/packages build
	@$(MAKE) all test-programs
	@t/demo
bench:                                        ## measure against cat, python3 and docker cp
	@.make/packages build test engine
	@$(MAKE) all test-programs
	@t/bench
mutants:                                      ## undo each line that carries security: a named test must fail
	@.make/packages build test engine
	@t/mutants
fuzz:                                         ## FUZZ_SECONDS of each fuzzer
	@.make/packages fuzz
	@$(MAKE) fuzzers
	@FUZZ_SECONDS=$(FUZZ_SECONDS) .make/fuzz $(FUZZERS:%=build/t/%)
clean:                                        ## remove build/
	rm -rf build
help:                                         ## this list
	@sed -n 's/^\([a-z-]*\):.* ## */\1	/p' Makefile | expand -t 14

SOURCES = $(LIB) $(FRAME) $(TOOLS:%=cmd/%.c)
-include $(foreach folder,build build/asan build/cover build/fuzz,$(SOURCES:%.c=$(folder)/%.d))
-include $(patsubst %,build/t/%.d,$(UNITS) $(FUZZERS) $(HELPERS))
