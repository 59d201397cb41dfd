/* SPDX-License-Identifier: MIT */
/*
 * The host's end of a launch of programs: a thread of the host sends parcels to the PEs
 * while they run, and takes those that they send to PE_HOST. It is opened before.
 */
#ifndef PD_GUEST_H
#define PD_GUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/pe/process/post.h"

struct pimdimm;
struct pd_guest;

/*
 * Of the next launch of just these PEs, which run one program. -EBUSY: there is one;
 * -ENOMEM; without a sentence.
 */
int pd_guest_open(struct pimdimm *sys, uint32_t first_pe, uint32_t nr_pes,
		  struct pd_guest **guest);
/* the launch goes on without it; what it has sent still comes */
void pd_guest_close(struct pd_guest *guest);
/* the payload becomes the guest's; -EPIPE: the launch is over; -ENOMEM */
int pd_guest_send(struct pd_guest *guest, const struct pd_parcel *parcel);
/* a parcel, and its payload; false: there is none */
bool pd_guest_take(struct pd_guest *guest, struct pd_parcel *parcel);
/* whether the launch is; what it has sent may be there still */
bool pd_guest_is_over(struct pd_guest *guest);
/* until there is one; false: the launch is over, and there will be none */
bool pd_guest_wait(struct pd_guest *guest);

/* by the launch: whose host's end it has, or NULL */
struct pd_guest *pd_guest_begin(const struct pimdimm *sys, uint32_t first_pe,
				uint32_t nr_pes);
void pd_guest_end(struct pd_guest *guest);
/* to the host; false: it has too many, or there is no memory. The payload goes along */
bool pd_guest_post(struct pd_guest *guest, const struct pd_parcel *parcel);
/*
 * From the host, each to `deliver`, which takes its payload or returns false: the parcel
 * stays, and so do those that follow.
 */
void pd_guest_move(struct pd_guest *guest,
		   bool (*deliver)(void *ctx, const struct pd_parcel *parcel), void *ctx);
/*
 * No PE can go on: until the host has sent something, or has made room. false: it will
 * not, being closed, or waiting itself, or the thread that waits here; or the launch is over.
 */
bool pd_guest_await(struct pd_guest *guest, const uint32_t *over);

#endif /* PD_GUEST_H */
