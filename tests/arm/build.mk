# SPDX-License-Identifier: MIT
# aarch64 under qemu-user, and programs for PEs in a machine of its own. The first three are
# built by what `make` of this folder starts, for that CPU; rows of `runs` say which programs,
# and machine.t which unit tests.

ARM_PROGRAMS = $(addprefix $(B)/tests/,$(sort $(shell awk '!/^\043/ && ($$2 == "short" || \
	"$(1)" == "full") { i = 5; while ($$i ~ /=/) i++; print $$i }' tests/arm/runs)))

ARM_UNITS = $(addprefix $(B)/tests/unit/pe/,$(shell sed -n "/^units=/,/'$$/p" \
	tests/arm/machine.t | grep -o 'pe_[a-z]*'))

.PHONY: arm-short arm-full arm-machine check-arm
arm-short: $$(call ARM_PROGRAMS,short) $(TOOL)
arm-full: $$(call ARM_PROGRAMS,full) $(TOOL)
arm-machine: upmem-pe $(B)/tests/upmem/runner $$(ARM_UNITS)

check-arm:
	$(SHARE_JOBS)@B='$(B)' MAKE='$(SUB_MAKE)' tests/arm/make \
		$(if $(filter machine,$(T)),,lib arm-full) $(if $(T:machine=),,lib arm-machine)
	@$(if $(filter machine,$(T)),,B='$(B)' prove --timer $(if $(T),-v,-j $(JOBS)) \
		--exec tests/arm/run $(or $(T),$$(tests/arm/run --list full)))
	@$(if $(T:machine=),,B='$(B)' prove --timer $(if $(T),-v) tests/arm/machine.t)
