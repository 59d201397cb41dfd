# SPDX-License-Identifier: MIT
# All tests. check-user runs those that need no kernel module, check every one.

CONFORMANCE := $(B)/tests/conformance/conformance
CONFORMANCE_OBJS := $(patsubst %.c,$(B)/%.o,$(wildcard tests/conformance/*.c))
# the naive model and its helpers, which unit tests use too
MODEL_OBJS := $(filter-out %/conformance.o,$(CONFORMANCE_OBJS))

UNIT_HELPERS := tests/unit/failing.c tests/unit/allocations.c tests/unit/vbmi.c
UNIT_SRCS := $(wildcard $(foreach d,runtime pe collectives tools kmod,tests/unit/$(d)/*.c))
UNIT_TESTS := $(UNIT_SRCS:%.c=$(B)/%)

$(CONFORMANCE): $(CONFORMANCE_OBJS) $(LIBA)
	$(call say,LD,$@)
	$(Q)$(CC) $(BASE_LDFLAGS) $(LDFLAGS) -o $@ $^ $(LIB_LIBS)

UNIT_OBJS := $(UNIT_SRCS:%.c=$(B)/%.o) $(UNIT_HELPERS:%.c=$(B)/%.o)
$(UNIT_OBJS): OBJ_CFLAGS = $$(pkg-config --cflags cmocka)
$(UNIT_OBJS) $(CONFORMANCE_OBJS): tests/build.mk

$(UNIT_TESTS): %: %.o $(MODEL_OBJS) $(LIBA)
	$(call say,LD,$@)
	$(Q)$(CC) $(BASE_LDFLAGS) $(LDFLAGS) $(UNIT_LDFLAGS) -o $@ \
		$(filter %.o,$^) $(filter %.a,$^) $$(pkg-config --libs cmocka) $(UNIT_LIBS) $(LIB_LIBS)

# Programs for PEs that the tests of their execution run: on the services alone,
# by the tool chain's memory map.
# divisions that this processor refuses, where it refuses any
PE_UNIT_SRCS := $(filter-out $(if $(X86_64),,%/divide.c),$(wildcard tests/unit/pe/programs/*.c))
PE_UNIT_PROGRAMS := $(PE_UNIT_SRCS:%.c=$(PE_B)/%.elf) \
	$(foreach v,2 3 4,$(PE_B)/tests/unit/pe/programs/dwarf$(v).elf \
		$(PE_B)/tests/unit/pe/programs/frames$(v).elf)
PE_CLANG ?= clang
PE_UNIT_CFLAGS := -std=gnu11 -O2 -g $(WARN) -ffreestanding -fno-pic \
	-fno-stack-protector $(if $(X86_64),-fcf-protection=none,-mno-outline-atomics -fsigned-char \
		-mbranch-protection=none -fsanitize=integer-divide-by-zero -fsanitize-trap=integer-divide-by-zero) \
	-fno-optimize-sibling-calls -fno-asynchronous-unwind-tables -fforce-dwarf-frame -I.
PE_UNIT_LDFLAGS := -static -nostdlib -fuse-ld=lld -Wl,--build-id=none \
	-Wl,-T,tools/upmem/pe/pe.lds \
	$(foreach t,0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 \
		23,-Wl,--defsym=STACK_SIZE_TASKLET_$(t)=512)
$(PE_B)/tests/unit/pe/programs/%.elf: tests/unit/pe/programs/%.c tests/unit/pe/programs/pe.h \
		$(wildcard runtime/pe/shared/*.h) tools/upmem/pe/pe.lds tests/build.mk
	@mkdir -p $(@D)
	$(call say,PECC,$@)
	$(Q)$(PE_CLANG) $(PE_UNIT_CFLAGS) $(PE_UNIT_LDFLAGS) -o $@ $<
# with debug information of the versions that older compilers write
define old_dwarf
$(PE_B)/tests/unit/pe/programs/$(1)$(3).elf: tests/unit/pe/programs/$(2).c \
		tests/unit/pe/programs/pe.h $$(wildcard runtime/pe/shared/*.h) \
		tools/upmem/pe/pe.lds tests/build.mk
	@mkdir -p $$(@D)
	$$(call say,PECC,$$@)
	$$(Q)$$(PE_CLANG) $$(PE_UNIT_CFLAGS) $$(PE_UNIT_LDFLAGS) -gdwarf-$(3) -o $$@ $$<
endef
$(foreach v,2 3 4,$(eval $(call old_dwarf,dwarf,loaded,$(v)))$(eval $(call old_dwarf,frames,frames,$(v))))
PE_UNIT_TESTS := $(filter $(B)/tests/unit/pe/% %/nomem,$(UNIT_TESTS))
$(PE_UNIT_TESTS): $(PE_UNIT_PROGRAMS)
$(PE_UNIT_TESTS:%=%.o): BASE_CFLAGS += \
	-DPE_PROGRAMS='"$(abspath $(PE_B))/tests/unit/pe/programs"'

comma := ,
WRAPPED := malloc calloc realloc reallocarray aligned_alloc strdup strndup free mmap munmap \
	memfd_create open fallocate ftruncate syscall close pthread_create pthread_join
NOMEM_TESTS := $(addprefix $(B)/tests/unit/,runtime/nomem collectives/typed_nomem \
	collectives/pair_nomem collectives/hosts_nomem collectives/message_nomem)
$(NOMEM_TESTS): UNIT_LDFLAGS := $(WRAPPED:%=-Wl$(comma)--wrap=%)
$(NOMEM_TESTS): $(B)/tests/unit/failing.o
$(B)/tests/unit/collectives/hosts: UNIT_LDFLAGS := $(WRAPPED:%=-Wl$(comma)--wrap=%)
$(B)/tests/unit/collectives/hosts: $(B)/tests/unit/failing.o
ifeq ($(SANITIZE),thread)
HOSTS_AS_THREADS := $(addprefix $(B)/tests/unit/collectives/,hosts_buffers hosts_cubes)
$(HOSTS_AS_THREADS): UNIT_LDFLAGS := -Wl,--wrap=mmap -Wl,--wrap=munmap
$(HOSTS_AS_THREADS): $(B)/tests/unit/one_mapping.o
endif
KILLING := pc_hosts_doing pd_eg_get pd_pair_get pd_eg_put pc_item_fold_rows pc_item_spread_rows \
	pc_item_exchange pc_item_store_exchanged
$(B)/tests/unit/collectives/hosts_phases: UNIT_LDFLAGS := $(KILLING:%=-Wl$(comma)--wrap=%)
COUNTED := syscall fstat lseek fallocate sched_yield
$(B)/tests/unit/pe/pe_calls: UNIT_LDFLAGS := $(COUNTED:%=-Wl$(comma)--wrap=%)
$(B)/tests/unit/collectives/across_flight: UNIT_LDFLAGS := -Wl,--wrap=usleep
$(B)/tests/unit/pe/pe_run: UNIT_LDFLAGS := -Wl,--wrap=sysconf
$(B)/tests/unit/runtime/spmd: UNIT_LDFLAGS := -Wl,--wrap=mprotect
$(B)/tests/unit/runtime/quota: UNIT_LDFLAGS := -Wl,--wrap=sched_getaffinity
$(B)/tests/unit/runtime/placement: UNIT_LDFLAGS := -Wl,--wrap=hwloc_topology_load
$(B)/tests/unit/tools/verifier: $(addprefix $(B)/tools/,tool.o perf/case.o perf/check.o hosts/team.o hosts/launched.o \
	perf/fold.o perf/inputs.o perf/rig.o perf/runners/library.o)
$(B)/tests/unit/tools/perf_times: $(addprefix $(B)/tools/,tool.o perf/case.o perf/check.o \
	perf/fold.o perf/inputs.o perf/measure.o perf/rig.o hosts/team.o hosts/launched.o)
$(addprefix $(B)/tests/unit/tools/,verifier perf_times): UNIT_LIBS = $(TOOL_LIBS)
# applications as a whole; their programs run on x86-64 alone
APP_TESTS := $(addprefix $(B)/tests/unit/tools/,graph_apps app_faults app_interrupts app_memory loaders progress random_apps)
$(APP_TESTS): $(filter $(B)/tools/apps/%,$(TOOL_OBJS)) \
	$(addprefix $(B)/tools/,tool.o options.o nearest.o csv.o)
$(APP_TESTS): UNIT_LIBS = $(TOOL_LIBS)
# the clock is in the worker alone
$(B)/tests/unit/pe/pe_clock: $(B)/runtime/pe/shared/clock.o
$(B)/tests/unit/tools/progress: UNIT_LDFLAGS := -Wl,--wrap=tool_now
LIMITED := pd_quota_memory mkostemp malloc calloc realloc reallocarray free
$(B)/tests/unit/tools/app_memory: UNIT_LDFLAGS := $(LIMITED:%=-Wl$(comma)--wrap=%)
$(B)/tests/unit/tools/sdk: $(addprefix $(B)/tools/apps/common/,parallel.o sdk/sdk.o sdk/sdk_fold.o)
$(B)/tests/unit/tools/cpu_own: $(filter $(B)/tools/perf/cpu/own/%,$(TOOL_OBJS))
$(B)/tests/unit/tools/opponents: $(filter $(B)/tools/apps/% $(B)/tools/perf/cpu/%,$(TOOL_OBJS)) \
	$(addprefix $(B)/tools/,tool.o options.o nearest.o csv.o) | $(B)/tests/unit/tools/cpu
$(B)/tests/unit/tools/opponents: UNIT_LIBS = $(TOOL_LIBS)
# suites of `perf`, with what they are made of
SUITE_TESTS := $(addprefix $(B)/tests/unit/tools/,perf_hosts perf_messages)
$(SUITE_TESTS): $(filter-out $(B)/tools/cmd/% $(B)/tools/pimdimm.o,$(TOOL_OBJS))
$(SUITE_TESTS): UNIT_LIBS = $(TOOL_LIBS)
MEASURED := hosts_run hosts_run_works hosts_launcher pd_affinity_cpus
$(B)/tests/unit/tools/perf_hosts: UNIT_LDFLAGS := $(MEASURED:%=-Wl$(comma)--wrap=%)
$(B)/tests/unit/tools/perf_messages: UNIT_LDFLAGS := -Wl,--wrap=fork -Wl,--wrap=pimdimm_wram_read
# plug-ins lie beside the program that opens them
$(B)/tests/unit/tools/cpu: $(CPU_PLUGIN_FILES)
	@mkdir -p $(@D)
	$(Q)ln -sfn ../../../cpu $@
$(B)/tests/unit/tools/counting: $(addprefix $(B)/tools/upmem/count/,cost.o ir.o names.o width.o)
$(B)/tests/unit/tools/counting: UNIT_LDFLAGS := -Wl,--wrap=memcmp
$(addprefix $(B)/tests/unit/collectives/,allocating footprint typed_counts types): $(B)/tests/unit/allocations.o
$(addprefix $(B)/tests/unit/collectives/,lanes folds turns kernels strided orders): $(B)/tests/unit/vbmi.o

-include $(UNIT_OBJS:.o=.d) $(CONFORMANCE_OBJS:.o=.d)

include $(wildcard tests/arm/build.mk tests/kernel/build.mk tests/vm/build.mk tests/upmem/build.mk)

# Conformance runs of tests/conformance/runs as conformance:NAME. Under a
# sanitizer only what is worth its time there.
USER_TESTS := $(addprefix conformance:,$(shell tests/run --list $(or $(SANITIZE),none))) \
	$(UNIT_TESTS)
# the longest first, for the last ones not to leave processors idle
ifeq ($(SANITIZE),)
USER_TESTS := $(wildcard $(foreach d,upmem install tool style,tests/$(d)/*.t)) \
	$(USER_TESTS)
endif
ifeq ($(SANITIZE),thread)
THREADED := timeline report launch messages messages_random messages_host messages_refused tasklets \
	tasklets_ucontext dma concurrent push_pull op errmsg rw plan placement \
	count pe_run pe_tasklets pe_parcels strict pe_check_host verifier cpu_own graph_apps \
	random_apps loaders hosts_buffers hosts_cubes spmd spmd_wide message_nomem \
	typed_collectives typed_counts typed_refused typed_transfers typed_nomem
USER_TESTS := $(filter $(foreach t,$(THREADED),$(filter %/$(t),$(UNIT_TESTS))) conformance:%,$(USER_TESTS))
endif

# T=name: a unit test, a script without its .t, or a run of the conformance test
CHOSEN = $(if $(T),$(filter %/$(T) %/$(T).t %:$(T) $(T),$(USER_TESTS)),$(USER_TESTS))
JOBS ?= $(shell nproc)
# A version manager's python3 is a script that takes a second to find the interpreter, and
# tests start some hundred: for them it is the one that the build takes.
TEST_PATH := $(abspath $(B))/tests/path
$(TEST_PATH)/python3: FORCE
	@mkdir -p $(@D)
	@if found=$$(command -v $(PYTHON)); then ln -sfn "$$found" $@; else rm -f $@; fi

# what tests/run and the scripts read
TEST_ENV = PATH='$(TEST_PATH):$(PATH)' B=$(B) MAKE='$(SUB_MAKE)' CC='$(CC)' SANITIZE='$(SANITIZE)' \
	TOOL=$(abspath $(B))/pimdimm PYTHON='$(PYTHON)'

# one test is built alone
NEEDED = $(filter $(UNIT_TESTS),$(CHOSEN)) \
	$(if $(filter conformance:%,$(CHOSEN)),$(CONFORMANCE)) \
	$(if $(filter %.t,$(CHOSEN)),lib tool) \
	$(if $(filter %/numpy.t,$(CHOSEN)),python $(if $(X86_64),upmem)) \
	$(if $(filter tests/upmem/%,$(CHOSEN)),upmem $(UPMEM_RUNNER))

.PHONY: build-tests check-user
build-tests: $(CONFORMANCE) $(UNIT_TESTS)
check-user: $$(NEEDED) | $(TEST_PATH)/python3
	@$(if $(CHOSEN),,echo 'no user test is called $(T)' >&2; exit 1)
	$(SHARE_JOBS)@$(TEST_ENV) prove --timer $(if $(T),-v,-j $(JOBS)) --exec tests/run $(CHOSEN)

# Several hosts for long: each number of them against the model, and killed at many moments.
HOSTS_CASES ?= 2000
HOSTS_KILLS ?= 500
HOSTS_RUNS := $(addprefix conformance:hosts-,2 3 4 5 6 7 8)
HOSTS_KILLED := $(addprefix $(B)/tests/unit/collectives/,hosts hosts_buffers hosts_cubes hosts_phases)

.PHONY: check-hosts
check-hosts: $(CONFORMANCE) $(HOSTS_KILLED)
	$(SHARE_JOBS)@$(TEST_ENV) HOSTS_CASES=$(HOSTS_CASES) HOSTS_KILLS=$(HOSTS_KILLS) \
		prove --timer -j $(JOBS) --exec tests/run $(HOSTS_RUNS) $(HOSTS_KILLED)

# More optimization and debugging information than lines costs minutes of compilation, and the
# tests seconds. Sanitizers make large programs, which lld links in about half the time.
SANITIZED := CFLAGS='-O1 -g1' LDFLAGS=-fuse-ld=lld

.PHONY: asan tsan
# one test alone may need nothing that is compiled for PEs
ifeq ($(T),)
asan tsan: $(if $(PE_MACHINE),upmem-pe)
SANITIZED += PE_BUILD=$(B)
endif
asan:
	$(MAKE) B=$(B)/asan SANITIZE=address,undefined $(SANITIZED) check-user
tsan:
	$(MAKE) B=$(B)/tsan SANITIZE=thread $(SANITIZED) check-user

# Each stage is one line of the summary; what it prints goes before. All of them
# run, whichever fails. What tests say that fail is repeated at the end.
FAILED_LOG ?= $(abspath $(B))/failed.log
STAGES := check-user asan tsan modules check-kmod-style check-vm check-vm-newer \
	check-uml

.PHONY: check
check:
	tools/install-packages build
	tools/install-packages check
	@mkdir -p $(B) && rm -f $(FAILED_LOG)
	$(SHARE_JOBS)@MAKE='$(SUB_MAKE)' FAILED_LOG=$(FAILED_LOG) \
		prove --timer --exec tests/stage $(STAGES) || \
		{ [ ! -f $(FAILED_LOG) ] || tail -n 200 $(FAILED_LOG); exit 1; }

# The same, with all jobs on the kernels with sanitizers, which it builds first.
.PHONY: check-debug
check-debug:
	tools/install-packages debug
	tests/vm/build-kernel uml-debug
	tests/vm/build-kernel x86-debug
	tests/vm/build-kernel x86-debug-6.12
	$(SHARE_JOBS)@MAKE='$(SUB_MAKE)' UML_STAGE_JOBS='$(UML_JOBS)' prove --timer \
		--exec tests/stage $(STAGES) check-x86-debug

# Both of the README's commands and its other lines as somebody new would run them,
# on bare systems made by debootstrap; FRESH_STEPS= for some of quickstart, readme
# and check. Takes as long as these do, times the systems.
FRESH ?= bookworm trixie noble
export FRESH_STEPS

.PHONY: check-fresh
check-fresh:
	tools/install-packages fresh
	@mkdir -p $(B)
	@B=$(B) prove -v --timer --exec tests/fresh/run $(FRESH)
