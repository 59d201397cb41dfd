# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# apt for aarch64, from where this machine's packages come from, in a configuration of its
# own, so that nothing is installed. Sourced.

# apt_begin DIR: what it needs, in there; APT_CONFIG says so to what follows
apt_begin()
{
	mkdir -p "$1/state/lists/partial" "$1/cache/archives/partial" "$1/root"
	: >"$1/status"
	# apt's own user cannot write to the cache of another one
	cat >"$1/apt.conf" <<-EOF
		APT::Architecture "arm64";
		APT::Architectures { "arm64"; };
		APT::Install-Recommends "false";
		APT::Sandbox::User "root";
		Dir::State "$1/state";
		Dir::State::status "$1/status";
		Dir::Cache "$1/cache";
		Debug::NoLocking "true";
	EOF
	export APT_CONFIG="$1/apt.conf"
	apt-get update -qq
}
