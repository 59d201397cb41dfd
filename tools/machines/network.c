// SPDX-License-Identifier: MIT
/* Bridges, links, addresses and token buckets, by rtnetlink. */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>

#include "tools/machines/netlink.h"
#include "tools/machines/network.h"
#include "tools/tool.h"

#define BITS		8u
/*
 * The bucket holds what passes in a millisecond, and at least some of the packets of 64 KiB
 * that TCP hands down, which it would otherwise cut; what waits longer than the queue is lost.
 */
#define BUCKETS_A_SECOND 1000u
#define SMALLEST_BUCKET	 (256u << 10)
#define QUEUES_A_SECOND	 100u
#define LONGEST_PACKET	 (64u << 10)

/* Says what was refused; a kind of link or queue that is not built is ENOTSUP or ENOENT. */
static int refused(int err, const char *what, const char *kind)
{
	if (!err)
		return 0;
	if (err == -EOPNOTSUPP || err == -ENOENT || err == -ENODEV)
		tool_error("the kernel has no %s, which machines are connected by (%s)", kind,
			   what);
	else
		tool_error("%s: %s", what, strerror(-err));
	return err;
}

static struct ifinfomsg *begin_link(struct netlink *n, uint16_t flags, const char *name)
{
	struct ifinfomsg *link = netlink_begin(n, RTM_NEWLINK, flags, sizeof(*link));

	link->ifi_family = AF_UNSPEC;
	if (name)
		netlink_add_text(n, IFLA_IFNAME, name);
	return link;
}

static int link_up(struct netlink *n, const char *name)
{
	struct ifinfomsg *link = begin_link(n, 0, NULL);

	link->ifi_index = (int)if_nametoindex(name);
	link->ifi_flags = IFF_UP;
	link->ifi_change = IFF_UP;
	return refused(netlink_send(n), name, "network devices");
}

static int add_address(struct netlink *n, const char *name, uint32_t last)
{
	struct ifaddrmsg *address = netlink_begin(n, RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL,
						  sizeof(*address));
	const uint32_t ip = htonl((10u << 24) | (77u << 16) | last);

	address->ifa_family = AF_INET;
	address->ifa_prefixlen = 24;
	address->ifa_index = if_nametoindex(name);
	netlink_add(n, IFA_LOCAL, &ip, sizeof(ip));
	netlink_add(n, IFA_ADDRESS, &ip, sizeof(ip));
	return refused(netlink_send(n), "an address", "IPv4");
}

static int add_bridge(struct netlink *n)
{
	struct nlattr *info;

	begin_link(n, NLM_F_CREATE | NLM_F_EXCL, NETWORK_BRIDGE);
	info = netlink_enter(n, IFLA_LINKINFO, 0);
	netlink_add_text(n, IFLA_INFO_KIND, "bridge");
	netlink_leave(n, info);
	return refused(netlink_send(n), "CONFIG_BRIDGE", "bridge");
}

/* The other end is made where the machine is: it needs to be moved nowhere. */
static int add_pair(struct netlink *n, const char *name, pid_t process)
{
	struct nlattr *info, *data, *peer;

	begin_link(n, NLM_F_CREATE | NLM_F_EXCL, name);
	netlink_add_number(n, IFLA_MASTER, if_nametoindex(NETWORK_BRIDGE));
	info = netlink_enter(n, IFLA_LINKINFO, 0);
	netlink_add_text(n, IFLA_INFO_KIND, "veth");
	data = netlink_enter(n, IFLA_INFO_DATA, 0);
	peer = netlink_enter(n, VETH_INFO_PEER, sizeof(struct ifinfomsg));
	netlink_add_text(n, IFLA_IFNAME, NETWORK_LINK);
	netlink_add_number(n, IFLA_NET_NS_PID, (uint32_t)process);
	netlink_leave(n, peer);
	netlink_leave(n, data);
	netlink_leave(n, info);
	return refused(netlink_send(n), "CONFIG_VETH", "virtual links");
}

/* bytes in a bucket of the token bucket filter */
static uint32_t bucket(uint64_t bytes_a_second)
{
	uint64_t bytes = bytes_a_second / BUCKETS_A_SECOND;

	return bytes < SMALLEST_BUCKET ? SMALLEST_BUCKET : (uint32_t)bytes;
}

static int add_rate(struct netlink *n, uint64_t bits_a_second)
{
	uint64_t rate = bits_a_second / BITS;
	struct tc_tbf_qopt parameters = {
		.rate = { .linklayer = TC_LINKLAYER_ETHERNET,
			  .rate = rate > UINT32_MAX ? UINT32_MAX : (uint32_t)rate },
		.limit = (uint32_t)(rate / QUEUES_A_SECOND) + bucket(rate) + LONGEST_PACKET,
	};
	struct tcmsg *queue = netlink_begin(n, RTM_NEWQDISC, NLM_F_CREATE | NLM_F_EXCL,
					    sizeof(*queue));
	struct nlattr *options;

	queue->tcm_ifindex = (int)if_nametoindex(NETWORK_LINK);
	queue->tcm_parent = TC_H_ROOT;
	netlink_add_text(n, TCA_KIND, "tbf");
	options = netlink_enter(n, TCA_OPTIONS, 0);
	netlink_add(n, TCA_TBF_PARMS, &parameters, sizeof(parameters));
	netlink_add_number(n, TCA_TBF_BURST, bucket(rate));
	if (rate > UINT32_MAX)
		netlink_add(n, TCA_TBF_RATE64, &rate, sizeof(rate));
	netlink_leave(n, options);
	return refused(netlink_send(n), "CONFIG_NET_SCH_TBF", "token bucket filter for --rate");
}

static int begin(struct netlink *n)
{
	return refused(netlink_open(n), "rtnetlink", "rtnetlink");
}

int network_bridge(void)
{
	struct netlink n;
	int ret = begin(&n);

	if (ret)
		return ret;
	ret = add_bridge(&n);
	if (!ret)
		ret = add_address(&n, NETWORK_BRIDGE, NETWORK_OUTSIDE);
	if (!ret)
		ret = link_up(&n, NETWORK_BRIDGE);
	if (!ret)
		ret = link_up(&n, "lo");
	netlink_close(&n);
	return ret;
}

int network_connect(uint32_t machine, pid_t process)
{
	char name[IFNAMSIZ];
	struct netlink n;
	int ret = begin(&n);

	if (ret)
		return ret;
	snprintf(name, sizeof(name), "m%u", machine);
	ret = add_pair(&n, name, process);
	if (!ret)
		ret = link_up(&n, name);
	netlink_close(&n);
	return ret;
}

int network_arrive(uint32_t machine, uint64_t rate)
{
	struct netlink n;
	int ret = begin(&n);

	if (ret)
		return ret;
	ret = link_up(&n, "lo");
	if (!ret)
		ret = add_address(&n, NETWORK_LINK, 1 + machine);
	if (!ret && rate)
		ret = add_rate(&n, rate);
	if (!ret)
		ret = link_up(&n, NETWORK_LINK);
	netlink_close(&n);
	return ret;
}
