# SPDX-License-Identifier: MIT
# aarch64 under qemu-user. The first two are built by what `make` of this folder starts,
# for that CPU; rows of `runs` say which programs.

ARM_PROGRAMS = $(addprefix $(B)/tests/,$(sort $(shell awk '!/^\#/ && ($$2 == "short" || \
	"$(1)" == "full") { i = 5; while ($$i ~ /=/) i++; print $$i }' tests/arm/runs)))

.PHONY: arm-short arm-full check-arm
arm-short: $$(call ARM_PROGRAMS,short) $(TOOL)
arm-full: $$(call ARM_PROGRAMS,full) $(TOOL)

check-arm:
	$(SHARE_JOBS)@B='$(B)' MAKE='$(SUB_MAKE)' tests/arm/make lib arm-full
	@B='$(B)' prove --timer $(if $(T),-v,-j $(JOBS)) --exec tests/arm/run \
		$(or $(T),$$(tests/arm/run --list full))
