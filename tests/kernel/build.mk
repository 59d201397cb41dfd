# SPDX-License-Identifier: MIT
# The kernel selftests: static programs, so that they run in the virtual machine
# and, installed, on any machine whose module is loaded. In the order in which
# they run: the last two unload it.

KERNEL_TEST_NAMES := query ioctl map xfer xfer_errors xfer_pages owner reset \
	threads signals faults memory moving mux mux_races sysfs stats trace security inject \
	systems features dmabuf dmabuf_limit dmabuf_drm fuzz storm \
	failnth failnth_dmabuf failnth_systems failnth_module module
KERNEL_TESTS := $(addprefix $(B)/tests/kernel/,$(KERNEL_TEST_NAMES))
KERNEL_TEST_COMMON := $(addprefix $(B)/tests/kernel/,harness.o machine.o \
	rank.o views.o dmabuf_support.o nth.o loading.o userfault.o)

# names them, for whoever runs them all
KERNEL_TEST_LIST := $(B)/tests/kernel/selftests

.PHONY: kernel-tests
kernel-tests: $(KERNEL_TESTS) $(KERNEL_TEST_LIST)

$(KERNEL_TEST_LIST): tests/kernel/build.mk
	@mkdir -p $(@D)
	$(call say,GEN,$@)
	$(Q)printf '%s\n' $(KERNEL_TEST_NAMES) >$@

KERNEL_TEST_OBJS := $(patsubst %.c,$(B)/%.o,$(wildcard tests/kernel/*.c))
$(KERNEL_TEST_OBJS): tests/kernel/build.mk

$(B)/tests/kernel/module: $(addprefix $(B)/tests/kernel/,module_events.o \
	module_unload.o)
$(B)/tests/kernel/failnth_module: $(B)/tests/kernel/opener.o

# Away from small numbers, which it hands out as addresses to write to.
KERNEL_TEST_STATIC := -static
$(B)/tests/kernel/storm: KERNEL_TEST_STATIC := -static-pie
$(B)/tests/kernel/storm: $(addprefix $(B)/tests/kernel/,storm_calls.o \
	storm_files.o storm_memory.o)

$(KERNEL_TESTS): $(B)/tests/kernel/%: $(B)/tests/kernel/%.o $(KERNEL_TEST_COMMON)
	$(call say,LD,$@)
	$(Q)$(CC) $(BASE_LDFLAGS) $(LDFLAGS) $(KERNEL_TEST_STATIC) -o $@ $^ \
		$(KERNEL_TEST_LIBS)

$(addprefix $(B)/tests/kernel/,dmabuf_drm.o failnth_dmabuf.o storm_files.o): \
	OBJ_CFLAGS = $(shell $(PKG_CONFIG) --cflags libdrm)
$(B)/tests/kernel/dmabuf_drm: KERNEL_TEST_LIBS = \
	$(shell $(PKG_CONFIG) --libs --static libdrm)

-include $(KERNEL_TEST_OBJS:.o=.d)
