# SPDX-License-Identifier: MIT
# The command `pimdimm`, its manual page, and what is installed with it.

TOOL := $(B)/pimdimm
# each application has a folder, where pe_*.c are programs for PEs
APP_FOLDERS := $(filter-out apps/common,$(patsubst tools/%/,%,$(wildcard tools/apps/*/)))
APP_PE_SRCS := $(wildcard tools/apps/*/pe_*.c)
# lowest first
TOOL_FOLDERS := module share trace machines hosts apps/common/files apps/common/sdk apps/common apps/common/graph $(APP_FOLDERS) apps \
	perf perf/runners perf/cpu/own perf/cpu perf/suites perf/suites/pe \
	perf/suites/dev perf/suites/apps perf/suites/messages/sorts perf/suites/messages \
	perf/suites/datatypes perf/suites/hosts cmd/info cmd
TOOL_SRCS := $(filter-out $(APP_PE_SRCS),$(wildcard tools/*.c $(TOOL_FOLDERS:%=tools/%/*.c)))
TOOL_OBJS := $(TOOL_SRCS:%.c=$(B)/%.o)
TOOL_CFLAGS = $(shell $(PKG_CONFIG) --cflags libkmod json-c libdrm zlib libzstd)
TOOL_LIBS = $(shell $(PKG_CONFIG) --libs libkmod json-c libdrm zlib libzstd) $(LIB_LIBS)

.PHONY: tool quickstart bench bench-apps bench-hosts
tool: $(TOOL)

$(TOOL_OBJS): OBJ_CFLAGS = $(TOOL_CFLAGS)
$(TOOL_OBJS): tools/build.mk
# what a report says of the sources that it was made by, where these are a checkout
COMMIT := $(if $(wildcard .git),$(shell git rev-parse --short=12 HEAD 2>/dev/null))
ifneq ($(COMMIT),)
$(B)/tools/csv.o: OBJ_CFLAGS += -DPIMDIMM_COMMIT='"$(COMMIT)"'
$(B)/tools/csv.o: $(wildcard $(shell git rev-parse --git-path logs/HEAD))
endif
$(B)/tools/hosts/launched.o: OBJ_CFLAGS += -DPIMDIMM_SOVERSION='"$(SOVERSION)"'
# references of applications, whose loops are to be vectors
$(addprefix $(B)/tools/apps/,common/dot.o common/sdk/sdk_fold.o mlp/loops.o): override CFLAGS += -O3
$(B)/tools/perf/fold.o: override CFLAGS += -O3 -fwrapv
# what a program has instead of datatypes
$(B)/tools/perf/suites/datatypes/plain.o: override CFLAGS += -O3
# opponents of applications; theirs are sums within bounds, which one rounding less serves
$(patsubst %.c,$(B)/%.o,$(wildcard tools/perf/cpu/own/*.c)): override CFLAGS += -O3 -ffp-contract=fast

# The programs that `perf --suite pe` measures are compiled for PEs and part of the
# tool. The tool chain's names are known when tools/upmem/build.mk has been read.
PERF_PE := $(PE_B)/tools/perf/pe
PERF_PE_ELFS := $(if $(X86_64),$(patsubst %.c,$(PE_B)/%.elf,$(wildcard tools/perf/pe/*.c)))
# Times of hardware are made of instructions; to count them takes time of this machine,
# which is what the other programs measure.
PERF_PE_COUNT = -fno-pimdimm-count
$(PERF_PE)/truth_% $(PERF_PE)/copies%: PERF_PE_COUNT :=
$(PERF_PE)/%.elf: tools/perf/pe/%.c $(wildcard tools/perf/pe/*.h) tools/build.mk \
		$$(UPMEM_SHARE)/lib/libpe.a
	@mkdir -p $(@D)
	$(call say,PECC,$@)
	$(Q)$(PE_CC) $(PERF_PE_COUNT) -DNR_TASKLETS=16 -O2 -g $(WARN) -I. -o $@ $<
# Messages are profiled with the engine and <mpi.h> as part of the program, once more with a
# table of instructions in which loads and stores alone count.
# Both engines are measured: by travelling threads, and conventional.
PERF_EXCHANGES := $(if $(X86_64),$(addprefix $(PERF_PE)/exchange,.elf _references.elf \
	_conventional.elf _conventional_references.elf))
PERF_PE_ELFS += $(filter-out %/exchange.elf,$(PERF_EXCHANGES))
PERF_EXCHANGE_SRCS = tools/perf/pe/exchange.c $(filter-out %/pool.c,$(PE_MPI_SRCS)) \
	tools/upmem/pe/mpi/juggle.c $(PE_ENGINE_SRCS)
PERF_REFERENCES = $(shell sed -nE -e 's/^\tX.(load|store),.*/insn_\1=1,/p' -e t \
	-e 's/^\tX.([a-z0-9_]*),.*/insn_\1=0,/p' runtime/pe/shared/instructions.h | \
	tr -d '\n' | sed 's/,$$//')
$(filter %_references.elf,$(PERF_EXCHANGES)): export PIMDIMM_COST = $(PERF_REFERENCES)
PERF_EXCHANGE_METHOD := -Wl,--wrap=me_arrive
$(PERF_PE)/exchange_conventional%: PERF_EXCHANGE_METHOD := -DMPI_CONVENTIONAL
$(PERF_EXCHANGES): $$(PERF_EXCHANGE_SRCS) $(wildcard tools/perf/pe/*.h tools/upmem/pe/mpi/*.h \
		collectives/messages/engine/*.h) tools/build.mk $$(UPMEM_SHARE)/lib/libpe.a
	@mkdir -p $(@D)
	$(call say,PECC,$@)
	$(Q)$(PE_CC) -std=gnu11 -O2 -g $(WARN) -fno-builtin -fpimdimm-profile -DNR_TASKLETS=1 \
		-DSTACK_SIZE_DEFAULT=2048 $(PE_MPI_CFLAGS) -include tools/perf/pe/exchange_wait.h \
		$(PERF_EXCHANGE_METHOD) -o $@ $(PERF_EXCHANGE_SRCS)
$(B)/tools/perf/suites/pe/pe_images.o: $(PERF_PE_ELFS)
$(B)/tools/perf/suites/pe/pe_images.o: OBJ_CFLAGS += -DPERF_PE_FOLDER='"$(PERF_PE)"'

# Programs of applications, which a folder's programs.c makes part of the tool.
APP_PE_ELFS := $(if $(X86_64),$(APP_PE_SRCS:%.c=$(PE_B)/%.elf))
$(APP_PE_ELFS): $(PE_B)/%.elf: %.c $(wildcard tools/apps/*/*.h) tools/build.mk \
		$$(UPMEM_SHARE)/lib/libpe.a
	@mkdir -p $(@D)
	$(call say,PECC,$@)
	$(Q)$(PE_CC) -DNR_TASKLETS=16 -O2 -g $(WARN) -I. -o $@ $<
APP_PROGRAMS := $(patsubst %.c,$(B)/%.o,$(wildcard tools/apps/*/programs.c))
$(APP_PROGRAMS): $$(filter $$(patsubst $(B)/%,$(PE_B)/%,$$(@D))/%,$(APP_PE_ELFS))
$(APP_PROGRAMS): OBJ_CFLAGS += -DAPP_PE_FOLDER='"$(PE_B)/tools/apps"'

-include $(TOOL_OBJS:.o=.d)

# with the static library: the tool also shows what that does not export
$(TOOL): $(TOOL_OBJS) $(LIBA)
	$(call say,LD,$@)
	$(Q)$(CC) $(BASE_LDFLAGS) $(LDFLAGS) -o $@ $^ $(TOOL_LIBS)

# Opponents of applications that other libraries are: each becomes a plug-in where its
# library is installed, and is left out elsewhere.
CPU_PLUGINS := graphblas igraph onednn openblas
CPU_HEADER_graphblas := GraphBLAS.h
CPU_HEADER_igraph := igraph.h
CPU_HEADER_onednn := oneapi/dnnl/dnnl.h
# that of all BLAS is known
CPU_HEADER_openblas := stddef.h
CPU_FLAGS_graphblas := -fopenmp
CPU_FLAGS_onednn := -fopenmp
CPU_FLAGS_igraph = $$($(PKG_CONFIG) --cflags igraph 2>/dev/null | sed 's/-I/-isystem /g')
CPU_LIBS_graphblas := -lgraphblas
CPU_LIBS_igraph := -ligraph
CPU_LIBS_onednn := -ldnnl
CPU_LIBS_openblas := -l:libopenblas.so.0
# sanitizers would need these libraries built with them
CPU_PLUGIN_FILES := $(if $(SANITIZE),,$(CPU_PLUGINS:%=$(B)/cpu/%.so))

.PHONY: cpu-plugins
tool: cpu-plugins
cpu-plugins: $(CPU_PLUGIN_FILES)
$(CPU_PLUGIN_FILES): $(B)/cpu/%.so: $(wildcard tools/perf/cpu/plugins/*.[ch] tools/perf/cpu/own/*.h) \
		$(VERSION_HEADER) $(B)/include/.stamp tools/build.mk
	@mkdir -p $(@D)
	$(Q)rm -f $@; \
	if ! $(CC) -shared -fPIC -o $@.try $(CPU_FLAGS_$*) -include $(CPU_HEADER_$*) -x c /dev/null \
			-x none $(CPU_LIBS_$*) 2>/dev/null; then \
		exit 0; \
	fi; \
	rm -f $@.try; \
	printf '  %-8s%s\n' LD $@; \
	$(CC) $(filter-out -MMD -MP,$(BASE_CFLAGS)) $(CFLAGS) -fPIC -shared $(CPU_FLAGS_$*) \
		$(BASE_LDFLAGS) $(LDFLAGS) -o $@ \
		$(wildcard tools/perf/cpu/plugins/$*.c tools/perf/cpu/plugins/$*_*.c) $(CPU_LIBS_$*) || \
		$(if $(WARN_ERRORS),exit 1,printf '  %-8s%s\n' 'left out' $@)

# Two processes that exchange messages, for `perf --suite datatypes`: by this library, and by
# each MPI library that is installed.
PAIRS = $(addprefix $(B)/pair/,own $(MPIS))
PAIR_SHARED := $(addprefix $(B)/tools/perf/,pair/pair.o $(patsubst %,suites/datatypes/%.o,kernels plain truth))
PAIR_OBJS := $(addprefix $(B)/tools/perf/pair/,pair.o own.o phases.o)
.PHONY: pairs
tool: pairs
pairs: $$(PAIRS)
$(PAIR_OBJS): tools/build.mk
-include $(PAIR_OBJS:.o=.d)
$(B)/pair/own: $(PAIR_SHARED) $(addprefix $(B)/tools/perf/,pair/own.o pair/phases.o suites/datatypes/maker.o) \
		$(LIBA)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(BASE_LDFLAGS) $(LDFLAGS) -o $@ $^ $(LIB_LIBS)
# $(call mpi_program,FOLDER,MPI,OTHERS): of tools/perf/FOLDER, by an MPI library; OTHERS are objects
# and what it is built anew for
define mpi_program
$(B)/$(1)/$(2): tools/perf/$(1)/mpi.c $(wildcard tools/perf/$(1)/*.h) $(3) tools/build.mk
	@mkdir -p $$(@D)
	$$(call say,LD,$$@)
	$$(Q)$$(CC) $$(filter-out -MMD -MP,$$(BASE_CFLAGS)) $$(CFLAGS) $$(call mpi_cflags,$(2)) \
		$$(BASE_LDFLAGS) $$(LDFLAGS) -o $$@ $$(filter %.c %.o,$$^) \
		$$$$($$(PKG_CONFIG) --libs $(MPI_PC_$(2)))
endef
$(foreach m,openmpi mpich,$(eval $(call mpi_program,pair,$(m),$(PAIR_SHARED))))

# Two ranks of messages, for `perf --suite messages`: of this library's resident kernels, and of
# each MPI library. callgrind counts them where its header was there to build with: they are
# built anew when it has come, or is gone.
ROUNDS = $(addprefix $(B)/rounds/,own $(MPIS))
ROUNDS_OBJS := $(addprefix $(B)/tools/perf/rounds/,rounds.o own.o)
.PHONY: rounds
tool: rounds
rounds: $$(ROUNDS)
$(ROUNDS_OBJS): tools/build.mk $(B)/rounds/.callgrind
$(B)/rounds/.callgrind: FORCE
	@mkdir -p $(@D)
	@has=$$($(CC) $(CPPFLAGS) -include valgrind/callgrind.h -fsyntax-only -x c /dev/null \
		2>/dev/null && echo yes || echo no); \
		echo "$$has" | cmp -s - $@ || echo "$$has" >$@
-include $(ROUNDS_OBJS:.o=.d)
# which routine the library is in, the program hears at these functions
ROUNDS_WRAPPED := me_arrive pd_resident_wait
$(B)/rounds/own: $(ROUNDS_OBJS) $(LIBA)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(BASE_LDFLAGS) $(LDFLAGS) $(ROUNDS_WRAPPED:%=-Wl,--wrap=%) -o $@ $^ $(LIB_LIBS)
$(foreach m,openmpi mpich,$(eval $(call mpi_program,rounds,$(m),\
	$(B)/tools/perf/rounds/rounds.o $(B)/rounds/.callgrind)))

# What shells complete, by the tool's own word. Where the tool is built for another
# CPU, TOOL_RUN runs it, such as qemu-aarch64.
TOOL_RUN ?=
COMPLETIONS := $(addprefix $(B)/completions/,bash zsh fish)
.PHONY: completions
completions: $(COMPLETIONS)
$(COMPLETIONS): $(B)/completions/%: $(TOOL)
	@mkdir -p $(@D)
	$(call say,GEN,$@)
	$(Q)$(TOOL_RUN) $(TOOL) completion $* >$@

quickstart:
	tools/install-packages build
	+$(MAKE) --no-print-directory all
	$(TOOL) demo

# Measures each target of the collectives and says whether it is met, in some twenty minutes.
# BENCHFLAGS='-e 512K' is shorter, --layout xeon_sp the other layout.
bench: $(TOOL)
	$(TOOL) perf --suite targets $(BENCHFLAGS)

# Runs the applications as large as they are meant to go, and says whether each was verified:
# 20 GiB of memory, at most 15 minutes each. BENCHFLAGS='bfs cc' runs these alone.
bench-apps: $(TOOL)
	PIMDIMM=$(TOOL) tools/bench-apps $(BENCHFLAGS)
# Measures each target of several processes, beside MPI libraries where they are installed.
bench-hosts: $(TOOL)
	$(TOOL) perf --suite hosts-targets $(BENCHFLAGS)

# The last commit's sources, and Debian packages of them.
.PHONY: dist deb
dist:
	@mkdir -p $(B)
	tools/packaging/dist $(VERSION) $(B)/pimdimm-$(VERSION).tar.gz
deb:
	tools/install-packages packages
	tools/packaging/deb $(abspath $(B))/deb

LIBEXECDIR = $(DESTDIR)$(PREFIX)/libexec/pimdimm
MAN1DIR = $(DESTDIR)$(PREFIX)/share/man/man1
CHANGELOG = $(DESTDIR)$(PREFIX)/share/doc/pimdimm/CHANGELOG
# where each shell looks for completions of what is installed beside it
BASH_COMPLETION = $(DESTDIR)$(PREFIX)/share/bash-completion/completions/pimdimm
ZSH_COMPLETION = $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_pimdimm
FISH_COMPLETION = $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/pimdimm.fish
MAN7DIR = $(DESTDIR)$(PREFIX)/share/man/man7
MAN7 := $(wildcard tools/man/*.7)

.PHONY: install-tool uninstall-tool
install-tool: tool kernel-tests completions
	install -d $(DESTDIR)$(PREFIX)/bin $(LIBEXECDIR) $(MAN1DIR) $(MAN7DIR)
	install -m 755 $(TOOL) $(DESTDIR)$(PREFIX)/bin/
	for f in $(CPU_PLUGIN_FILES); do \
		[ ! -e $$f ] || install -D -m 755 $$f $(LIBEXECDIR)/cpu/$${f##*/} || exit; \
	done
	install -d $(LIBEXECDIR)/pair
	install -m 755 $(PAIRS) $(LIBEXECDIR)/pair/
	install -d $(LIBEXECDIR)/rounds
	install -m 755 $(ROUNDS) $(LIBEXECDIR)/rounds/
	install -m 644 tools/man/pimdimm.1 tools/man/pimdimm-perf.1 $(MAN1DIR)/
	sed -i 's|PREFIX|$(PREFIX)|' $(MAN1DIR)/pimdimm.1
	install -m 644 $(MAN7) $(MAN7DIR)/
	install -D -m 644 tools/packaging/CHANGELOG $(CHANGELOG)
	install -D -m 644 $(B)/completions/bash $(BASH_COMPLETION)
	install -D -m 644 $(B)/completions/zsh $(ZSH_COMPLETION)
	install -D -m 644 $(B)/completions/fish $(FISH_COMPLETION)
	install -m 755 $(KERNEL_TESTS) $(LIBEXECDIR)/
	install -m 644 $(KERNEL_TEST_LIST) $(LIBEXECDIR)/

uninstall-tool:
	rm -rf $(LIBEXECDIR)
	rm -f $(DESTDIR)$(PREFIX)/bin/pimdimm $(MAN1DIR)/pimdimm.1 \
		$(MAN1DIR)/pimdimm-perf.1 $(BASH_COMPLETION) \
		$(ZSH_COMPLETION) $(FISH_COMPLETION) $(CHANGELOG) \
		$(addprefix $(MAN7DIR)/,$(notdir $(MAN7)))

# Programs to learn from, with what builds them.
# Applications are built from these, with the paths that their includes have here.
APPS_INSTALLED := tools/apps $(foreach f,tools/tool tools/options tools/nearest tools/csv \
	runtime/base/nearest runtime/base/quota runtime/base/cgroup,$(f).c $(f).h)
EXAMPLESDIR = $(DESTDIR)$(PREFIX)/share/doc/pimdimm/examples

.PHONY: install-examples uninstall-examples
install-examples:
	install -d $(EXAMPLESDIR)/upmem
	install -m 644 $(filter-out %/upmem %/apps,$(wildcard tools/examples/*)) $(EXAMPLESDIR)/
	install -m 644 $(wildcard tools/examples/upmem/*) $(EXAMPLESDIR)/upmem/
	install -D -m 644 tools/examples/apps/inside.h $(EXAMPLESDIR)/apps/tools/inside.h
	install -m 644 $(filter-out %/inside.h,$(wildcard tools/examples/apps/*)) $(EXAMPLESDIR)/apps/
	find $(APPS_INSTALLED) -name '*.[chm]*' -type f -exec install -D -m 644 {} \
		$(abspath $(EXAMPLESDIR))/apps/{} \;

uninstall-examples:
	rm -rf $(EXAMPLESDIR)
