// SPDX-License-Identifier: MIT
/*
 * Two processes that do not join: wrong arguments, settings that differ, and others who are
 * not what they should be. Nothing is left of it.
 */
#include <sys/mman.h>
#include <sys/resource.h>

#include "collectives/messages/pair/pair.h"
#include "tests/unit/pair.h"

static void refused_process(int socket, const void *arg)
{
	struct pimmsg_end *end;

	(void)arg;
	pair_refused(pimmsg_join(socket, 2, NULL, &end), EINVAL, "rank=2, expected 0 or 1");
	pair_refused(pimmsg_join(socket, 0, NULL, NULL), EINVAL, "end is NULL");
	pair_refused(pimmsg_join(STDIN_FILENO, 0, NULL, &end), EINVAL, "socket=0");
	setenv("PIMDIMM_EAGER", "many", 1);
	pair_refused(pimmsg_join(socket, 0, NULL, &end), EINVAL, "PIMDIMM_EAGER");
	unsetenv("PIMDIMM_EAGER");
	setenv("PIMDIMM_ZEROCOPY", "fast", 1);
	pair_refused(pimmsg_join(socket, 0, NULL, &end), EINVAL,
		     "PIMDIMM_ZEROCOPY is \"fast\", expected shm, naive, pipeline, exchange, memo or auto");
	unsetenv("PIMDIMM_ZEROCOPY");
	pair_refused(pimmsg_join(socket, 0, NULL, &end), EINVAL, "rank=0");
}

static void differs_process(int socket, const void *arg)
{
	struct pimmsg_end *end;

	(void)arg;
	setenv("PIMDIMM_ZEROCOPY", pair_rank ? "memo" : "shm", 1);
	pair_refused(pimmsg_join(socket, pair_rank, NULL, &end), EINVAL,
		     pair_rank ? "PIMDIMM_ZEROCOPY is memo here" : "PIMDIMM_ZEROCOPY is shm here");
}

/* a file may not be as long as what the two share: told, and no signal ends the process */
static void limited_process(int socket, const void *arg)
{
	const struct rlimit none = { 0, RLIM_INFINITY };
	struct pimmsg_end *end;

	(void)arg;
	pair_expect(!setrlimit(RLIMIT_FSIZE, &none));
	pair_refused(pimmsg_join(socket, pair_rank, NULL, &end), EFBIG,
		     "bytes of shared memory for messages");
	/* what is printed at the end may go into a file */
	pair_expect(!setrlimit(RLIMIT_FSIZE, &(struct rlimit){ RLIM_INFINITY, RLIM_INFINITY }));
}

static void refused(void **state)
{
	(void)state;
	pair_run(SOCK_STREAM, refused_process, refused_process, NULL);
	pair_run(SOCK_STREAM, differs_process, differs_process, NULL);
	pair_run(SOCK_STREAM, limited_process, limited_process, NULL);
}

/* who says another version, sends no memory, or is no process of the library's */
static void stranger(int socket, const void *arg)
{
	struct pair_note note = { .magic = PAIR_MAGIC, .version = PAIR_VERSION, .kind = PAIR_HELLO,
				  .rank = 1, .bytes = sizeof(struct pair_page) };
	int which = *(const int *)arg, fd = memfd_create("short", 0);

	if (which == 0)
		note.version++;
	else if (which == 1)
		note.magic++;
	else if (which == 2)
		note.bytes++;
	pair_expect(fd >= 0 && !ftruncate(fd, 4096));
	pair_ok(pm_pair_note_send(socket, &note, fd));
	pair_expect(read(socket, &note, sizeof(note)) >= 0);
	while (read(socket, &note, sizeof(note)) > 0)
		;
}

static void meets_stranger(int socket, const void *arg)
{
	static const struct {
		int err;
		const char *word;
	} says[] = { { EPROTO, "version 4" }, { EBADMSG, "makes no sense" },
		     { EBADMSG, "makes no sense" }, { EBADMSG, "no sealed memory" } };
	int which = *(const int *)arg;
	unsigned int fds = count_of("/proc/self/fd");
	struct pimmsg_end *end;

	pair_refused(pimmsg_join(socket, 0, NULL, &end), says[which].err, says[which].word);
	pair_expect(count_of("/proc/self/fd") == fds && !shared_maps());
}

static void strangers(void **state)
{
	(void)state;
	for (int which = 0; which < 4; which++)
		pair_run(SOCK_SEQPACKET, meets_stranger, stranger, &which);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(refused),
	cmocka_unit_test(strangers),
};

UNIT_MAIN(tests)
