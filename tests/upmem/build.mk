# SPDX-License-Identifier: MIT
# Tests of the tool chain: what small PE programs do is seen by a runner.

# the oracle knows the races of random scripts
UPMEM_RUNNER := $(B)/tests/upmem/runner $(B)/tests/upmem/oracle/oracle

$(UPMEM_RUNNER): %: %.o $(LIBA)
	$(call say,LD,$@)
	$(Q)$(CC) $(BASE_LDFLAGS) $(LDFLAGS) -o $@ $^ $(LIB_LIBS)

-include $(UPMEM_RUNNER:=.d)

# What users do with the tool chain; UPMEM_ALL=1 with every number of tasklets
# and DPUs, which may take hours. T=name for one script.
.PHONY: check-upmem
check-upmem: lib upmem $(UPMEM_RUNNER)
	@B=$(B) TEST_TIMEOUT=$(or $(TEST_TIMEOUT),$(if $(UPMEM_ALL),36000,2400)) \
		prove $(if $(T),-v) --exec tests/run \
		$(if $(T),tests/upmem/$(T).t,$(wildcard tests/upmem/*.t))
