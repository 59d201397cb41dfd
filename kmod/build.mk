# SPDX-License-Identifier: MIT
# The kernel modules: pimdimm.ko and, where the kernel has configfs,
# pimdimm_configfs.ko. kbuild writes next to its sources, so it is given a folder
# of links to them.

KMOD_DIR := $(B)/kmod-$(strip $(KVER))
KMOD_KO := $(KMOD_DIR)/pimdimm.ko
KMOD_SRC := Kbuild $(wildcard kmod/*.[ch] kmod/kunit/*.[ch] uapi/*.h uapi/internal/*.h) \
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
		echo >&2 'modules: no kernel headers in' \
		'$(if $(strip $(KVER)),$(KDIR),any /lib/modules/*/build):' \
		'tools/install-packages install brings them, or name a' \
		'kernel that has them with KVER= or KDIR='; \
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
	$(KDIR)/scripts/kernel-doc -Werror -none kmod/*.[ch] \
		kmod/kunit/*.[ch] uapi/*.h uapi/internal/*.h
	scripts=$$(tests/vm/fetch-scripts) && kmod/check-style "$$scripts"

# What goes with the module: who may open nodes, and its documents.
UDEVDIR = $(DESTDIR)$(PREFIX)/lib/udev/rules.d
SYSUSERSDIR = $(DESTDIR)$(PREFIX)/lib/sysusers.d
MAN4DIR = $(DESTDIR)$(PREFIX)/share/man/man4
KMOD_DOCDIR = $(DESTDIR)$(PREFIX)/share/doc/pimdimm
KMOD_DOCS := kmod/install/modprobe.conf.example $(wildcard kmod/doc/abi/*)

.PHONY: install-kmod uninstall-kmod
install-kmod:
	install -d $(UDEVDIR) $(SYSUSERSDIR) $(MAN4DIR) $(KMOD_DOCDIR)
	install -m 644 kmod/install/99-pimdimm.rules $(UDEVDIR)/
	install -m 644 kmod/install/pimdimm.sysusers.conf $(SYSUSERSDIR)/pimdimm.conf
	install -m 644 kmod/doc/pimdimm.4 $(MAN4DIR)/
	sed -i 's|PREFIX|$(PREFIX)|' $(MAN4DIR)/pimdimm.4
	install -m 644 $(KMOD_DOCS) $(KMOD_DOCDIR)/

uninstall-kmod:
	rm -f $(UDEVDIR)/99-pimdimm.rules $(SYSUSERSDIR)/pimdimm.conf \
		$(MAN4DIR)/pimdimm.4
	rm -rf $(KMOD_DOCDIR)

# The module goes where the kernel looks for modules from outside its tree.
# INSTALL_MOD_PATH is the kernel's word for DESTDIR. It would be signed with a key
# that headers packages have not, and indexed only where the kernel was built.
.PHONY: install-modules
install-modules: modules
	+$(KMOD_MAKE) CONFIG_MODULE_SIG_ALL= \
		INSTALL_MOD_PATH=$(if $(DESTDIR),$(abspath $(DESTDIR))) \
		modules_install
	$(if $(DESTDIR),,depmod $(KVER))

# The sources go where dkms looks for them, which builds the module for this
# kernel now and for each later one when it is installed.
DKMS_SRC = $(DESTDIR)/usr/src/pimdimm-$(VERSION)
.PHONY: install-dkms uninstall-dkms
install-dkms:
	$(if $(DESTDIR),,dkms remove pimdimm/$(VERSION) --all >/dev/null 2>&1 || :)
	rm -rf $(DKMS_SRC)
	install -d $(addprefix $(DKMS_SRC)/,$(sort $(dir $(KMOD_SRC))))
	for f in $(KMOD_SRC) COPYING LICENSE; do \
		install -m 644 $$f $(DKMS_SRC)/$$f || exit 1; done
	sed 's/@VERSION@/$(VERSION)/' kmod/install/dkms.conf.in >$(DKMS_SRC)/dkms.conf
	$(if $(DESTDIR),,env -u MAKEFLAGS dkms install pimdimm/$(VERSION) -k $(KVER))

uninstall-dkms:
	$(if $(DESTDIR),,-dkms remove pimdimm/$(VERSION) --all)
	rm -rf $(DKMS_SRC)
