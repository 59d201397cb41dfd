/* SPDX-License-Identifier: MIT */
/*
 * Messages between the hosts of a call that share no memory. Both ends count the same bytes,
 * in the same order; all memory that messages lie in is the mail's own.
 */
#ifndef PC_MAIL_H
#define PC_MAIL_H

#include <stdint.h>

/* what is on its way: each has an order of its own between two hosts */
enum pc_mail_way {
	PC_MAIL_FOLD,		/* accumulators */
	PC_MAIL_FIRST,		/* results, or what is moved, of who has it */
	PC_MAIL_ONWARD,		/* the same, handed on */
	PC_MAIL_WAYS,
};

/* messages of so many batches may be under way */
#define PC_MAIL_SLOTS	12

/* Functions return 0, or a negative errno of what broke, for all hosts and for good. */
struct pc_mail {
	const uint32_t *machines;	/* of each host */
	int any_thread;			/* may make calls: those of requests */
	/*
	 * Before a call: memory for the first slots, of so many bytes each at most. -ENOMEM
	 * breaks nothing.
	 */
	int (*reserve)(struct pc_mail *mail, unsigned int slots, uint64_t bytes);
	/*
	 * The memory of a slot for so many bytes, once nothing of the slot is under way: it is
	 * the caller's until the slot's next one.
	 */
	int (*room)(struct pc_mail *mail, unsigned int slot, uint64_t bytes, uint8_t **at);
	/* Begin to send and to receive bytes of the slot's memory. */
	int (*send)(struct pc_mail *mail, unsigned int slot, enum pc_mail_way way, uint32_t to,
		    const uint8_t *at, uint64_t bytes);
	int (*expect)(struct pc_mail *mail, unsigned int slot, enum pc_mail_way way, uint32_t from,
		      uint8_t *at, uint64_t bytes);
	/* Wait until all that is expected in the slot that way has come. */
	int (*arrived)(struct pc_mail *mail, unsigned int slot, enum pc_mail_way way);
	/* Wait until nothing is under way. */
	int (*flush)(struct pc_mail *mail);
};

#endif /* PC_MAIL_H */
