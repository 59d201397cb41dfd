// SPDX-License-Identifier: MIT
/*
 * Long messages between two processes out of private memory into private memory: the kernel
 * copies them where it does, they are packed where it refuses, and everybody is told which.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include <pimdimm/types.h>

#include "collectives/messages/pair/pair.h"
#include "tests/unit/pair.h"

#define BYTES	(UINT64_C(3) << 20)

/* from now on the kernel copies nothing for this process */
static void refuse(int err)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)err),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { ARRAY_SIZE(code), code };

	pair_ok(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	pair_ok(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
}

static bool kernel_copies(void)
{
	uint64_t word = 7, got = 0;
	struct iovec here = { &got, sizeof(got) }, there = { &word, sizeof(word) };

	return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == sizeof(got);
}

static struct pimmsg_stats stats_of(struct pimmsg_end *end)
{
	struct pimmsg_stats stats;

	pair_ok(pimmsg_stats(end, &stats));
	return stats;
}

static struct pimmsg_stats stats_there(struct pimmsg_end *end)
{
	struct pimmsg_stats own = stats_of(end), other;
	struct pimmsg_buf out = { .ptr = &own, .part = { 0, sizeof(own), pimtype_basic(PIMTYPE_BYTE) } };
	struct pimmsg_buf in = out;

	in.ptr = &other;
	pair_ok(pimmsg_sendrecv(end, &out, 1 - pair_rank, 9, &in, 1 - pair_rank, 9, NULL));
	return other;
}

static uint8_t *data;

/* there, from rank 0, in blocks that are far apart */
static void one_way(struct pimmsg_end *end, uint64_t block, uint8_t seed)
{
	struct pimtype *type;
	struct pimmsg_buf buf = { .ptr = data, .part = { .count = 1 } };

	pair_ok(pimtype_vector(BYTES / block, block, 2 * (int64_t)block,
			       pimtype_basic(PIMTYPE_BYTE), &type));
	buf.part.type = type;
	for (uint64_t i = 0; i < 2 * BYTES; i++)
		data[i] = pair_rank ? 0xee : (uint8_t)(i / block / 2 * 31 + i % block + seed);
	if (!pair_rank)
		pair_ok(pimmsg_send(end, &buf, 1, 0));
	else
		pair_ok(pimmsg_recv(end, &buf, 0, 0, NULL));
	for (uint64_t i = 0; i < 2 * BYTES && pair_rank; i++)
		pair_expect(data[i] == (i / block % 2 ? 0xee :
					(uint8_t)(i / block / 2 * 31 + i % block + seed)));
	pimtype_free(type);
}

/* which ends are refused, and from when on */
struct refusal {
	int err[2], later[2];
	uint64_t block;
};

static void refusal_process(int socket, const void *arg)
{
	const struct refusal *r = arg;
	const uint64_t some = r->block >= 16 << 10 ? BYTES : 0;
	struct pimmsg_end *end;
	struct pimmsg_stats own, there;
	uint64_t copied, second = some;

	if (r->err[pair_rank])
		refuse(r->err[pair_rank]);
	end = pair_join(socket, NULL);
	pair_expect(stats_of(end).cma_error == r->err[pair_rank]);
	one_way(end, r->block, 1);
	own = stats_of(end);
	there = stats_there(end);
	copied = own.cma_bytes + there.cma_bytes;
	pair_expect(copied == (r->err[0] && r->err[1] ? 0 : some));
	pair_expect(own.packed_bytes + there.packed_bytes == BYTES - copied);
	if (r->err[pair_rank])
		pair_expect(!own.cma_bytes);
	if (r->later[pair_rank])
		refuse(r->later[pair_rank]);
	pair_ok(pimmsg_barrier(end));
	one_way(end, r->block, 2);
	if ((r->err[0] || r->later[0]) && (r->err[1] || r->later[1]))
		second = 0;
	there = stats_there(end);
	own = stats_of(end);
	pair_expect(own.cma_bytes + there.cma_bytes == copied + second);
	pair_expect(own.packed_bytes + there.packed_bytes == 2 * BYTES - copied - second);
	if (r->later[pair_rank] && some)
		pair_expect(own.cma_error == r->later[pair_rank]);
	pimmsg_close(end);
}

static void refusals(void **state)
{
	static const struct refusal all[] = {
		{ { 0, 0 }, { 0, 0 }, 1 << 20 },
		{ { 0, 0 }, { 0, 0 }, 16 << 10 },
		{ { 0, 0 }, { 0, 0 }, 64 },
		{ { EPERM, 0 }, { 0, 0 }, 32 << 10 },
		{ { 0, ENOSYS }, { 0, 0 }, 32 << 10 },
		{ { EPERM, EPERM }, { 0, 0 }, 32 << 10 },
		{ { 0, 0 }, { 0, EPERM }, 32 << 10 },
		{ { 0, 0 }, { EPERM, EPERM }, 32 << 10 },
		{ { 0, EPERM }, { EACCES, 0 }, 32 << 10 },
	};

	(void)state;
	if (!kernel_copies())
		unit_skip("the kernel copies nothing between processes here");
	for (unsigned int i = 0; i < ARRAY_SIZE(all); i++)
		pair_run(SOCK_STREAM, refusal_process, refusal_process, &all[i]);
}

/* what is said, and when nobody wants to hear it nothing is */
static void said_process(int socket, const void *arg)
{
	const bool log = *(const bool *)arg;
	char text[400] = "";
	int pipes[2];
	struct pimmsg_end *end;

	pair_ok(pipe(pipes));
	pair_expect(dup2(pipes[1], STDERR_FILENO) == STDERR_FILENO);
	setenv("PIMDIMM_LOG", log ? "messages,hosts" : "off", 1);
	if (!pair_rank)
		refuse(EPERM);
	end = pair_join(socket, NULL);
	pair_expect(write(pipes[1], ".", 1) == 1 && read(pipes[0], text, sizeof(text) - 1) > 0);
	pair_expect(!!strstr(text, "are packed") == (log && !pair_rank));
	pair_expect(!!strstr(text, "Operation not permitted") == (log && !pair_rank));
	pimmsg_close(end);
}

static void said(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		const bool log = i;

		pair_run(SOCK_STREAM, said_process, said_process, &log);
	}
}

/* addresses where there is nothing, of a sender and of a receiver */
static void nothing_there(int socket, const void *arg)
{
	struct pimmsg_end *end = pair_join(socket, NULL);
	struct pair *p = (struct pair *)end->world;
	const struct pair_place place = { .where = PAIR_PRIVATE, .at = *(const uint64_t *)arg };
	struct pair_head head = { .kind = PAIR_PARCEL, .frame = { .kind = ME_ENVELOPE, .bytes = BYTES } };

	memcpy(head.frame.there, &place, sizeof(place));
	pair_expect(pm_pair_reserve(p, 0));
	pm_pair_commit(p, &head);
	pm_pair_ring_bell(p);
	while (!pm_pair_sleep(p->pidfd, -1, 100))
		;
}

static void looks_there(int socket, const void *arg)
{
	struct pimmsg_end *end = pair_join(socket, NULL);
	struct pimmsg_buf buf = { .ptr = data, .part = { 0, BYTES, pimtype_basic(PIMTYPE_BYTE) } };

	(void)arg;
	pair_refused(pimmsg_recv(end, &buf, 0, 0, NULL), EBADMSG, "makes no sense");
	pimmsg_close(end);
}

static void nothing(void **state)
{
	static const uint64_t places[] = { 0, 4096, UINT64_MAX, INT64_MAX, UINT64_C(1) << 46 };

	(void)state;
	if (!kernel_copies())
		unit_skip("the kernel copies nothing between processes here");
	for (unsigned int i = 0; i < ARRAY_SIZE(places); i++)
		pair_run(SOCK_STREAM, nothing_there, looks_there, &places[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refusals),
		cmocka_unit_test(said),
		cmocka_unit_test(nothing),
	};

	unit_start();
	data = malloc(2 * BYTES);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
