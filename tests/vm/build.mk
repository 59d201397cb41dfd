# SPDX-License-Identifier: MIT
# The virtual machine that loads the module, see `run`.

# cases of the conformance test, of each layout: with those of the PE-assisted
# algorithms, which come on top, some 1,150
VM_CASES ?= 600

# A directory of build-kernel's, with KVER, KDIR and KMOD_FLAGS to match; else
# Debian's kernel KVER is fetched.
VM_KERNEL ?=
VM_INITRAMFS := $(B)/tests/vm/initramfs$(addprefix -,$(notdir $(VM_KERNEL))).cpio
VM_EXIT := $(B)/tests/vm/vmexit
# unit tests that take the URI of a system, or are told to use the module's ranks
VM_STRICT := $(B)/tests/unit/runtime/strict
VM_INJECT := $(B)/tests/unit/runtime/inject
VM_TYPED := $(addprefix $(B)/tests/unit/collectives/,typed_transfers typed_collectives \
	messages_random messages)
VM_SHELL_TESTS := tests/vm/tool.sh tests/vm/abi.sh tests/vm/programs.sh \
	tests/vm/examples.sh \
	tests/vm/graph \
	tests/tool/lib.sh kmod/doc/abi/sysfs-class-pimdimm
VM_SCRIPTS := $(addprefix tests/vm/,init initramfs fetch-kernel extract-vmlinux)
# prints the kernel's directory
VM_FETCH = $(if $(VM_KERNEL),echo $(VM_KERNEL),tests/vm/fetch-kernel $(KVER))
# the longest first
VM_JOBS ?= conformance:linear:$(VM_CASES) conformance:xeon_sp:$(VM_CASES) \
	kernel:linear kernel:xeon_sp module kernel:linear:moving inject upmem user:xeon_sp \
	strict:linear:100 typed messages hosts:linear:20 tool harness

# T= names a job (its first word or all), else a kernel selftest, or one test
# of it: T=conformance, T=kernel:linear, T=xfer, T=xfer:borders.
VM_FOUND := $(strip $(foreach job,$(VM_JOBS),\
	$(if $(filter $(T),$(job) $(firstword $(subst :, ,$(job)))),$(job))))
VM_CHOSEN = $(or $(if $(T),,$(VM_JOBS)),$(VM_FOUND),\
	$(filter module:% failnth_module failnth_module:%,$(T)),\
	kernel:linear:$(T) kernel:xeon_sp:$(T))

$(VM_EXIT): tests/vm/vmexit.c tests/vm/build.mk
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(BASE_CFLAGS) $(CFLAGS) $(BASE_LDFLAGS) $(LDFLAGS) -static \
		-o $@ $<

# programs written for UPMEM hardware, for as many DPUs as the job has
VM_PROGRAMS := va gemv hst pidcomm
VM_PROGRAM_DIRS := $(VM_PROGRAMS:%=$(B)/tests/vm/upmem/%)

$(VM_PROGRAM_DIRS): $(B)/tests/vm/upmem/%: $(wildcard tests/upmem/programs/*/*) \
		tests/vm/build.mk | lib upmem
	$(call say,UPMEM,$@)
	$(Q)rm -rf $@ && mkdir -p $(@D) && cp -r tests/upmem/programs/$* $@
	$(Q). tests/upmem/lib.sh && \
		make -s -C $@ NR_TASKLETS=11 NR_DPUS=128 && touch $@

# of the examples those whose ranks may be the module's
VM_EXAMPLES := $(addprefix $(B)/tests/vm/examples/,sum histogram gemv halo sharing \
	ownership mux)
$(VM_EXAMPLES): $(B)/tests/vm/examples/%: tools/examples/%.c $(LIBA) tests/vm/build.mk
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(BASE_CFLAGS) $(CFLAGS) $(BASE_LDFLAGS) $(LDFLAGS) \
		-o $@ $< $(LIBA) $(LIB_LIBS)

VM_FILES := $(addprefix libexec/pimdimm=,$(KERNEL_TESTS) $(KERNEL_TEST_LIST)) \
	$(addprefix bin=,$(VM_EXIT)) $(addprefix vm=,$(VM_SHELL_TESTS))
# what uses the library, which a kernel of 32 bits has no use for
ifeq ($(VM_32BIT),)
VM_USERS := $(TOOL) $(CONFORMANCE) $(VM_STRICT) $(VM_INJECT) $(VM_TYPED) $(VM_EXAMPLES) \
	$(VM_PROGRAM_DIRS)
VM_FILES += $(addprefix bin=,$(TOOL) $(CONFORMANCE) $(VM_STRICT) $(VM_INJECT) $(VM_TYPED)) \
	$(addprefix examples=,$(VM_EXAMPLES)) \
	$(addprefix lib=,$(B)/upmem/lib/libdpu.so $(B)/libpimdimm.so.0)
endif

$(VM_INITRAMFS): $(KMOD_KO) $(KERNEL_TESTS) $(KERNEL_TEST_LIST) $(VM_EXIT) \
		$(VM_USERS) $(VM_SHELL_TESTS) $(VM_SCRIPTS) tests/vm/build.mk
	$(call say,CPIO,$@)
	$(Q)kernel=$$($(VM_FETCH)) && \
	tests/vm/initramfs $@ $(KVER) "$$kernel" $(KMOD_DIR)/*.ko $(VM_FILES) \
		$$(cd $(B)/tests/vm && for file in upmem/*/bin/*; do \
			[ ! -e "$$file" ] || \
			echo "$${file%/*}=$(abspath $(B))/tests/vm/$$file"; done)

# The module's speed, natively, under user-mode Linux. Its kernel is built once.
.PHONY: bench-dev
bench-dev: $(TOOL)
	$(SHARE_JOBS)@uml=$$(tests/vm/build-kernel uml) && \
	release=$$(cat "$$uml/release") && \
	$(SUB_MAKE) --no-print-directory KVER="$$release" KDIR="$$uml/build" \
		KMOD_FLAGS=ARCH=um modules && \
	for layout in linear xeon_sp; do \
		tests/vm/uml --kernel "$$uml" \
			--module "$(B)/kmod-$$release/pimdimm.ko" \
			--params "ranks=2 layout=$$layout" \
			$(TOOL) perf --suite dev $(BENCHFLAGS) || exit; \
	done

.PHONY: check-vm vm-shell
check-vm: $(VM_INITRAMFS)
	@kernel=$$($(VM_FETCH)) && \
	accel=$$(tests/vm/accel "$$kernel" $(VM_INITRAMFS)) && \
	prove --timer $(if $(T),-v) -j $(JOBS) --exec "tests/vm/run --accel $$accel \
		$(VM_FLAGS) --kernel $$kernel --initramfs $(VM_INITRAMFS)" \
		$(VM_CHOSEN)

# Each kernel that Debian offers here; a quarter of an hour or more.
.PHONY: check-kernels
check-kernels:
	$(SHARE_JOBS)B=$(B) MAKE='$(SUB_MAKE)' tests/vm/check-kernels $(FLAVOURS)

# A stage of make check: what differs most between kernels, on the newest one that
# a stable Debian offers besides its first.
VM_NEWER ?= 6.12-amd64
VM_NEWER_JOBS ?= kernel:linear:moving kernel:linear:dmabuf kernel:linear:map \
	module:unload_below_a_fault_in_the_host_view module:nodes_can_be_opened_when_told
.PHONY: check-vm-newer
check-vm-newer:
	$(SHARE_JOBS)@B=$(B) MAKE='$(SUB_MAKE)' KERNEL_JOBS='$(VM_NEWER_JOBS)' \
		tests/vm/check-kernels $(VM_NEWER)

vm-shell: $(VM_INITRAMFS)
	@kernel=$$($(VM_FETCH)) && \
	accel=$$(tests/vm/accel "$$kernel" $(VM_INITRAMFS)) && \
	tests/vm/run --interactive --accel $$accel $(VM_FLAGS) \
		--kernel "$$kernel" --initramfs $(VM_INITRAMFS) shell:linear

# User-mode Linux with sanitizers, of build-kernel's flavours.
UML_JOBS ?= kernel:linear kernel:xeon_sp module failnth_module kunit \
	conformance:linear:100 conformance:xeon_sp:100 inject user:xeon_sp \
	strict:linear:20 tool harness
# of them as a stage of make check, which builds no kernel, see tests/stage
UML_STAGE_JOBS ?= kernel:linear module kunit
COVERAGE := $(B)/tests/vm/coverage
# percent of the module's lines that its tests are to run, one alone excepted
COVERAGE_GOAL ?= $(if $(T),0,90)

# make, with the kernel that is in $$dir
OWN_KERNEL_MAKE = $(MAKE) VM_KERNEL=$$dir KVER=$$(cat $$dir/release) \
	KDIR=$$dir/build
UML_MAKE = $(OWN_KERNEL_MAKE) KMOD_FLAGS='ARCH=um GCOV_PROFILE=y'

.PHONY: check-uml check-storm uml-shell
check-uml:
	$(SHARE_JOBS)@dir=$$(tests/vm/build-kernel $(if $(STAGE_SKIP),--cached) uml-debug) || { \
		status=$$?; test $$status = 3 || exit $$status; \
		echo 'no kernel for it in the cache: make check-uml builds one' \
			>'$(STAGE_SKIP)'; exit 0; }; \
	rm -rf $(COVERAGE) && \
	$(UML_MAKE) check-vm \
		VM_JOBS='$(if $(STAGE_SKIP),$(UML_STAGE_JOBS),$(UML_JOBS))' \
		VM_FLAGS='--coverage $(COVERAGE) --timeout 1800'; status=$$?; \
	tests/vm/coverage $(B)/kmod-$$(cat $$dir/release) $(COVERAGE) \
		$(COVERAGE_GOAL) && \
		exit $$status

# A long storm of random calls, on as many machines as there are processors:
# user-mode Linux uses one.
STORM_CALLS ?= 5000000
STORM_SEED ?= 1
STORM_JOBS = $(shell n=$(JOBS); for i in $$(seq $$n); do \
	echo "storm:$$((($(STORM_CALLS) + n - 1) / n)):$$(($(STORM_SEED) + i - 1))"; \
	done)
check-storm:
	$(SHARE_JOBS)@dir=$$(tests/vm/build-kernel uml-debug) && \
	$(UML_MAKE) check-vm T=storm VM_JOBS='$(STORM_JOBS)' \
		VM_FLAGS='--timeout 15000'

uml-shell:
	$(SHARE_JOBS)@dir=$$(tests/vm/build-kernel uml-debug) && \
	$(UML_MAKE) vm-shell

# The kernel for qemu that checks itself: what user-mode Linux lacks is several
# processors, preemption, DMA, huge pages, NUMA. Emulated, with KASAN and lockdep,
# each call takes some twenty times as long.
X86_DEBUG_JOBS ?= kernel:linear kernel:linear:moving module failnth_module storm:20000 kunit harness
X86_DEBUG_FLAGS := --machine pc --memory 1536 --slow 8
# of build-kernel's
X86_DEBUG_FLAVOURS ?= x86-debug x86-debug-6.12

.PHONY: check-x86-debug x86-debug-shell
check-x86-debug:
	$(SHARE_JOBS)@for flavour in $(X86_DEBUG_FLAVOURS); do \
		dir=$$(tests/vm/build-kernel $$flavour) && \
		$(OWN_KERNEL_MAKE) check-vm VM_JOBS='$(X86_DEBUG_JOBS)' \
			VM_FLAGS='$(X86_DEBUG_FLAGS)' || exit; \
	done

x86-debug-shell:
	$(SHARE_JOBS)@dir=$$(tests/vm/build-kernel $(firstword $(X86_DEBUG_FLAVOURS))) && \
	$(OWN_KERNEL_MAKE) vm-shell VM_FLAGS='$(X86_DEBUG_FLAGS)'

# A kernel of 32 bits in qemu, where words, offsets and pointers are not of one size:
# the module and its selftests, without those of DRM, whose library is not there, and
# the storm, which takes more address space than there is.
VM_32BIT_JOBS ?= kernel:linear kernel:xeon_sp module failnth_module kunit
# a number is as wide as the widest pointer, and what it is printed as wider
VM_32BIT_CFLAGS := -O2 -D_FILE_OFFSET_BITS=64 -Wno-pointer-to-int-cast \
	-Wno-int-to-pointer-cast -Wno-sign-compare
.PHONY: check-32bit
check-32bit:
	$(SHARE_JOBS)@dir=$$(tests/vm/build-kernel x86-32) && \
	busybox=$$(tests/vm/fetch-busybox32) && \
	BUSYBOX=$$busybox $(OWN_KERNEL_MAKE) B=$(B)/32bit VM_32BIT=1 \
		CC=i686-linux-gnu-gcc CFLAGS='$(VM_32BIT_CFLAGS)' \
		KMOD_FLAGS='ARCH=i386 CROSS_COMPILE=i686-linux-gnu-' \
		KERNEL_TEST_NAMES='$(filter-out dmabuf_drm storm,$(KERNEL_TEST_NAMES))' \
		VM_JOBS='$(VM_32BIT_JOBS)' \
		VM_FLAGS='--machine pc --memory 1024 --slow 2' check-vm
