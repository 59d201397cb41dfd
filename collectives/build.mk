# SPDX-License-Identifier: MIT
# The collectives' part of the library; runtime/build.mk links it.

COLLECTIVES_SRCS := algorithms allgather_conventional allgather_direct args \
	allreduce_conventional allreduce_direct allreduce_ring allreduce_tree \
	alltoall_conventional alltoall_direct broadcast_conventional \
	broadcast_direct call counted fold hypercube lanes messages ops pidcomm plan \
	reduce_conventional reduce_direct \
	reduce_scatter_conventional reduce_scatter_direct request rows run scatter_gather \
	staging tiers
# with help of PEs: a way each, what these share, and what all share
COLLECTIVES_SRCS += assisted reorder $(foreach c,alltoall reduce_scatter \
	allreduce allgather reduce,$(c)_assisted $(c)_pr $(c)_pr_im $(c)_pr_im_cm)
COLLECTIVES_TIERED := kernels folds reduces turns
LIB_OBJS += $(COLLECTIVES_SRCS:%=$(B)/collectives/%.o) \
	$(foreach s,$(COLLECTIVES_TIERED),$(TIERS:%=$(B)/collectives/$(s)-%.o))
# Half a minute a tier to instrument what is one source for all: the counting
# tier's accesses are watched, and the others' are the same.
UNWATCHED := $(if $(SANITIZE),$(patsubst %,reduces-%,$(filter-out count,$(TIERS))))

define tiered_rule
$(B)/collectives/$(1)-%.o: collectives/$(1).c $(HEADERS_STAMP) Makefile \
		runtime/build.mk collectives/build.mk
	@mkdir -p $$(@D)
	$$(call say,CC,$$@)
	$$(Q)$$(CC) $$(BASE_CFLAGS) $$(LIB_CFLAGS) $$(CFLAGS) \
		$$(TIER_CFLAGS) $$(CFLAGS_$$*) -DPD_TIER=$$* \
		$$(if $$(filter $(1)-$$*,$$(UNWATCHED)),-fno-sanitize=all) \
		-c -o $$@ $$<
endef
$(foreach s,$(COLLECTIVES_TIERED),$(eval $(call tiered_rule,$(s))))

$(B)/collectives/%.o: collectives/%.c $(HEADERS_STAMP) Makefile \
		runtime/build.mk collectives/build.mk
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(BASE_CFLAGS) $(LIB_CFLAGS) $(CFLAGS) -c -o $@ $<

-include $(wildcard $(B)/collectives/*.d)
