# SPDX-License-Identifier: MIT
# The tool chain for UPMEM programs: a tree of its own, $(UPMEM), staged as it is
# installed in $(PREFIX)/lib/pimdimm/upmem.

UPMEM := $(PE_B)/upmem
UPMEM_SHARE := $(UPMEM)/share/upmem

PE_HEADERS := $(wildcard tools/upmem/pe/include/*/*.h)
# the detectors are in the archives for programs that are checked, each in its own
PE_SRCS := $(filter-out %/races.c %/found.c %/shadow.c %/memory.c,$(wildcard tools/upmem/pe/lib/*.c))
# by the unit that x86-64 has for it, and what others have instructions for
PE_SRCS := $(filter-out $(if $(X86_64),%/math_aarch64.c,%/math.c),$(PE_SRCS))
# where this is another machine than the compiler's, its names begin so
PE_BINUTILS := $(if $(filter $(firstword $(subst -, ,$(MACHINE))),$(shell uname -m)),,$(MACHINE)-)
# the engine that juggles is in an archive of its own
PE_MPI_SRCS := $(filter-out %/juggle.c,$(wildcard tools/upmem/pe/mpi/*.c))
PE_ENGINE_SRCS := $(wildcard collectives/messages/engine/*.c)
# names of their own: an archive knows its members by these alone
PE_OBJS := $(PE_SRCS:tools/upmem/pe/lib/%.c=$(B)/tools/upmem/pe/%.o) \
	$(PE_MPI_SRCS:tools/upmem/pe/mpi/%.c=$(B)/tools/upmem/pe/mpi_%.o) \
	$(PE_ENGINE_SRCS:collectives/messages/engine/%.c=$(B)/tools/upmem/pe/engine_%.o)
PE_CC := $(UPMEM)/bin/dpu-upmem-dpurte-clang

# all that is compiled for PEs here has the table that is built in
unexport PIMDIMM_COST PIMDIMM_CHECK
# <mpi.h>, on the engine that the library has, too; a node's requests and hashes are small
PE_MPI_CFLAGS := -I. -Itools/upmem/pe/lib -Itools/upmem/pe/mpi -DME_SLAB_FIRST=8u -DME_QUEUE_CHAINS=64u

.PHONY: upmem upmem-pe
upmem: upmem-pe
upmem-pe: $(UPMEM_SHARE)/lib/libpe.a

# what puts counts into a program's IR
PE_COUNT_OBJS := $(patsubst %.c,$(B)/%.o,$(wildcard tools/upmem/count/*.c))
$(PE_COUNT_OBJS): tools/upmem/build.mk
-include $(PE_COUNT_OBJS:.o=.d)

ifeq ($(PE_BUILD),)
# what compiling for PEs needs
PE_STAMP := $(UPMEM)/.pe
PE_PARTS := tools/upmem/pe/pe.lds tools/upmem/pe/sizes.awk tools/upmem/next.sh
PE_COUNT := $(UPMEM_SHARE)/lib/count/pe-count
# The table of costs and what that stands on, of the library: another object of it that has
# changed is no reason to compile all that is compiled for PEs again.
PE_COUNT_LIB := $(addprefix $(B)/runtime/,$(addprefix base/,cgroup.o env.o error.o nearest.o quota.o) \
	$(addprefix pe/shared/,cost.o cost_text.o) watch/bus.o)
$(PE_COUNT): $(PE_COUNT_OBJS) $(PE_COUNT_LIB)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(BASE_LDFLAGS) $(LDFLAGS) -o $@ $^
PE_CMAKE := tools/upmem/cmake/dpu.cmake tools/upmem/cmake/include/host/DpuHost.cmake
$(PE_STAMP): $(PE_HEADERS) runtime/pe/shared/abi.h $(PE_PARTS) $(PE_COUNT) $(PE_CMAKE) \
		tools/upmem/upmem_env.sh $(wildcard tools/upmem/bin/*) \
		tools/upmem/build.mk
	@mkdir -p $(UPMEM)/bin $(UPMEM_SHARE)/lib/count \
		$(UPMEM_SHARE)/cmake/include/host \
		$(UPMEM_SHARE)/include/stdlib $(UPMEM_SHARE)/include/syslib
	@cp -P --remove-destination tools/upmem/bin/* $(UPMEM)/bin/
	@cp tools/upmem/upmem_env.sh $(UPMEM)/
	@cp tools/upmem/cmake/dpu.cmake $(UPMEM_SHARE)/cmake/
	@cp tools/upmem/cmake/include/host/DpuHost.cmake \
		$(UPMEM_SHARE)/cmake/include/host/
	@cp $(PE_PARTS) $(UPMEM_SHARE)/lib/
	@cp tools/upmem/pe/include/stdlib/*.h $(UPMEM_SHARE)/include/stdlib/
	@cp tools/upmem/pe/include/syslib/*.h $(UPMEM_SHARE)/include/syslib/
	@cp runtime/pe/shared/abi.h $(UPMEM_SHARE)/include/syslib/pe_abi.h
	@echo $(PE_MACHINE) >$(UPMEM_SHARE)/lib/machine
	@touch $@

# The library must not be turned into calls of itself. Its functions are weak: a
# program may have its own of any name, as where there is no such library.
PE_CFLAGS := -std=gnu11 -O2 -g $(WARN) -fno-builtin -fno-pimdimm-profile -fno-pimdimm-check -MMD -MP \
	-ffile-prefix-map=$(CURDIR)=. -ffile-prefix-map=$(abspath $(UPMEM))=upmem
# These do what hardware does in another way, and say themselves what that takes.
PE_CHARGING := barrier bits builtins handshake heap locks mem mram pace perfcounter profiling \
	found memory races sem shadow stack start wide
$(foreach d,pe pe/check pe/memory,$(PE_CHARGING:%=$(B)/tools/upmem/$(d)/%.o)): PE_CFLAGS += -fno-pimdimm-count
# for programs that do not count
PE_PLAIN_OBJS := $(PE_OBJS:$(B)/tools/upmem/pe/%=$(B)/tools/upmem/pe/plain/%)
$(PE_PLAIN_OBJS): PE_CFLAGS += -fno-pimdimm-count -DPE_UNCOUNTED
# for programs that are checked: these work on what is the program's
PE_CHECK_OBJS := $(PE_OBJS:$(B)/tools/upmem/pe/%=$(B)/tools/upmem/pe/check/%) \
	$(B)/tools/upmem/pe/check/races.o $(B)/tools/upmem/pe/check/found.o
$(PE_CHECK_OBJS): PE_CFLAGS += -DPE_CHECKED
# seqread reads ahead, into what others may write and it never uses
$(filter-out %/seqread.o,$(PE_CHECK_OBJS)): PE_CFLAGS += -D__PE_CHECKED
$(patsubst %,$(B)/tools/upmem/pe/check/%.o,sort string): PE_CFLAGS += -fpimdimm-check
# for programs whose memory is checked: what works on it is checked as the program, and
# has its frames linked, since its callers are told
ifneq ($(X86_64),)
PE_MEMORY_OBJS := $(PE_OBJS:$(B)/tools/upmem/pe/%=$(B)/tools/upmem/pe/memory/%) \
	$(patsubst %,$(B)/tools/upmem/pe/memory/%.o,found memory shadow)
endif
$(PE_MEMORY_OBJS): PE_CFLAGS += -DPE_MEMORY -D__PE_CHECKED -fno-omit-frame-pointer \
	-mno-omit-leaf-frame-pointer
$(patsubst %,$(B)/tools/upmem/pe/memory/%.o,math printf seqread sort stdlib string strtol unaligned): \
	PE_CFLAGS += -fpimdimm-check=memory
$(foreach d,pe pe/plain pe/check pe/memory,$(B)/tools/upmem/$(d)/math.o): PE_CFLAGS += -mlong-double-80

# pe_rule FOLDER, PREFIX, SOURCES
define pe_rule
$(B)/tools/upmem/$(1)/$(2)%.o: $(3)/%.c $$(PE_STAMP)
	@mkdir -p $$(@D)
	$$(call say,PECC,$$@)
	$$(Q)$$(PE_CC) $$(PE_CFLAGS) -c -o $$@ $$<
	$$(Q)$(PE_BINUTILS)nm -gj --defined-only $$@ >$$@.names
	$$(Q)$(PE_BINUTILS)objcopy --weaken-symbols=$$@.names $$@
endef
$(foreach d,pe pe/plain pe/check pe/memory,$(eval $(call pe_rule,$(d),,tools/upmem/pe/lib)))
$(foreach d,pe pe/plain pe/check pe/memory,$(eval $(call pe_rule,$(d),mpi_,tools/upmem/pe/mpi)))
$(foreach d,pe pe/plain pe/check pe/memory,$(eval $(call pe_rule,$(d),engine_,collectives/messages/engine)))
PE_MPI_OBJS := $(filter $(B)/tools/upmem/pe/mpi_% $(B)/tools/upmem/pe/engine_%,$(PE_OBJS))
$(PE_MPI_OBJS) $(foreach d,plain check memory,$(PE_MPI_OBJS:$(B)/tools/upmem/pe/%=$(B)/tools/upmem/pe/$(d)/%)): \
	PE_CFLAGS += $(PE_MPI_CFLAGS)
$(PE_MPI_OBJS:$(B)/tools/upmem/pe/%=$(B)/tools/upmem/pe/memory/%): PE_CFLAGS += -fpimdimm-check=memory
# what one tasklet does in it comes before what the next one does
$(PE_MPI_OBJS:$(B)/tools/upmem/pe/%=$(B)/tools/upmem/pe/check/%): PE_CFLAGS += -DPE_MEETS_ALL

# -fpimdimm-mpi=conventional: <mpi.h> once more, these parts compiled for it, in archives
# that come before the others
PE_JUGGLING := juggle port travel
PE_CONV_OBJS := $(foreach d,pe pe/plain pe/check,$(PE_JUGGLING:%=$(B)/tools/upmem/$(d)/conv/mpi_%.o))
$(foreach d,pe pe/plain pe/check,$(eval $(call pe_rule,$(d)/conv,mpi_,tools/upmem/pe/mpi)))
$(PE_CONV_OBJS): PE_CFLAGS += $(PE_MPI_CFLAGS) -DMPI_CONVENTIONAL
$(filter $(B)/tools/upmem/pe/plain/%,$(PE_CONV_OBJS)): PE_CFLAGS += -fno-pimdimm-count -DPE_UNCOUNTED
$(filter $(B)/tools/upmem/pe/check/%,$(PE_CONV_OBJS)): PE_CFLAGS += -DPE_CHECKED -D__PE_CHECKED -DPE_MEETS_ALL
PE_CONV_LIBS := $(addprefix $(UPMEM_SHARE)/lib/libpe_mpi,.a _uncounted.a _check.a)
# conv_archive NAME, FOLDER
define conv_archive
$(UPMEM_SHARE)/lib/$(1).a: $(PE_JUGGLING:%=$(B)/tools/upmem/$(2)/conv/mpi_%.o) \
		$(filter-out $(PE_JUGGLING:%=$(B)/tools/upmem/$(2)/mpi_%.o),$(PE_MPI_OBJS:$(B)/tools/upmem/pe/%=$(B)/tools/upmem/$(2)/%))
	$$(call say,AR,$$@)
	$$(Q)rm -f $$@
	$$(Q)$$(AR) rcs $$@ $$^
endef
$(eval $(call conv_archive,libpe_mpi,pe))
$(eval $(call conv_archive,libpe_mpi_uncounted,pe/plain))
$(eval $(call conv_archive,libpe_mpi_check,pe/check))

$(UPMEM_SHARE)/lib/pe_note.o: tools/upmem/pe/lib/note.S $(PE_STAMP)
	$(call say,PECC,$@)
	$(Q)$(PE_CC) -c -o $@ $<

$(UPMEM_SHARE)/lib/libpe.a: $(PE_OBJS) $(UPMEM_SHARE)/lib/pe_note.o \
		$(UPMEM_SHARE)/lib/libpe_uncounted.a $(UPMEM_SHARE)/lib/libpe_check.a \
		$(if $(X86_64),$(UPMEM_SHARE)/lib/libpe_memory.a) $(PE_CONV_LIBS)
	$(call say,AR,$@)
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $(PE_OBJS)

$(UPMEM_SHARE)/lib/libpe_uncounted.a: $(PE_PLAIN_OBJS)
	$(call say,AR,$@)
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

$(UPMEM_SHARE)/lib/libpe_check.a: $(PE_CHECK_OBJS)
	$(call say,AR,$@)
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

$(UPMEM_SHARE)/lib/libpe_memory.a: $(PE_MEMORY_OBJS)
	$(call say,AR,$@)
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

-include $(PE_OBJS:.o=.d) $(PE_PLAIN_OBJS:.o=.d) $(PE_CHECK_OBJS:.o=.d) $(PE_MEMORY_OBJS:.o=.d) $(PE_CONV_OBJS:.o=.d)
endif

include tools/upmem/host/build.mk

UPMEM_INSTALLED = $(DESTDIR)$(PREFIX)/lib/pimdimm/upmem

.PHONY: install-upmem uninstall-upmem
install-upmem: upmem
	install -d $(UPMEM_INSTALLED)
	cp -R -P --remove-destination $(UPMEM)/. $(UPMEM_INSTALLED)/
	find $(UPMEM_INSTALLED) -name '.*' -type f -delete
	find $(UPMEM_INSTALLED) -name __pycache__ -prune -exec rm -r {} +

uninstall-upmem:
	rm -rf $(DESTDIR)$(PREFIX)/lib/pimdimm
