# SPDX-License-Identifier: MIT
# The kernel module. kbuild writes next to its sources, so it is given a folder
# of links to them.

KMOD_DIR := $(B)/kmod-$(strip $(KVER))
KMOD_KO := $(KMOD_DIR)/pimdimm.ko
KMOD_SRC := Kbuild $(wildcard kmod/*.[ch]) $(wildcard uapi/*.h) \
	runtime/include/pimdimm/pimdimm.h
# what a new version of the same kernel's headers package changes
KMOD_KDEPS := $(wildcard $(KDIR)/Module.symvers $(KDIR)/.config)
KMOD_MAKE = $(MAKE) -C $(KDIR) M=$(abspath $(KMOD_DIR)) KCFLAGS=-Werror W=1 \
	$(KMOD_FLAGS)
# BTF of a module needs a vmlinux, which headers packages have not
KMOD_FLAGS ?= CONFIG_DEBUG_INFO_BTF_MODULES=

# CC=, VERSION= and their like are meant for this makefile and mean something
# else to kbuild; what it shall hear of goes into KMOD_FLAGS.
$(KMOD_KO) check-kmod-style: MAKEOVERRIDES :=

.PHONY: modules check-kmod-style kmod-headers
modules: $(KMOD_KO)

kmod-headers:
	@test -n '$(strip $(KVER))' -a -e '$(KDIR)/Makefile' || { \
		echo >&2 'modules: no kernel headers in "$(KDIR)";' \
		'install linux-headers-amd64 or name a kernel with KVER= or KDIR='; \
		exit 1; }

# Links that lead nowhere any more go first: kbuild would trip over them.
define kmod-stage
mkdir -p $(addprefix $(KMOD_DIR)/,$(sort $(dir $(KMOD_SRC))))
find $(KMOD_DIR) -xtype l -delete
for f in $(KMOD_SRC); do ln -sfn $(CURDIR)/$$f $(KMOD_DIR)/$$f || exit 1; done
endef

# kbuild leaves the module alone when nothing in it has changed: touch says
# that it is up to date nevertheless.
$(KMOD_KO): $(KMOD_SRC) kmod/build.mk $(KMOD_KDEPS) | kmod-headers
	@$(kmod-stage)
	+$(KMOD_MAKE) modules
	@touch $@

# C=2 checks every source, compiled just now or not.
check-kmod-style: $(KMOD_KO)
	+$(KMOD_MAKE) C=2 CF=-Wsparse-error modules
	@touch $(KMOD_KO)
	$(KDIR)/scripts/kernel-doc -Werror -none kmod/*.[ch] uapi/*.h
