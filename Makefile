# SPDX-License-Identifier: MIT
# `make help` says what there is. Each folder's build.mk holds its own part.

# with its own rules, make would try to link every .d file from a .o
MAKEFLAGS += --no-builtin-rules
.SUFFIXES:

# one place has the version: the public header
VERSION_HEADER := runtime/include/pimdimm/pimdimm.h
VERSION := $(shell sed -n 's/^\#define PIMDIMM_VERSION "\(.*\)"/\1/p' $(VERSION_HEADER))
SOVERSION := 0

# make has a CC of its own, which is not what ?= asks for
ifeq ($(origin CC),default)
CC := gcc
endif
PREFIX ?= /usr/local
DESTDIR ?=
# where everything that is built goes
B ?= build

# Where what is compiled for PEs goes. It is the same under sanitizers, for which PE_BUILD
# names the plain build, which has it already.
PE_BUILD ?=
PE_B := $(or $(PE_BUILD),$(B))

# not empty: for such a CPU
MACHINE := $(shell $(CC) -dumpmachine 2>/dev/null)
X86_64 := $(filter x86_64%,$(MACHINE))
AARCH64 := $(filter aarch64-% arm64-%,$(MACHINE))
# whose code programs for PEs are, where there are any
PE_MACHINE := $(if $(X86_64),x86_64,$(if $(AARCH64),aarch64))

CFLAGS ?= -O2 -g
# A compiler newer than those that this was written with warns of something else,
# and is to build it. Set by the stages of `make check`.
WARN_ERRORS ?=
WARN := -Wall -Wextra $(if $(WARN_ERRORS),-Werror) -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-Wold-style-definition -Wpointer-arith -Wwrite-strings -Wvla \
	-Wundef -Wformat=2 -Wno-format-nonliteral
# those options of a list that the compiler has: each has some of its own
cc_options = $(foreach o,$(1),$(shell $(CC) -Werror $(o) -S -x c -o /dev/null \
	/dev/null 2>/dev/null && echo $(o)))
# GCC copies and clears structures of some lines by "rep", which takes longer to begin than that
PLAIN_COPIES := -mmemcpy-strategy=vector_loop:512:noalign,libcall:-1:noalign \
	-mmemset-strategy=vector_loop:512:noalign,libcall:-1:noalign
BASE_CFLAGS := -std=gnu11 $(WARN) -fno-strict-aliasing -ffp-contract=off \
	$(call cc_options,-fstack-clash-protection $(PLAIN_COPIES)) \
	-pthread -D_GNU_SOURCE -I. -I$(B)/include \
	-MMD -MP
# `make asan` and `make tsan` set it to the sanitizers' names
SANITIZE ?=
ifneq ($(SANITIZE),)
# Fortified calls, which some compilers make unasked, are not those that sanitizers watch.
BASE_CFLAGS += -fsanitize=$(SANITIZE) -fno-sanitize-recover=all \
	-fno-omit-frame-pointer -U_FORTIFY_SOURCE
BASE_LDFLAGS += -fsanitize=$(SANITIZE)
endif
BASE_LDFLAGS += -pthread

# `make V=1` shows the commands
ifeq ($(V),)
Q := @
say = @printf '  %-8s%s\n' '$(1)' '$(2)'
endif

# Kernel headers to build the module with: the running kernel's where they are
# installed, else the newest there are.
KVER ?= $(or $(notdir $(patsubst %/build,%,$(wildcard /lib/modules/$(shell uname -r)/build))),\
	$(notdir $(patsubst %/build,%,$(lastword $(sort $(wildcard /lib/modules/*/build))))))
KDIR ?= /lib/modules/$(strip $(KVER))/build

# A recipe whose script starts make gives it a share of the jobs by a "+", or by
# naming $(MAKE); make -n runs what has either, and is to run nothing.
SHARE_JOBS = $(if $(findstring n,$(filter-out -%,$(firstword $(MAKEFLAGS)))),,+)
SUB_MAKE = $(MAKE)

.PHONY: all clean help
.SECONDEXPANSION:
all: lib tool python $(if $(X86_64),upmem,$(if $(PE_MACHINE),upmem-pe))

# The one rule that compiles C: what belongs to a part of the tree sets OBJ_CFLAGS
# for its objects, and names what else they depend on.
$(B)/%.o: %.c $(B)/include/.stamp Makefile
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(BASE_CFLAGS) $(OBJ_CFLAGS) $(CFLAGS) -c -o $@ $<

$(B)/%.o: %.S Makefile
	@mkdir -p $(@D)
	$(call say,AS,$@)
	$(Q)$(CC) $(BASE_CFLAGS) $(CFLAGS) -c -o $@ $<

include runtime/build.mk
include $(wildcard kmod/build.mk tools/build.mk tools/upmem/build.mk tools/python/build.mk \
	tests/build.mk)

.PHONY: install uninstall
install: install-lib install-tool install-python install-examples install-kmod $(if $(X86_64),install-upmem)
uninstall: uninstall-lib uninstall-tool uninstall-python uninstall-examples uninstall-kmod uninstall-upmem

clean:
	rm -rf $(B)

help:
	@echo 'make              the library, the tool, the tool chain, into $(B)/'
	@echo 'make upmem        the tool chain for UPMEM programs alone'
	@echo 'make python       the Python package alone (PYTHON=)'
	@echo 'make modules      pimdimm.ko for kernel $(strip $(KVER)) (KVER=, KDIR=)'
	@echo 'make quickstart   install what is missing, build, run the demonstration'
	@echo 'make check        install what testing needs, run every test there is'
	@echo 'make check-user   the tests that need no kernel module (T=name for one)'
	@echo 'make check-hosts  several hosts: 2,000 random calls a layout of 2 to 8, 500 killed'
	@echo 'make check-vm     the module in a virtual machine (T=name for one test)'
	@echo 'make check-kernels  the same on every kernel that Debian offers here'
	@echo 'make check-uml    the module in user-mode Linux with sanitizers; its coverage'
	@echo 'make check-arm    library, tests and PE programs for aarch64, with qemu (T=name for one)'
	@echo 'make check-storm  random calls to it there, 5 million (STORM_CALLS=)'
	@echo 'make check-x86-debug  it in qemu, with two processors, KASAN, lockdep'
	@echo 'make check-32bit  the module on a kernel of 32 bits'
	@echo 'make check-debug  check, all of check-uml and check-x86-debug, and their kernels'
	@echo 'make check-fresh  quickstart and check on bare systems (FRESH=, as root)'
	@echo 'make vm-shell, uml-shell, x86-debug-shell  a shell there, with the module loaded'
	@echo 'make bench        measures the targets of the collectives, says which are met'
	@echo 'make bench-dev    the same for what goes through the module (BENCHFLAGS= for both)'
	@echo 'make bench-apps   applications at full size, 20 GiB, 15 minutes each (BENCHFLAGS=names)'
	@echo 'make bench-hosts  measures the targets of several processes, says which are met'
	@echo 'make asan, tsan   the user tests under the sanitizers'
	@echo 'make install      all of it, headers, man pages (DESTDIR=, PREFIX=)'
	@echo 'make install-modules  pimdimm.ko, where modprobe finds it (as root)'
	@echo 'make install-dkms  its sources, which dkms builds for every kernel (as root)'
	@echo 'make uninstall    take them away again'
	@echo 'make dist, deb    the sources of the last commit; Debian packages of them'
	@echo 'make clean        remove $(B)/'

# No half-written file may pass for a finished one.
.DELETE_ON_ERROR:
