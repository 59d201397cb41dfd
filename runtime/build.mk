# SPDX-License-Identifier: MIT
# The library: runtime and collectives in one, its headers, pkg-config file and
# the manual pages of its functions.

HEADERS := runtime/include/pimdimm/pimdimm.h \
	runtime/include/pimdimm/program.h \
	runtime/include/pimdimm/report.h \
	runtime/include/pimdimm/spmd.h \
	collectives/include/pimdimm/pidcomm.h \
	collectives/include/pimdimm/messages.h \
	collectives/include/pimdimm/types.h \
	collectives/include/pimdimm/mpi_types.h \
	collectives/include/pimdimm/hosts.h \
	collectives/include/pimdimm/transport.h uapi/pimdimm_layout.h
# installed where an MPI library is there that it goes with
MPI_HEADER := collectives/include/pimdimm/mpi.h
# staged as they are installed, so that everything compiles against the same
HEADERS_STAMP := $(B)/include/.stamp
$(HEADERS_STAMP): $(HEADERS) $(MPI_HEADER) uapi/pimdimm.h uapi/internal/pimdimm_inject.h
	@mkdir -p $(B)/include/pimdimm $(B)/include/linux
	@cp -p $(HEADERS) $(MPI_HEADER) $(B)/include/pimdimm/
	@cp -p uapi/pimdimm.h uapi/internal/pimdimm_inject.h $(B)/include/linux/
	@touch $@

# tier's name, then its instruction set; runtime/simd/tier.h says the same
TIERS := count portable
# what is slow anyway is not worth the time to optimize it
CFLAGS_count := -DPD_COUNT -O1
CFLAGS_portable :=
ifneq ($(X86_64),)
TIERS += avx2 avx512bw avx512vbmi
CFLAGS_avx2 := -mavx2 -mf16c
CFLAGS_avx512bw := $(CFLAGS_avx2) -mprfchw -mavx512f -mavx512bw -mavx512dq -mavx512vl \
	-mprefer-vector-width=512
CFLAGS_avx512vbmi := $(CFLAGS_avx512bw) -mavx512vbmi
endif
ifneq ($(AARCH64),)
TIERS += neon sve sve256 sve512
CFLAGS_neon := -DPD_NEON
# code for registers of any length, and for those of one
CFLAGS_sve := -DPD_NEON -march=armv8.2-a+sve
CFLAGS_sve256 := -DPD_SVE -march=armv8.2-a+sve -msve-vector-bits=256
CFLAGS_sve512 := -DPD_SVE -march=armv8.2-a+sve -msve-vector-bits=512
endif
# -Wno-psabi: vectors never cross from one tier's object to another. Following
# variables through code unrolled this far takes longer than all the rest.
# What sanitizers add is not worth optimizing. The address sanitizer sees each wrong access by
# itself: the other one need not look at pointers, too. It checks accesses by calls in loops
# that fold, for a third of the code; elsewhere calls would cost more time than they save.
WATCHED_CFLAGS := -O1 -DPD_CALLS $(if $(findstring address,$(SANITIZE)),\
	$(addprefix -fno-sanitize=,null object-size pointer-overflow))
WATCHED_BY_CALLS := $(if $(findstring address,$(SANITIZE)),\
	$(call cc_options,--param=asan-instrumentation-with-call-threshold=0))
TIER_CFLAGS := $(if $(SANITIZE),$(WATCHED_CFLAGS),-O3) -Wno-psabi \
	$(call cc_options,-fno-var-tracking)

# *_tmpl.c are compiled once a tier, the worker is an executable of its own, and the PE's
# clock a part of that
# what MPI libraries carry is a library for each
LIB_SRCS := $(filter-out collectives/mpi/% runtime/pe/worker/% runtime/pe/shared/clock.c %_tmpl.c,$(foreach d,runtime collectives, \
	$(wildcard $(d)/*.[cS] $(d)/*/*.[cS] $(d)/*/*/*.[cS])))
LIB_TMPLS := $(wildcard runtime/simd/*_tmpl.c collectives/loops/*_tmpl.c \
	collectives/types/*_tmpl.c)
LIB_PLAIN_OBJS := $(patsubst %,$(B)/%.o,$(basename $(LIB_SRCS)))
LIB_TIER_OBJS := $(foreach s,$(LIB_TMPLS:_tmpl.c=),$(TIERS:%=$(B)/$(s)-%.o))
LIB_OBJS := $(LIB_PLAIN_OBJS) $(LIB_TIER_OBJS)
LIB_CFLAGS := -fvisibility=default -fPIC
$(LIB_OBJS): OBJ_CFLAGS = $(LIB_CFLAGS)
$(LIB_OBJS): runtime/build.mk

PKG_CONFIG ?= pkg-config
# `=`: asked when something is linked and not before, since pkg-config may be
# among what quickstart installs
# -lm: fesetenv(), on CPUs other than x86
LIB_LIBS = $(shell $(PKG_CONFIG) --libs hwloc) -lm
$(B)/runtime/machine/topology.o: OBJ_CFLAGS += $$($(PKG_CONFIG) --cflags hwloc)

# The worker of PE programs: an executable of its own, inside the library. It has
# no C library and no memory of its own, so nothing that needs one. Where calls leave what
# they return to in a register, functions are to keep it before they fail, too. Addresses that
# code goes on at are written by hand: unsigned, and of places that are not marked for jumps.
WORKER := $(B)/runtime/pe/worker.elf
WORKER_SRCS := $(wildcard runtime/pe/worker/*.c runtime/pe/worker/*.S) \
	runtime/pe/shared/clock.c
WORKER_CFLAGS := -std=gnu11 $(WARN) -D_GNU_SOURCE -I. -O2 -g1 \
	-ffreestanding -fno-pic -fno-strict-aliasing -fno-stack-protector \
	-fno-asynchronous-unwind-tables -fno-unwind-tables -mgeneral-regs-only \
	$(if $(AARCH64),$(or $(call cc_options,-fno-shrink-wrap),-mllvm -enable-shrink-wrap=false)) \
	$(call cc_options,-fcf-protection=none -mbranch-protection=none -mno-outline-atomics \
		-fno-tree-loop-distribute-patterns)
$(WORKER): $(WORKER_SRCS) $(wildcard runtime/pe/shared/*.h runtime/pe/worker/*.h) \
		runtime/pe/worker/worker.lds runtime/build.mk
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(WORKER_CFLAGS) -static -nostdlib \
		-Wl,-T,runtime/pe/worker/worker.lds -Wl,--build-id=none \
		-Wl,-z,noexecstack -o $@ $(WORKER_SRCS)

$(B)/runtime/pe/process/image.o: OBJ_CFLAGS += -DPD_WORKER_FILE='"$(WORKER)"'
ifneq ($(PE_MACHINE),)
$(B)/runtime/pe/process/image.o: $(WORKER)
endif

# Half a minute a tier to instrument what is one source for all: the counting
# tier's accesses are watched, and the others' are the same.
UNWATCHED := $(if $(SANITIZE),$(patsubst %,$(B)/collectives/loops/reduces-%.o, \
	$(filter-out count,$(TIERS))))

define tier_rule
$(B)/%-$(1).o: %_tmpl.c $$(HEADERS_STAMP) Makefile runtime/build.mk
	@mkdir -p $$(@D)
	$$(call say,CC,$$@)
	$$(Q)$$(CC) $$(BASE_CFLAGS) $$(LIB_CFLAGS) $$(CFLAGS) $$(TIER_CFLAGS) \
		$$(CFLAGS_$(1)) -DPD_TIER=$(1) \
		$$(if $$(filter %reduces-$(1).o,$$@),$$(WATCHED_BY_CALLS)) \
		$$(if $$(filter $$@,$$(UNWATCHED)),-fno-sanitize=all) -c -o $$@ $$<
endef
$(foreach t,$(TIERS),$(eval $(call tier_rule,$(t))))

-include $(LIB_OBJS:.o=.d)

LIBA := $(B)/libpimdimm.a
LIBSO := $(B)/libpimdimm.so.$(VERSION)
PC := $(B)/pimdimm.pc
CMAKE_FILES := $(B)/pimdimmConfig.cmake $(B)/pimdimmConfigVersion.cmake
MAN3 := $(B)/man3/.stamp

.PHONY: lib install-lib uninstall-lib
lib: $(LIBA) $(LIBSO) $(PC) $(CMAKE_FILES) $$(MPI_LIBS)

$(LIBA): $(LIB_OBJS)
	$(call say,AR,$@)
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

$(LIBSO): $(LIB_OBJS) runtime/libpimdimm.map
	$(call say,LD,$@)
	$(Q)$(CC) $(BASE_LDFLAGS) $(LDFLAGS) -shared -Wl,-z,defs \
		-Wl,-soname,libpimdimm.so.$(SOVERSION) \
		-Wl,--version-script=runtime/libpimdimm.map \
		-o $@ $(filter %.o,$^) $(LIB_LIBS)
	$(Q)ln -sf $(@F) $(B)/libpimdimm.so.$(SOVERSION)
	$(Q)ln -sf $(@F) $(B)/libpimdimm.so

# The transports of MPI libraries: one source, a library for each that is installed here.
# `=`: like LIB_LIBS
MPIS = $(if $(SANITIZE),,$(foreach m,openmpi mpich,$(if $(shell $(PKG_CONFIG) --exists $(MPI_PC_$(m)) && echo y),$(m))))
MPI_PC_openmpi := ompi-c
MPI_PC_mpich := mpich
MPI_SRCS := $(wildcard collectives/mpi/*.c)
MPI_LIBS = $(MPIS:%=$(B)/libpimdimm-%.so.$(VERSION))
# MPI's headers are not held to this project's warnings
mpi_cflags = $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags-only-I $(MPI_PC_$(1))))
define mpi_rules
$(B)/mpi-$(1)/%.o: collectives/mpi/%.c $$(HEADERS_STAMP) Makefile runtime/build.mk
	@mkdir -p $$(@D)
	$$(call say,CC,$$@)
	$$(Q)$$(CC) $$(BASE_CFLAGS) -fPIC -fvisibility=hidden $$(CFLAGS) \
		$$(call mpi_cflags,$(1)) -c -o $$@ $$<
$(B)/libpimdimm-$(1).so.$(VERSION): $(MPI_SRCS:collectives/mpi/%.c=$(B)/mpi-$(1)/%.o) $(LIBSO)
	$$(call say,LD,$$@)
	$$(Q)$$(CC) $$(BASE_LDFLAGS) $$(LDFLAGS) -shared -Wl,-z,defs \
		-Wl,-soname,libpimdimm-$(1).so.$(SOVERSION) -o $$@ $$(filter %.o,$$^) \
		-L$(B) -lpimdimm $$$$($$(PKG_CONFIG) --libs $(MPI_PC_$(1)))
	$$(Q)ln -sf $$(@F) $(B)/libpimdimm-$(1).so.$(SOVERSION)
	$$(Q)ln -sf $$(@F) $(B)/libpimdimm-$(1).so
-include $(MPI_SRCS:collectives/mpi/%.c=$(B)/mpi-$(1)/%.d)
endef
$(foreach m,openmpi mpich,$(eval $(call mpi_rules,$(m))))

# where the libraries go; distributions have a folder for each CPU
LIBDIR ?= $(PREFIX)/lib

# what other builds find the library by, with where it is installed filled in
INSTALLED_IN := sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' \
	-e 's|@LIBDIR@|$(LIBDIR:$(PREFIX)/%=$${prefix}/%)|' \
	-e 's|@SOVERSION@|$(SOVERSION)|'
$(PC): runtime/pimdimm.pc.in Makefile $(VERSION_HEADER) $(B)/.prefix
	$(Q)$(INSTALLED_IN) -e 's|@LIBS@|$(strip $(LIB_LIBS))|' $< > $@
$(CMAKE_FILES): $(B)/%: runtime/%.in Makefile $(VERSION_HEADER) $(B)/.prefix
	$(Q)$(INSTALLED_IN) -e "s|@INCLUDE@|$$(realpath -m -s \
		--relative-to='$(LIBDIR)/cmake/pimdimm' '$(PREFIX)/include')|" $< > $@

# changes when the folders do
$(B)/.prefix: FORCE
	@mkdir -p $(@D)
	@echo '$(PREFIX) $(LIBDIR)' | cmp -s - $@ || echo '$(PREFIX) $(LIBDIR)' > $@
.PHONY: FORCE
FORCE:

# A page for each function and type, from the comments of the public headers, with
# examples from a program for each header.
HOST_HEADERS := $(HEADERS) $(MPI_HEADER)
MAN3_HEADERS := $(HOST_HEADERS) tools/upmem/pe/include/syslib/pimdimm.h
MAN3_EXAMPLES := $(patsubst %.h,tools/man/examples/%.c,$(notdir $(HOST_HEADERS))) \
	tools/man/examples/pe.c
$(MAN3): runtime/man3.awk $(MAN3_HEADERS) $(MAN3_EXAMPLES)
	@mkdir -p $(@D)
	$(call say,MAN,$(@D))
	@rm -f $(@D)/*.3 $(@D)/*.3type
	$(Q)awk -v version=$(VERSION) -v dir=$(@D) -f runtime/man3.awk $(MAN3_HEADERS) \
		$(MAN3_EXAMPLES)
	@touch $@

install-lib: lib $(MAN3)
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(LIBDIR)/cmake/pimdimm \
		$(DESTDIR)$(PREFIX)/include/pimdimm \
		$(DESTDIR)$(PREFIX)/include/linux \
		$(DESTDIR)$(PREFIX)/share/man/man3
	install -m 644 $(LIBA) $(DESTDIR)$(LIBDIR)/
	rm -f $(DESTDIR)$(LIBDIR)/libpimdimm.so.$(SOVERSION).*
	install -m 755 $(LIBSO) $(DESTDIR)$(LIBDIR)/
	ln -sf libpimdimm.so.$(VERSION) \
		$(DESTDIR)$(LIBDIR)/libpimdimm.so.$(SOVERSION)
	ln -sf libpimdimm.so.$(VERSION) $(DESTDIR)$(LIBDIR)/libpimdimm.so
	install -m 644 $(PC) $(DESTDIR)$(LIBDIR)/pkgconfig/
	install -m 644 $(CMAKE_FILES) $(DESTDIR)$(LIBDIR)/cmake/pimdimm/
	install -m 644 $(HEADERS) $(DESTDIR)$(PREFIX)/include/pimdimm/
	install -m 644 uapi/pimdimm.h $(DESTDIR)$(PREFIX)/include/linux/
	for mpi in $(MPIS); do \
		install -m 755 $(B)/libpimdimm-$$mpi.so.$(VERSION) $(DESTDIR)$(LIBDIR)/ && \
		ln -sf libpimdimm-$$mpi.so.$(VERSION) \
			$(DESTDIR)$(LIBDIR)/libpimdimm-$$mpi.so.$(SOVERSION) && \
		ln -sf libpimdimm-$$mpi.so.$(VERSION) $(DESTDIR)$(LIBDIR)/libpimdimm-$$mpi.so && \
		install -m 644 $(MPI_HEADER) $(DESTDIR)$(PREFIX)/include/pimdimm/ || exit 1; \
	done
	install -m 644 $(B)/man3/*.3 $(B)/man3/*.3type $(DESTDIR)$(PREFIX)/share/man/man3/

# the pages that man3.awk writes, by the same rule
MAN3_PAGES = $(shell sed -n 's/^ \* \([a-z0-9_]*\)() - .*/\1.3/p; \
	s/^ \* \(struct\|enum\|typedef\) \([a-z0-9_]*\) - .*/\2.3type/p' $(MAN3_HEADERS))

uninstall-lib:
	rm -rf $(DESTDIR)$(PREFIX)/include/pimdimm $(DESTDIR)$(LIBDIR)/cmake/pimdimm
	rm -f $(DESTDIR)$(LIBDIR)/libpimdimm.* $(DESTDIR)$(LIBDIR)/libpimdimm-openmpi.so* \
		$(DESTDIR)$(LIBDIR)/libpimdimm-mpich.so* \
		$(DESTDIR)$(LIBDIR)/pkgconfig/pimdimm.pc \
		$(DESTDIR)$(PREFIX)/include/linux/pimdimm.h \
		$(addprefix $(DESTDIR)$(PREFIX)/share/man/man3/,$(MAN3_PAGES))
