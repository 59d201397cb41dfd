# SPDX-License-Identifier: MIT
# The Python package pimdimm: $(B)/python is what Python finds it in until it is
# installed. Where Python's headers are missing it is left out, and that is said.

# the system's own, for which distributions package NumPy; PYTHON=python3 takes another
PYTHON ?= $(or $(wildcard /usr/bin/python3),python3)
PYTHON_PACKAGE := $(B)/python/pimdimm
PYTHON_SRCS := $(wildcard tools/python/*.c)
PYTHON_OBJS := $(PYTHON_SRCS:%.c=$(B)/%.o)
PYTHON_CORE := $(PYTHON_PACKAGE)/_core.abi3.so
PYTHON_FILES := $(patsubst tools/python/%,$(B)/python/%,$(wildcard tools/python/pimdimm/*.py*) \
	tools/python/pimdimm/py.typed)

# Its headers, where they are this compiler's, too: those of another CPU are not.
# Sanitizers would have to be in the interpreter.
PYTHON_INCLUDE := $(if $(SANITIZE),,$(shell $(PYTHON) tools/python/where.py include 2>/dev/null))
PYTHON_INCLUDE := $(if $(PYTHON_INCLUDE),$(shell echo '#include <Python.h>' | \
	$(CC) -I$(PYTHON_INCLUDE) -fsyntax-only -x c - 2>/dev/null && echo $(PYTHON_INCLUDE)))

.PHONY: python install-python uninstall-python
ifneq ($(PYTHON_INCLUDE),)
python: $(PYTHON_CORE) $(PYTHON_FILES)
else
python:
	$(if $(SANITIZE),,@echo '  left out  the Python package: no headers of Python 3.11 or later (python3-dev)')
endif

$(PYTHON_OBJS): OBJ_CFLAGS = -fPIC -fvisibility=hidden -isystem $(PYTHON_INCLUDE)
$(PYTHON_OBJS): tools/python/build.mk
-include $(PYTHON_OBJS:.o=.d)

# libpimdimm lies two folders above where it is built, three where installed
PYTHON_RPATH := -Wl,-rpath,'$$ORIGIN/../..:$$ORIGIN/../../..'
$(PYTHON_CORE): $(PYTHON_OBJS) $(LIBSO)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(BASE_LDFLAGS) $(LDFLAGS) -shared $(PYTHON_RPATH) -o $@ $(PYTHON_OBJS) \
		-L$(B) -lpimdimm

$(B)/python/%: tools/python/%
	@mkdir -p $(@D)
	@cp $< $@

PYTHONDIR ?= $(shell $(PYTHON) tools/python/where.py site $(PREFIX) 2>/dev/null)

install-python: python
ifneq ($(PYTHON_INCLUDE),)
	install -d $(DESTDIR)$(PYTHONDIR)/pimdimm
	install -m 644 $(PYTHON_FILES) $(DESTDIR)$(PYTHONDIR)/pimdimm/
	install -m 755 $(PYTHON_CORE) $(DESTDIR)$(PYTHONDIR)/pimdimm/
endif

uninstall-python:
	$(if $(PYTHONDIR),rm -rf $(DESTDIR)$(PYTHONDIR)/pimdimm)
