/* SPDX-License-Identifier: MIT */
/*
 * What transfers between a host and its PEs take on hardware: a model, of numbers
 * alone. The bytes of an entangled group go in bursts that all its PEs share. The host
 * has a few threads, which share the groups of a rank in order: with four, the first
 * serves groups 0 and 1 one after the other. It handles each PE's bytes besides.
 */
#ifndef PD_BUS_H
#define PD_BUS_H

#include <stdint.h>

enum pd_bus_kind {
	PD_BUS_PUSH,		/* a buffer for each PE */
	PD_BUS_BROADCAST,	/* one for all */
	PD_BUS_PULL,
	PD_BUS_WRAM_WRITE,
	PD_BUS_WRAM_READ,
};

/* one call; of one PE it is a serial transfer */
struct pd_bus_call {
	enum pd_bus_kind kind;
	uint64_t bytes;		/* of each PE */
	uint32_t pes;
	uint32_t egs;		/* entangled groups that these PEs are of */
	uint32_t most;		/* of them that one thread of the host serves */
	/* while they are added: the last group, whose thread, how many it has */
	uint32_t last, share, of_share;
};

/* One more of its PEs, which come in order, of this entangled group of the system. */
void pd_bus_add_pe(struct pd_bus_call *call, uint32_t eg);

/* of one PE */
static inline struct pd_bus_call pd_bus_serial(enum pd_bus_kind kind,
					       uint64_t bytes)
{
	return (struct pd_bus_call){
		.kind = kind, .bytes = bytes, .pes = 1, .egs = 1, .most = 1,
	};
}

/* what the call takes whatever it moves, and what its bytes take */
struct pd_bus_time {
	uint64_t call_ns, move_ns;
};

struct pd_bus_time pd_bus_time(const struct pd_bus_call *call);

static inline uint64_t pd_bus_ns(const struct pd_bus_call *call)
{
	struct pd_bus_time time = pd_bus_time(call);

	return time.call_ns + time.move_ns;
}

/* Bytes that a collective has on the bus, at the rate of all channels together. */
uint64_t pd_bus_collective_ns(uint64_t bytes);

#define PD_BUS_FITTED	"calibrated to hardware times of VIA-Research/uPIMulator"

/*
 * The model's parameters: name, value, unit and source. What is of a group is of one
 * PE of each entangled group; a push has further time for what no cache of the host
 * holds.
 */
#define PD_BUS_PARAMETERS(p)						       \
	p(xfer_threads, 4, "threads of a host, which share a rank's 8 groups", \
	  "cores of the host of VIA-Research/uPIMulator")		       \
	p(xfer_push_call_ns, 57300, "ns each push", PD_BUS_FITTED)	       \
	p(xfer_push_group_ps, 2080, "ps each byte of a group", PD_BUS_FITTED)  \
	p(xfer_push_host_ps, 117, "ps each byte of every PE", PD_BUS_FITTED)   \
	p(xfer_push_miss_ps, 244, "ps more each byte past the cache", PD_BUS_FITTED) \
	p(xfer_cache_bytes, 6500000, "bytes of a push", PD_BUS_FITTED)	       \
	p(xfer_broadcast_host_ps, 45, "ps each byte of every PE", PD_BUS_FITTED) \
	p(xfer_pull_call_ns, 134500, "ns each pull", PD_BUS_FITTED)	       \
	p(xfer_pull_group_ps, 8075, "ps each byte of a group", PD_BUS_FITTED)  \
	p(xfer_pull_host_ps, 484, "ps each byte of every PE", PD_BUS_FITTED)   \
	p(xfer_wram_write_call_ns, 8000, "ns each push to WRAM", PD_BUS_FITTED) \
	p(xfer_wram_write_ps, 137000, "ps each byte of every PE", PD_BUS_FITTED) \
	p(xfer_wram_read_call_ns, 73000, "ns each pull from WRAM", PD_BUS_FITTED) \
	p(xfer_wram_read_ps, 63100, "ps each byte of every PE", PD_BUS_FITTED) \
	p(bus_mb_per_s, 76800, "10^6 bytes a second of collectives",	       \
	  "Noh et al., ISCA 2024: four channels of DDR4-2400")

/* those in use: values from 0 on, of xfer_threads and bus_mb_per_s from 1 */
extern struct pd_bus_parameters {
#define PD_BUS_FIELD(name, value, unit, source)	uint32_t name;
	PD_BUS_PARAMETERS(PD_BUS_FIELD)
#undef PD_BUS_FIELD
} pd_bus;

#endif /* PD_BUS_H */
