/* SPDX-License-Identifier: MIT */
/*
 * What transfers between a host and its PEs take on hardware: a model, of numbers
 * alone. The bytes of an entangled group go in bursts that all its PEs share; the
 * host serves a few such groups at once, whatever ranks and channels they are of,
 * and handles each PE's bytes besides.
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
};

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
 * holds. 64 PEs of a rank are 8 groups.
 */
#define PD_BUS_PARAMETERS(p)						       \
	p(xfer_groups, 4, "entangled groups that a host serves at once",       \
	  "cores of the host of VIA-Research/uPIMulator")		       \
	p(xfer_push_call_ns, 57300, "ns each push", PD_BUS_FITTED)	       \
	p(xfer_push_group_ps, 1720, "ps each byte of a group", PD_BUS_FITTED)  \
	p(xfer_push_host_ps, 150, "ps each byte of every PE", PD_BUS_FITTED)   \
	p(xfer_push_miss_ps, 480, "ps each byte of a group, past the cache",   \
	  PD_BUS_FITTED)						       \
	p(xfer_cache_bytes, 5600000, "bytes of a push", PD_BUS_FITTED)	       \
	p(xfer_broadcast_host_ps, 57, "ps each byte of every PE", PD_BUS_FITTED) \
	p(xfer_pull_call_ns, 134000, "ns each pull", PD_BUS_FITTED)	       \
	p(xfer_pull_group_ps, 8110, "ps each byte of a group", PD_BUS_FITTED)  \
	p(xfer_pull_host_ps, 480, "ps each byte of every PE", PD_BUS_FITTED)   \
	p(xfer_wram_write_call_ns, 13500, "ns each push to WRAM", PD_BUS_FITTED) \
	p(xfer_wram_write_ps, 117000, "ps each byte of every PE", PD_BUS_FITTED) \
	p(xfer_wram_read_call_ns, 68800, "ns each pull from WRAM", PD_BUS_FITTED) \
	p(xfer_wram_read_ps, 64300, "ps each byte of every PE", PD_BUS_FITTED) \
	p(bus_mb_per_s, 76800, "10^6 bytes a second of collectives",	       \
	  "Noh et al., ISCA 2024: four channels of DDR4-2400")

/* those in use: values from 0 on, of xfer_groups and bus_mb_per_s from 1 */
extern struct pd_bus_parameters {
#define PD_BUS_FIELD(name, value, unit, source)	uint32_t name;
	PD_BUS_PARAMETERS(PD_BUS_FIELD)
#undef PD_BUS_FIELD
} pd_bus;

#endif /* PD_BUS_H */
