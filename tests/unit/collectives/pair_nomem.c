// SPDX-License-Identifier: MIT
/*
 * Messages between two processes, one of which runs out of memory, descriptors or mappings:
 * each request of joining, sending, receiving and closing fails once. Then the call says so
 * or does without, what it said no to is not half done, the next try succeeds, and nothing
 * leaks. The other process receives what it was sent, or is told that there is nobody.
 */
#include <dirent.h>
#include <sys/mman.h>

#include "tests/unit/failing.h"
#include "tests/unit/pair.h"

#define MOST	400	/* requests of a run, more means that it never ends */
#define SHORT	1000u	/* bytes, eager */
#define LONG	200000u
#define ROUNDS	3

/* in memory of both, and of who looks at it */
struct nomem_run {
	unsigned int nth;
	bool failed;
	_Atomic bool joined, unjoined;
	long left;		/* of memory */
	int held;		/* descriptors and mappings */
	unsigned int refused;
};

static uint8_t of_message(uint32_t i, uint64_t k)
{
	return (uint8_t)(i * 31 + k * 7);
}

/* every other word of 4 bytes */
static struct pimtype *words_apart(uint64_t bytes)
{
	struct pimtype *type;

	pair_ok(pimtype_vector(bytes / 4, 1, 2, pimtype_basic(PIMTYPE_I32), &type));
	return type;
}

static const uint64_t sizes[] = { SHORT, LONG, 4 };
static struct pimtype *types[ARRAY_SIZE(sizes)];
/* the long one and what is received lie in memory that both may map */
static uint8_t *out[3], *in;

/* descriptors of this process, and what the pair has mapped */
static unsigned int handles(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	DIR *fds = opendir("/proc/self/fd");
	unsigned int n = 0;
	char line[512];

	pair_expect(maps && fds);
	while (readdir(fds))
		n++;
	while (fgets(line, sizeof(line), maps))
		n += strstr(line, "pimdimm-pair") != NULL;
	closedir(fds);
	fclose(maps);
	return n;
}

/* a request fails but once, and says so */
static bool again(struct nomem_run *run, int ret)
{
	if (!ret)
		return false;
	pair_expect(ret == -ENOMEM || ret == -EMFILE || ret == -ENOSPC || ret == -EAGAIN);
	pair_expect(pimdimm_errmsg()[0]);
	pair_expect(!run->refused++);
	return true;
}

/* a short one may wait for its receive, too, where there is no room for it */
static void begin_send(struct nomem_run *run, struct pimmsg_end *end, uint32_t i,
		       struct pimmsg_request **request)
{
	const uint32_t kind = i % 8;
	const struct pimmsg_buf buf = { .ptr = out[kind], .part = { 0, 1, types[kind] } };

	for (uint64_t k = 0; k < sizes[kind]; k++)
		out[kind][k / 4 * 8 + k % 4] = of_message(i, k);
	while (again(run, pimmsg_isend(end, &buf, 1 - pair_rank, (int)i, request)))
		pair_expect(!*request);
}

static void end_send(struct nomem_run *run, struct pimmsg_end *end,
		     struct pimmsg_request **request)
{
	while (again(run, pimmsg_wait(end, request, NULL)))
		;
	pair_expect(!*request);
}

static void receive(struct nomem_run *run, struct pimmsg_end *end, uint32_t i)
{
	const uint32_t kind = i % 8;
	const uint64_t bytes = sizes[kind];
	const struct pimmsg_buf buf = { .ptr = in, .part = { 0, 1, types[kind] } };
	struct pimmsg_request *request;

	memset(in, 0, 2 * LONG);
	while (again(run, pimmsg_irecv(end, &buf, 1 - pair_rank, (int)i, &request)))
		pair_expect(!request);
	while (again(run, pimmsg_wait(end, &request, NULL)))
		;
	for (uint64_t k = 0; k < 2 * LONG; k++)
		pair_expect(in[k] == (k < 2 * bytes && k % 8 < 4 ?
				      of_message(i, k / 8 * 4 + k % 4) : 0));
}

static void allocate(struct nomem_run *run, struct pimmsg_end *end)
{
	static uint8_t private[2][2 * SHORT];

	out[0] = private[0];
	out[2] = private[1];
	while (again(run, pimmsg_alloc(end, 2 * LONG, (void **)&out[1])))
		;
	while (again(run, pimmsg_alloc(end, 2 * LONG, (void **)&in)))
		;
}

/* Each sends what the other receives in another order: some have come before. */
static void talk(struct nomem_run *run, struct pimmsg_end *end)
{
	allocate(run, end);
	for (uint32_t round = 0; round < ROUNDS; round++) {
		const bool first = (int)(round % 2) == pair_rank;
		struct pimmsg_request *sends[3];

		/* short ones, before anybody has asked for them */
		begin_send(run, end, 8 * round, &sends[0]);
		begin_send(run, end, 8 * round + 2, &sends[2]);
		if (first)
			begin_send(run, end, 8 * round + 1, &sends[1]);
		else
			receive(run, end, 8 * round + 1);
		receive(run, end, 8 * round + 2);
		receive(run, end, 8 * round);
		for (unsigned int i = 0; i < 3; i++) {
			if (i != 1 || first)
				end_send(run, end, &sends[i]);
		}
	}
}

/* rank 0, whose requests fail */
static void without(int socket, const void *arg)
{
	struct nomem_run *run = *(struct nomem_run *const *)arg;
	struct pimmsg_end *end = NULL;
	unsigned int held = handles();
	long before = failing_memory();
	int ret;

	failing_start(run->nth);
	ret = pimmsg_join(socket, 0, NULL, &end);
	if (again(run, ret)) {
		run->unjoined = true;
		pair_expect(!end);
	} else {
		run->joined = true;
		talk(run, end);
		pimmsg_close(end);
	}
	run->failed = failing_stop();
	run->left = failing_memory() - before;
	run->held = (int)(handles() - held);
	close(socket);
}

static void with(int socket, const void *arg)
{
	struct nomem_run *run = *(struct nomem_run *const *)arg, own = { 0 };
	struct pimmsg_end *end;
	int ret = pimmsg_join(socket, 1, NULL, &end);
	uint32_t word;
	const struct pimmsg_buf buf = {
		.ptr = &word, .part = { 0, 4, pimtype_basic(PIMTYPE_BYTE) },
	};

	if (ret) {
		pair_expect(ret == -EPIPE || ret == -ECONNRESET);
		close(socket);
		return;
	}
	close(socket);
	while (!run->joined && !run->unjoined)
		usleep(100);
	if (run->unjoined)
		pair_refused(pimmsg_recv(end, &buf, 0, 99, NULL), EPIPE, "has gone");
	else
		talk(&own, end);
	pimmsg_close(end);
}

/* whether one of the requests was the nth */
static bool nth_fails(struct nomem_run *run, unsigned int nth, unsigned int *refused)
{
	const struct nomem_run *const arg = run;

	*run = (struct nomem_run){ .nth = nth };
	pair_run(SOCK_SEQPACKET, without, with, &arg);
	if (run->left || run->held)
		fail_msg("request %u fails: %ld allocations, %d descriptors and mappings left",
			 nth, run->left, run->held);
	*refused += run->refused;
	return run->failed;
}

static void keep_layout(const struct pimtype *type)
{
	uint8_t *data = calloc(2, 2 * LONG);
	const struct pimtype_part part = { 0, 1, type };

	assert_ok(pimtype_copy(data, part, data + 2 * LONG, part));
	free(data);
}

static void each_fails(void **state)
{
	struct nomem_run *run = mmap(NULL, sizeof(*run), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	static const char *const designs[] = { "auto", "naive", "pipeline", "exchange", "memo" };

	(void)state;
	assert_true(run != MAP_FAILED);
	for (uint32_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		types[i] = words_apart(sizes[i]);
		/* merged layouts stay in memory of the process, which the others begin with */
		keep_layout(types[i]);
	}
	for (uint32_t i = 0; i < ARRAY_SIZE(designs); i++) {
		unsigned int nth = 1, refused = 0;

		setenv("PIMDIMM_ZEROCOPY", designs[i], 1);
		while (nth < MOST && nth_fails(run, nth, &refused))
			nth++;
		printf("# %s: %u requests failed, %u calls said so\n", designs[i], nth - 1,
		       refused);
		assert_in_range(nth, 10, MOST - 1);
		assert_true(refused >= 5);
	}
	for (uint32_t i = 0; i < ARRAY_SIZE(sizes); i++)
		pimtype_free(types[i]);
	munmap(run, sizeof(*run));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(each_fails),
};

UNIT_MAIN(tests)
