/* SPDX-License-Identifier: MIT */
/*
 * Messages between two processes, each with its own node of the engine. What travels goes
 * through a ring in memory that the sender made and both map; descriptors and bells that
 * wake go over the socket. Nothing that the other process writes is believed: numbers are
 * read once, and no size, place or layout is used unchecked.
 */
#ifndef PM_PAIR_H
#define PM_PAIR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collectives/messages/memory.h"
#include "collectives/messages/pair/pair_moments.h"
#include "collectives/messages/payload.h"
#include "collectives/messages/waits.h"
#include "collectives/types/layouts.h"
#include "collectives/types/shared/ranges.h"
#include "runtime/base/env.h"

#define PAIR_MAGIC	UINT64_C(0x7269617070696d70)	/* "pmippair" */
#define PAIR_VERSION	3u

#define PAIR_RING	(UINT64_C(1) << 20)
#define PAIR_LINE	64u
/* the most that a message of the ring takes along, and of long ones at a time */
#define PAIR_MOST	(UINT64_C(128) << 10)
#define PAIR_BLOCK	(UINT64_C(32) << 10)
/* rendezvous that a receiver has under way at once */
#define PAIR_SLOTS	64u

/* memory of the other process that is mapped at once, and bytes of a layout that travels */
#define PAIR_SEGMENTS	1024u
#define PAIR_LAYOUT_MOST	(UINT64_C(1) << 20)
#define PAIR_LIST_MOST		(UINT64_C(16) << 20)

/* parts of a rendezvous, of both ends' memory mapped: who takes them, and how many are done */
struct pair_slot {
	_Alignas(64) _Atomic uint64_t next;
	_Atomic uint64_t done;
};

/* what a process shows the other one: counters only grow */
struct pair_page {
	_Alignas(128) _Atomic uint64_t written;	/* bytes put into its ring */
	_Alignas(128) _Atomic uint64_t taken;	/* bytes taken from the other's */
	_Atomic uint64_t returned;	/* bytes of its pool that are free again */
	_Alignas(128) _Atomic uint32_t sleeps;
	_Atomic uint32_t cpu;		/* where it waits */
	_Atomic uint32_t only;		/* the one CPU that it may run on, and 1; 0: it has several */
	uint64_t key;			/* by which heads of its ring are known */
	struct pair_slot slots[PAIR_SLOTS];	/* of what it receives */
	_Alignas(4096) uint8_t ring[PAIR_RING];
};

enum pair_kind {
	PAIR_PAD = 1,	/* nothing up to the end of the ring */
	PAIR_PARCEL,	/* a traveller of the engine's */
	PAIR_DATA,	/* bytes of a long message, packed */
	PAIR_LAYOUT,	/* words of a layout */
	PAIR_RUNS,	/* some of a list of runs */
	PAIR_ASK,	/* for a layout that is not there */
	PAIR_FREED,	/* memory is no more */
	PAIR_KINDS,
};

/* how a rendezvous gets from one end to the other */
enum pair_way {
	PAIR_PACKED,	/* through the ring, packed and unpacked */
	PAIR_PARTS,	/* from buffer to buffer, parts of it by either end */
	PAIR_WAYS,
};

/*
 * Begins every message of a ring; as many bytes follow, up to a whole line. Who waits for the next
 * message looks at the line where it will begin, which brings the message with it, and no counter:
 * what lay there before is no head of this place, as nobody who sends data knows the key.
 */
struct pair_head {
	uint64_t here;		/* the ring's key, and the bytes written before; last */
	uint32_t length;	/* with what follows, whole lines */
	uint16_t kind, way;
	uint32_t bytes;		/* what follows */
	uint32_t slot;
	uint64_t at, more, reserved;
	struct me_frame frame;
};

_Static_assert(sizeof(struct pair_head) % 16 == 0, "data behind it is aligned");

enum pair_where {
	PAIR_NOWHERE,	/* where the other process cannot reach it */
	PAIR_MAPPED,	/* in memory of pimmsg_alloc() */
	PAIR_WINDOW,	/* in MRAM whose rank's window is mapped */
	PAIR_PRIVATE,	/* in other memory, which the kernel may let one copy from */
	PAIR_WHERES,
};

/* of a send: it could copy; of a claim: it is to copy parts, and nobody else does */
#define PAIR_COPIES	1u
#define PAIR_ALONE	2u

/* where a rendezvous' buffer is: the words of an envelope's frame, and of a claim's */
struct pair_place {
	uint32_t where, flags;
	uint64_t segment;	/* its number */
	uint64_t at;		/* in it, or in MRAM, of the stream's first byte; or the address */
	uint64_t layout;	/* the number that its owner has given it; 0: one run */
	uint64_t pe;		/* of the window's rank */
	uint64_t reserved;
};

/* as a layout's number: it has none, and its runs are told as soon as they are asked for */
#define PAIR_LISTED	UINT64_MAX

/* of a layout's, from its first byte on */
struct pair_run {
	int64_t at;
	uint64_t len;
};

_Static_assert(sizeof(struct pair_place) == sizeof(((struct me_frame *)0)->there),
	       "a frame says where a buffer is");

/* a traveller, or whatever else has no room in the ring yet */
struct pair_parcel {
	struct me_parcel parcel;	/* first */
	struct pair_parcel *next;
	uint32_t to;
	struct pair_head head;
	struct pair_place place;	/* of a rendezvous: where the other end's buffer is */
	uint8_t *data;		/* in a ring, or memory of its own */
	uint64_t room;		/* of its own */
	_Alignas(16) uint8_t own[];
};

/* memory of the other process */
struct pair_mapped {
	struct pair_mapped *next;
	uint64_t number, bytes;
	uint8_t *base;
	struct pair_view *view;	/* of a rank's window */
	uint32_t users;
	bool freed;
};

/* a layout that has a number: of this process, or of the other one, whose layouts are whole */
struct pair_layout {
	struct pt_side side;
	uint64_t key, number;	/* by which it is found: its hash, or its number */
	struct pair_run *runs;	/* instead of a side */
	uint64_t nr_runs;
	uint32_t users;
	struct pair_layout *chain, *newer, *older;
};

#define PAIR_CHAINS	256u

struct pair_layouts {
	struct pair_layout *chains[PAIR_CHAINS];
	struct pair_layout *newest, *oldest;
	uint64_t nr;
};

/* a rendezvous with the other process; `request` is NULL in one that is not used */
struct pair_transfer {
	struct me_request *request;	/* its own end's */
	bool used, ended;
	uint16_t way;
	uint64_t total, at;
	int error;

	/* of one in parts, or that may become one */
	struct pair_place there;	/* the other end's buffer */
	struct pair_parcel *claim;	/* of a receive that waits for a layout */
	struct pair_place here;		/* the own one */
	bool described;
	bool in_parts;			/* it counts among p->nr_parts */
	bool wants, asked;		/* of a send: to copy; for a layout */
	bool alone;			/* of a receive: only the sender copies */
	bool copies;			/* there may be parts that nobody has taken */
	uint64_t part;			/* bytes of each */
	uint64_t nr;
	struct pair_layout *layout;
	struct pair_mapped *mapped;
	struct pt_whole whole;		/* of the other end's buffer */
	struct pt_node *merged;
	struct pt_cursor cursor;
	/* of a receive's list: bytes of runs that came, of those copied, and the others */
	uint64_t told, listed;
	struct pair_run *runs;
	uint64_t nr_runs, room_runs;
};

struct pair {
	struct pm_world world;		/* first */
	struct pimmsg_end end;
	int socket, pidfd;
	pid_t pid;			/* the other process */
	uint32_t me, other;
	struct pair_page *mine, *theirs;

	uint64_t written, taken;	/* as in the page, but believed */
	uint64_t key, their_key;	/* of the own ring, and of the other's */
	uint64_t seen_taken, seen_returned;	/* of the other's page, when it was last asked */
	uint64_t room_there;		/* of the other's pool */
	/* bytes of eager data: to there, to oneself, from there, and from there and received */
	uint64_t sent, held, arrived, returned;
	uint8_t *reserved;		/* in the own ring: what is being made */
	uint64_t reserved_bytes;
	bool spins;			/* the two have more than one CPU */
	bool did;			/* something, since it was last looked */
	bool to_self;			/* what was last made room for in a pool */

	struct pair_parcel *arriving;	/* its data is in the other's ring */
	struct pair_parcel *backlog, *last_backlog;	/* without room in the ring */
	struct pair_parcel *inbox, *last_inbox;		/* to oneself */
	struct pair_parcel *claims, *last_claims;	/* without a slot */
	struct pair_parcel *spare;
	uint32_t nr_spare;

	struct pair_transfer in[PAIR_SLOTS], out[PAIR_SLOTS];
	uint32_t nr_in, nr_out;
	uint32_t nr_packed;		/* of `out`, that wait for room in the ring */
	uint32_t nr_parts;		/* of both, that are or may become copies in parts */

	enum pd_zerocopy design;
	bool eager_given;		/* PIMDIMM_EAGER is set */
	struct {
		uint64_t send, at;
		bool used;
	} lists[PAIR_SLOTS];		/* of own sends, which the other process has asked for */
	uint32_t nr_lists;

	int refused;			/* an errno: private memory there cannot be had from here */
	bool is_refused;		/* and from there */
	uint64_t probe;			/* what the other process reads to find out */
	struct {
		uint64_t number;	/* that of a window which the other process knows */
		bool refused;
	} *ranks;			/* of the system */
	struct pair_mapped *mapped;
	uint32_t nr_mapped, nr_told;		/* segments that the other process knows */
	uint64_t most_layouts, last_layout;
	struct pair_layouts own, others;
	uint64_t answered[2];		/* slots about whose send, receive has been asked */
	struct {
		uint64_t number, bytes, at;
		int64_t *words;
	} coming;			/* a layout, in pieces */

	bool gone;			/* the other process: what is in its ring is left */
	bool starved;			/* no memory for what has come */
	int broken;			/* an errno: nothing comes and goes any more */
	char why[160];
	uint32_t calls, vain;		/* of them so many, up to now, in which nothing came */
	uint32_t patient;		/* or what came was left in the ring */
	struct pimmsg_stats stats;
	struct pair_phases *phases;	/* NULL: nobody asks what this end is at */
};

static inline struct pair *pair_of(struct pm_world *world)
{
	return (struct pair *)world;
}

static inline struct me_node *pair_node(struct pair *p)
{
	return &p->world.nodes[0].node;
}

/* pair_phases.c: another phase begins; the one before */
enum pair_phase pm_pair_phase_next(struct pair_phases *all, enum pair_phase phase);

static inline enum pair_phase pm_pair_phase(struct pair *p, enum pair_phase phase)
{
	return __builtin_expect(p->phases != NULL, 0) ? pm_pair_phase_next(p->phases, phase) :
							PAIR_PHASE_REST;
}

/* pair_join.c */
extern const struct pm_apart pm_pair_apart;

/* pair_socket.c: messages of one size, of which some bring a descriptor */
struct pair_note {
	uint64_t magic;
	uint32_t version, kind;
	uint32_t rank, reserved;
	uint64_t bytes, number;
	uint64_t pool;
	uint64_t probe;		/* the address of one's magic */
	uint32_t design, reserved_too;
};

enum pair_note_kind {
	PAIR_HELLO = 1,
	PAIR_PROBED,	/* number: an errno, or that private memory can be copied */
	PAIR_BELL,
	PAIR_SEGMENT,	/* memory of so many bytes, and its number */
	PAIR_RANK,	/* a window; rank: its layout, pool: bytes of a PE's MRAM */
};

/* 0; -EAGAIN where the other one takes no more now; else a negative errno; without words */
int pm_pair_note_send(int socket, const struct pair_note *note, int fd);
/*
 * One that has come; *fd is -1 or the caller's, *pid and *uid are the sender's where these
 * were asked for. -EAGAIN: none; -EPIPE: the other one is gone; -EBADMSG: it makes no sense.
 */
int pm_pair_note_take(int socket, struct pair_note *note, int *fd, pid_t *pid, uid_t *uid);
/* whether a descriptor is readable within so many milliseconds, -1: for ever */
bool pm_pair_sleep(int socket, int pidfd, int ms);
void pm_pair_close(int fd);

/* pair_ring.c */
/* room for a message of so many bytes, for what follows its head; NULL: not now */
uint8_t *pm_pair_reserve(struct pair *p, uint64_t bytes);
/* asks for the lines of what was reserved, for data in one piece (`run`) or in several */
void pm_pair_ask(struct pair *p, bool run);
/* what was reserved is there; head->bytes may be fewer */
void pm_pair_commit(struct pair *p, struct pair_head *head);
void pm_pair_cancel(struct pair *p);
/* a parcel for the other process: into the ring, or behind those that wait; it is given up */
void pm_pair_post(struct pair *p, struct pair_parcel *parcel);
/* what waits, as far as there is room */
void pm_pair_flush(struct pair *p);
/* the next message of the other's ring; its data is valid until pm_pair_taken() */
bool pm_pair_next(struct pair *p, struct pair_head *head, uint8_t **data);
void pm_pair_taken(struct pair *p, const struct pair_head *head);
/* whether something has come, or gone out of a full ring */
bool pm_pair_has_news(const struct pair *p);
/* whether the next message is there */
bool pm_pair_is_next(const struct pair *p);
/* what is said to be written is there, or the other process lies */
void pm_pair_ring_check(struct pair *p);
void pm_pair_ring_bell(struct pair *p);

/* pair_port.c */
extern const struct me_port pm_pair_port;
struct pair_parcel *pm_pair_parcel_new(struct pair *p, uint64_t bytes);
void pm_pair_parcel_drop(struct pair *p, struct pair_parcel *parcel);
/* a message of the ring; 0, -ENOMEM: it is to stay there; -EBADMSG after pm_pair_lied() */
int pm_pair_arrive(struct pair *p, const struct pair_head *head, uint8_t *data);
/* travellers to oneself; the node is locked */
void pm_pair_drain_inbox(struct pair *p);

/* room for eager data in the other's pool, and what is received of one's own */
bool pm_pair_pool_take(struct pair *p, uint64_t bytes);
void pm_pair_pool_return(struct pair *p, uint64_t bytes);

/* pair_short.c: see struct pm_apart */
bool pm_pair_send_short(struct pm_world *world, const struct me_send *send);
bool pm_pair_receive_short(struct pm_world *world, const struct me_receive *receive,
			   struct me_status *status);

/* pair_segments.c */
void pm_pair_share(struct pm_world *world, struct pm_segment *segment);
void pm_pair_unshare(struct pm_world *world, struct pm_segment *segment);
/* the other process's memory, which is the caller's to give back; NULL: it is not mapped */
struct pair_mapped *pm_pair_mapped_get(struct pair *p, uint64_t number);
void pm_pair_mapped_put(struct pair *p, struct pair_mapped *mapped);
/* a note brings some; the descriptor is taken */
void pm_pair_segment_come(struct pair *p, const struct pair_note *note, int fd);
int pm_pair_arrive_freed(struct pair *p, const struct pair_head *head);
void pm_pair_segments_drop(struct pair *p);

/* pair_windows.c */
/* the number of the window of a PE's rank, which the other process was told; 0: it was not */
uint64_t pm_pair_window_of(struct pair *p, uint32_t pe);
/* whether there is such a window at all; a view of what was mapped, or NULL */
bool pm_pair_window_fits(const struct pair_note *note);
struct pair_view *pm_pair_window_view(const struct pair_note *note, uint8_t *base);
uint64_t pm_pair_window_bytes(const struct pair_view *view);
/* the stream's bytes from `at` on, to or from MRAM of a PE of the window's rank */
void pm_pair_window_stream(struct pair_view *view, uint32_t pe, const struct pt_whole *whole,
			   uint64_t at, uint8_t *data, uint64_t bytes, bool to_mram);

/* pair_layouts.c */
/* the number of a part's layout, which the other process has been told; 0: it cannot be told */
uint64_t pm_pair_layout_of(struct pair *p, const struct pimtype_part *part,
			   const struct pt_whole *whole);
/* one of the other process's, which is the caller's to give back, or NULL */
struct pair_layout *pm_pair_layout_get(struct pair *p, uint64_t number);
void pm_pair_layout_put(struct pair_layout *layout);
/* false: no memory now */
bool pm_pair_layout_ask(struct pair *p, const struct pair_transfer *t, uint32_t slot,
			bool of_send);
int pm_pair_arrive_layout(struct pair *p, const struct pair_head *head, const uint8_t *data);
int pm_pair_arrive_ask(struct pair *p, const struct pair_head *head);
void pm_pair_layouts_drop(struct pair *p);

/* pair_cma.c */
/* finds out, by the other process's magic, whether its private memory can be had */
void pm_pair_cma_try(struct pair *p, uint64_t at);
/* whether a byte can be had: PAIR_READY, PAIR_UNREACHED, -EBADMSG */
int pm_pair_cma_reach(struct pair *p, const struct pair_transfer *t);
int pm_pair_cma_copy(struct pair *p, struct pair_transfer *t, bool sends, uint64_t first,
		     uint64_t bytes);
/* runs of the other end's, to the own stream from byte `at` on */
int pm_pair_cma_runs(struct pair *p, struct pair_transfer *t, const struct pair_run runs[],
		     uint64_t nr, uint64_t at);

/* pair_lists.c */
/* all runs of a layout, which are the caller's to free; NULL: too many */
struct pair_run *pm_pair_list_all(const struct pt_whole *whole, uint64_t *nr);
uint64_t pm_pair_list_hash(const struct pair_run runs[], uint64_t nr);
/* the other process wants to know those of a send */
void pm_pair_list_begin(struct pair *p, uint32_t slot, uint64_t send);
void pm_pair_lists_move(struct pair *p);
/* a list that was kept: all of it is copied; -EBADMSG */
int pm_pair_list_kept(struct pair *p, struct pair_transfer *t);
int pm_pair_arrive_runs(struct pair *p, const struct pair_head *head, const uint8_t *data);
/* whether each message's runs are told anew */
static inline bool pm_pair_lists(const struct pair *p)
{
	return p->design == PD_ZEROCOPY_NAIVE || p->design == PD_ZEROCOPY_PIPELINE;
}

/* pair_places.c */
/* where a buffer of this process is, for the other one */
void pm_pair_describe(struct pair *p, const struct me_buffer *buffer, bool sends,
		      struct pair_place *place);
/*
 * Whether the buffer that t->there names can be reached from here, and then t is ready to
 * copy: PAIR_READY, PAIR_NOT_YET where its layout is to be asked for, PAIR_UNREACHED; or
 * -EBADMSG after pm_pair_lied()
 */
enum {
	PAIR_READY,
	PAIR_NOT_YET,
	PAIR_UNREACHED,
};

int pm_pair_reach(struct pair *p, struct pair_transfer *t, bool sends);
/* some bytes of it, to or from the own buffer; negative errno */
int pm_pair_copy(struct pair *p, struct pair_transfer *t, bool sends, uint64_t first,
		 uint64_t bytes);
void pm_pair_unreach(struct pair *p, struct pair_transfer *t);
/* from how many bytes on a send of this buffer is a rendezvous */
uint64_t pm_pair_eager_bytes(struct pm_world *world, const struct me_buffer *buffer);

/* pair_transfer.c */
/* a receive claims a message; the parcel becomes the transfer's */
void pm_pair_claim(struct pair *p, struct pair_parcel *claim);
/* a send was claimed: ME_LATER, or a negative errno */
int pm_pair_put(struct pair *p, struct me_request *send, struct pair_parcel *claim);
int pm_pair_arrive_data(struct pair *p, const struct pair_head *head, const uint8_t *data);
/* the sender is through; -EBADMSG */
int pm_pair_arrive_end(struct pair *p, const struct pair_head *head);
/* whatever can be moved now */
void pm_pair_move(struct pair *p);
/* a layout of the other process's has come */
void pm_pair_transfers_resume(struct pair *p, struct pair_layout *layout);
/* whether some are done that the other process has ended */
bool pm_pair_has_ended_parts(const struct pair *p);
/* all transfers are given up */
void pm_pair_transfers_drop(struct pair *p);

/* pair_parts.c: of transfers in parts, what is done now; which are done */
void pm_pair_parts_begin(struct pair_transfer *t);
/* PAIR_READY: all parts are done; PAIR_NOT_YET; or a negative errno of a send's */
int pm_pair_parts_move(struct pair *p, struct pair_transfer *t, struct pair_slot *slot,
		       bool sends);
bool pm_pair_parts_done(const struct pair_transfer *t, const struct pair_slot *slot);

/* pair_progress.c */
/* notes that have come, and whether the other process lives */
void pm_pair_listen(struct pair *p);
/* whether the next call is to do so, as few are */
bool pm_pair_listens_next(const struct pair *p);
void pm_pair_progress(struct pm_world *world);
/* the same of a call that began a send or a receive: data without a receive waits a while */
void pm_pair_begun(struct pm_world *world);
int pm_pair_wait(struct pm_wait *wait);
/* the other process says what makes no sense; -EBADMSG */
__attribute__((format(printf, 2, 3)))
int pm_pair_lied(struct pair *p, const char *format, ...);
int pm_pair_reaches(struct pm_world *world, uint32_t to);

#endif /* PM_PAIR_H */
