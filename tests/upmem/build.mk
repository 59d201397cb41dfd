# SPDX-License-Identifier: MIT
# Tests of the tool chain: what small PE programs do is seen by a runner.

UPMEM_RUNNER := $(B)/tests/upmem/runner

$(B)/tests/upmem/runner.o: tests/upmem/runner.c $(HEADERS_STAMP) \
		tests/upmem/build.mk
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(BASE_CFLAGS) $(CFLAGS) -c -o $@ $<

$(UPMEM_RUNNER): $(B)/tests/upmem/runner.o $(LIBA)
	$(call say,LD,$@)
	$(Q)$(CC) $(BASE_LDFLAGS) $(LDFLAGS) -o $@ $^ $(LIB_LIBS)

-include $(wildcard $(B)/tests/upmem/*.d)
