# SPDX-License-Identifier: MIT
# The virtual machine that loads the module, see `run`.

# cases of the conformance test a layout
VM_CASES ?= 2000

VM_INITRAMFS := $(B)/tests/vm/initramfs.cpio
VM_PROGRAMS := $(B)/pimdimm $(B)/tests/conformance/conformance
VM_SCRIPTS := $(addprefix tests/vm/,init initramfs fetch-kernel extract-vmlinux)
VM_JOBS := kernel:linear kernel:xeon_sp module user:xeon_sp tool \
	conformance:linear:$(VM_CASES) conformance:xeon_sp:$(VM_CASES)

# T= names a job (its first word or all), else a kernel selftest, or one test
# of it: T=conformance, T=kernel:linear, T=xfer, T=xfer:borders.
VM_FOUND := $(strip $(foreach job,$(VM_JOBS),\
	$(if $(filter $(T),$(job) $(firstword $(subst :, ,$(job)))),$(job))))
VM_CHOSEN = $(or $(if $(T),,$(VM_JOBS)),$(VM_FOUND),$(filter module:%,$(T)),\
	kernel:linear:$(T) kernel:xeon_sp:$(T))

$(B)/tests/vm/vmexit: tests/vm/vmexit.c
	@mkdir -p $(@D)
	$(CC) $(BASE_CFLAGS) $(CFLAGS) $(BASE_LDFLAGS) $(LDFLAGS) -static -o $@ $<

$(VM_INITRAMFS): $(KMOD_KO) $(KERNEL_TESTS) $(KERNEL_TEST_LIST) $(VM_PROGRAMS) \
		$(B)/tests/vm/vmexit tests/vm/tool.sh $(VM_SCRIPTS)
	@mkdir -p $(@D)
	kernel=$$(tests/vm/fetch-kernel $(KVER)) && \
	tests/vm/initramfs $@ $(KVER) "$$kernel" $(KMOD_KO) \
		bin=$(B)/tests/vm/vmexit $(addprefix libexec/pimdimm=,\
			$(KERNEL_TESTS) $(KERNEL_TEST_LIST)) \
		$(addprefix bin=,$(VM_PROGRAMS)) vm=tests/vm/tool.sh

.PHONY: check-vm vm-shell
check-vm: $(VM_INITRAMFS)
	@kernel=$$(tests/vm/fetch-kernel $(KVER)) && \
	accel=$$(tests/vm/accel "$$kernel" $(VM_INITRAMFS)) && \
	prove $(if $(T),-v) --exec "tests/vm/run --accel $$accel \
		--kernel $$kernel --initramfs $(VM_INITRAMFS)" $(VM_CHOSEN)

vm-shell: $(VM_INITRAMFS)
	@kernel=$$(tests/vm/fetch-kernel $(KVER)) && \
	tests/vm/run --interactive --kernel $$kernel \
		--initramfs $(VM_INITRAMFS) shell:linear
