# SPDX-License-Identifier: MIT
# The host side of the tool chain for UPMEM programs: libdpu and its headers.

DPU_SRCS := $(filter-out tools/upmem/host/verbose.c,$(wildcard tools/upmem/host/*.c tools/upmem/host/core/*.c))
DPU_OBJS := $(DPU_SRCS:%.c=$(B)/%.o)
DPU_HEADERS := $(wildcard tools/upmem/host/include/*)
DPU_CFLAGS := -fPIC -fvisibility=hidden -Itools/upmem/host/include

LIBDPU := $(UPMEM)/lib/libdpu.so
# whose functions libdpu has, for programs that are linked to them by name
LIBDPU_NAMES := $(UPMEM)/lib/libdpuverbose.so $(UPMEM)/lib/libdpuvpd.so
DPU_PC := $(UPMEM)/share/pkgconfig/dpu.pc
DPU_STAMP := $(UPMEM)/include/dpu/.stamp
DPU_PYTHON := $(patsubst tools/upmem/python/%,$(UPMEM)/lib/python3/%, \
	$(wildcard tools/upmem/python/dpu/*.py))

.PHONY: upmem-host
upmem: upmem-host
upmem-host: $(LIBDPU) $(LIBDPU_NAMES) $(DPU_PC) $(DPU_STAMP) $(DPU_PYTHON)

$(DPU_STAMP): $(DPU_HEADERS)
	@mkdir -p $(@D)
	@cp -p $^ $(@D)/
	@touch $@

$(UPMEM)/lib/python3/%: tools/upmem/python/%
	@mkdir -p $(@D)
	@cp $< $@

$(DPU_PC): tools/upmem/host/dpu.pc Makefile $(VERSION_HEADER)
	@mkdir -p $(@D)
	$(Q)sed -e 's|@VERSION@|$(VERSION)|' $< > $@

$(DPU_OBJS) $(B)/tools/upmem/host/verbose.o: OBJ_CFLAGS = $(DPU_CFLAGS)
$(DPU_OBJS) $(B)/tools/upmem/host/verbose.o: tools/upmem/host/build.mk
-include $(DPU_OBJS:.o=.d)

# libpimdimm lies two folders above where it is built, three where installed
DPU_RPATH := -Wl,-rpath,'$$ORIGIN/../..:$$ORIGIN/../../..'
$(LIBDPU): $(DPU_OBJS) $(LIBSO) tools/upmem/host/libdpu.map
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(BASE_LDFLAGS) $(LDFLAGS) -shared -Wl,-z,defs \
		-Wl,-soname,libdpu.so \
		-Wl,--version-script=tools/upmem/host/libdpu.map $(DPU_RPATH) \
		-o $@ $(DPU_OBJS) -L$(B) -lpimdimm -lelf

$(LIBDPU_NAMES): $(B)/tools/upmem/host/verbose.o
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(BASE_LDFLAGS) $(LDFLAGS) -shared \
		-Wl,-soname,$(@F) -o $@ $<
