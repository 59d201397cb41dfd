# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# To be sourced: puts the tool chain that this file lies in first. An argument, the
# vendor's choice of backend (hw, simulator), is accepted and means nothing here.
if [ -n "${BASH_VERSION:-}" ]; then
	# shellcheck disable=SC3028,SC3054
	UPMEM_HOME=${BASH_SOURCE[0]}
elif [ -n "${ZSH_VERSION:-}" ]; then
	eval 'UPMEM_HOME=${(%):-%x}'
else
	# other shells do not say which file they read
	UPMEM_HOME=${UPMEM_HOME:+$UPMEM_HOME/upmem_env.sh}
fi
if [ ! -f "$UPMEM_HOME" ]; then
	echo "upmem_env.sh: this shell does not say where it lies: set UPMEM_HOME first, or eval \"\$(pimdimm compat --env)\"" >&2
else
	UPMEM_HOME=$(dirname "$(readlink -f "$UPMEM_HOME")")
	export UPMEM_HOME
	export PATH="$UPMEM_HOME/bin:$PATH"
	export LD_LIBRARY_PATH="$UPMEM_HOME/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
	export CPATH="$UPMEM_HOME/include/dpu${CPATH:+:$CPATH}"
	export LIBRARY_PATH="$UPMEM_HOME/lib${LIBRARY_PATH:+:$LIBRARY_PATH}"
	export PYTHONPATH="$UPMEM_HOME/lib/python3${PYTHONPATH:+:$PYTHONPATH}"
fi
