// SPDX-License-Identifier: MIT
/*
 * MRAM in a file: it is there again when the file is opened once more, its geometry is
 * the file's, one system has it at a time, and neither a foreign file nor a full disk
 * does more than make a sentence.
 */
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <sys/mman.h>

#include "tests/unit/disk.h"
#include "tests/unit/unit.h"

#define GEOMETRY	"ranks=2,mram=64K"
#define PATTERN		0x5a
/* of its header, whose last field is its hash */
#define HEADER_BYTES	48

static char folder[64];

static char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

/* a URI of a file in the folder, and keys */
static const char *uri_of(const char *name, const char *keys)
{
	static char uri[256];

	snprintf(uri, sizeof(uri), "mem:file=%s/%s%s%s", folder, name,
		 *keys ? "," : "", keys);
	return uri;
}

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/pimdimm-file-XXXXXX");
	return !mkdtemp(folder);
}

static int remove_folder(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

static void assert_not_there(const char *name)
{
	assert_int_equal(access(path_of(name), F_OK), -1);
}

static uint8_t pattern_of(uint32_t pe, uint64_t off)
{
	return (uint8_t)(PATTERN + 7 * pe + off / 8);
}

static void fill(struct pimdimm *sys)
{
	const struct pimdimm_geometry *g = pimdimm_geometry(sys);
	uint8_t *bytes = need(malloc(g->mram_size));

	for (uint32_t pe = 0; pe < g->nr_pes; pe++) {
		for (uint64_t i = 0; i < g->mram_size; i++)
			bytes[i] = pattern_of(pe, i);
		assert_ok(pimdimm_write(sys, pe, 0, bytes, g->mram_size));
	}
	free(bytes);
}

static void assert_filled(struct pimdimm *sys)
{
	const struct pimdimm_geometry *g = pimdimm_geometry(sys);
	uint8_t *bytes = need(malloc(g->mram_size));

	for (uint32_t pe = 0; pe < g->nr_pes; pe++) {
		assert_ok(pimdimm_read(sys, pe, 0, bytes, g->mram_size));
		for (uint64_t i = 0; i < g->mram_size; i++)
			assert_int_equal(bytes[i], pattern_of(pe, i));
	}
	free(bytes);
}

static void test_kept(void **state)
{
	static const char *const layouts[] = { "layout=linear", "layout=xeon_sp",
					       "layout=xeon_sp,strict=1" };

	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		struct pimdimm *sys;
		char keys[128];
		uint8_t byte = 1;

		make_folder(state);
		snprintf(keys, sizeof(keys), GEOMETRY ",%s", layouts[i]);
		sys = unit_open(uri_of("a", keys));
		assert_ok(pimdimm_read(sys, 0, 0, &byte, 1));
		assert_int_equal(byte, 0);
		fill(sys);
		pimdimm_close(sys);
		/* with the geometry named, and as it is */
		sys = unit_open(uri_of("a", keys));
		assert_filled(sys);
		pimdimm_close(sys);
		sys = unit_open(uri_of("a", ""));
		assert_int_equal(pimdimm_geometry(sys)->nr_pes, 128);
		assert_int_equal(pimdimm_geometry(sys)->layout, !!i);
		assert_filled(sys);
		pimdimm_close(sys);
		remove_folder(state);
	}
}

/* A file takes the space that was written to. */
static void test_sparse(void **state)
{
	struct pimdimm *sys = unit_open(uri_of("a", "ranks=16"));
	struct stat st;
	uint64_t x = 1;

	(void)state;
	assert_ok(pimdimm_write(sys, 1023, 32 << 20, &x, 8));
	assert_int_equal(stat(path_of("a"), &st), 0);
	assert_true(st.st_size >= (off_t)16 * 64 * (64 << 20));
	assert_true(st.st_blocks * 512 < 4 << 20);
	assert_int_equal(st.st_mode & 0111, 0);
	pimdimm_close(sys);
}

static void test_geometry(void **state)
{
	struct pimdimm *sys = unit_open(uri_of("a", "channels=2," GEOMETRY));
	struct pimdimm *other;

	(void)state;
	/* whoever asks second, in this process too */
	assert_refused(pimdimm_open(uri_of("a", ""), &other), EBUSY, folder);
	pimdimm_close(sys);
	assert_refused(pimdimm_open(uri_of("a", "channels=4"), &other), EINVAL,
		       "channels=2, but the URI says 4");
	assert_refused(pimdimm_open(uri_of("a", "ranks=4"), &other), EINVAL,
		       "ranks=2, but the URI says 4");
	assert_refused(pimdimm_open(uri_of("a", "mram=1M"), &other), EINVAL,
		       "mram=65536, but the URI says 1048576");
	assert_refused(pimdimm_open(uri_of("a", "layout=xeon_sp"), &other),
		       EINVAL, "layout=linear, but the URI says xeon_sp");
	assert_int_equal(access(path_of("a"), F_OK), 0);
	pimdimm_close(unit_open(uri_of("a", "channels=2")));
}

static void write_at(const char *name, off_t at, const void *bytes, size_t n)
{
	int fd = open(path_of(name), O_WRONLY | O_CREAT, 0600);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, bytes, n, at), n);
	close(fd);
}

/* Each byte of the header, another size, and what is no file of ours at all. */
static void test_damaged(void **state)
{
	struct pimdimm *sys;
	struct stat st;

	(void)state;
	for (off_t i = 0; i < HEADER_BYTES; i++) {
		pimdimm_close(unit_open(uri_of("a", GEOMETRY)));
		write_at("a", i, "\xa5", 1);
		assert_refused(pimdimm_open(uri_of("a", ""), &sys), EBADMSG,
			       "offset 0");
		assert_int_equal(unlink(path_of("a")), 0);
	}
	pimdimm_close(unit_open(uri_of("a", GEOMETRY)));
	assert_int_equal(stat(path_of("a"), &st), 0);
	for (off_t n = -1; n <= 1; n += 2) {
		assert_int_equal(truncate(path_of("a"), st.st_size + n), 0);
		assert_refused(pimdimm_open(uri_of("a", ""), &sys), EBADMSG,
			       "by its header");
	}
	write_at("text", 0, "hello\n", 6);
	assert_refused(pimdimm_open(uri_of("text", ""), &sys), EBADMSG, "offset 0");
	/* and it is as it was */
	assert_int_equal(stat(path_of("text"), &st), 0);
	assert_int_equal(st.st_size, 6);
}

static void test_no_file(void **state)
{
	struct pimdimm *sys;

	(void)state;
	assert_refused(pimdimm_open("mem:file=", &sys), EINVAL, "file");
	assert_refused(pimdimm_open("mem:file=a,file=b", &sys), EINVAL, "twice");
	assert_refused(pimdimm_open("dev:file=a", &sys), EINVAL, "file");
	assert_refused(pimdimm_open("mem:reserve=yes", &sys), EINVAL, "reserve");
	assert_refused(pimdimm_open("mem:file=/tmp", &sys), EISDIR, "/tmp");
	assert_refused(pimdimm_open("mem:file=/dev/null", &sys), EINVAL, "regular");
	assert_refused(pimdimm_open(uri_of("a/b/c", ""), &sys), ENOENT, "a/b/c");
	assert_int_equal(mkfifo(path_of("fifo"), 0600), 0);
	assert_refused(pimdimm_open(uri_of("fifo", ""), &sys), EINVAL, "regular");
	/* a link is followed, as it is by any program that is handed a path */
	assert_int_equal(symlink("target", path_of("link")), 0);
	pimdimm_close(unit_open(uri_of("link", GEOMETRY)));
	assert_int_equal(access(path_of("target"), F_OK), 0);
	/* an empty file, which mktemp makes, is as none */
	write_at("empty", 0, "", 0);
	pimdimm_close(unit_open(uri_of("empty", GEOMETRY)));
}

static void test_export(void **state)
{
	struct pimdimm *sys = unit_open(uri_of("a", GEOMETRY));
	size_t bytes;

	(void)state;
	assert_non_null(pimdimm_mram(sys, 0, &bytes));
	assert_refused(pimdimm_export(sys, 0, 0, bytes), EOPNOTSUPP, folder);
	pimdimm_close(sys);
}

/* No descriptor of it is left behind, nor handed to programs that are started. */
static void test_descriptors(void **state)
{
	struct pimdimm *sys = unit_open(uri_of("a", GEOMETRY));
	char name[64], target[256];
	bool found = false;

	(void)state;
	for (int fd = 3; fd < 64; fd++) {
		ssize_t n;

		snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
		n = readlink(name, target, sizeof(target) - 1);
		if (n < 0)
			continue;
		target[n] = '\0';
		if (strcmp(target, path_of("a")))
			continue;
		found = true;
		assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	}
	assert_true(found);
	pimdimm_close(sys);
}

static void limit_size(rlim_t bytes)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void test_size_limit(void **state)
{
	struct pimdimm *sys;

	(void)state;
	limit_size(1 << 20);
	assert_refused(pimdimm_open(uri_of("a", GEOMETRY), &sys), EFBIG, "size");
	limit_size(RLIM_INFINITY);
	assert_not_there("a");
}

static void add_one(struct pimdimm_pe *pe, void *arg)
{
	uint64_t *x = pimdimm_wram_alloc(pe, sizeof(*x));
	int ret = pimdimm_mram_read(pe, *(uint64_t *)arg, x, sizeof(*x));

	++*x;
	if (!ret)
		pimdimm_mram_write(pe, *(uint64_t *)arg, x, sizeof(*x));
}

/* Write to all MRAM in every way there is, until the disk is full: a sentence each. */
static void fill_disk(struct pimdimm *sys)
{
	const uint64_t part = 8 << 20;
	const uint32_t nr_pes = pimdimm_geometry(sys)->nr_pes;
	uint8_t *bytes = need(calloc(1, part));
	const void **bufs = need(calloc(nr_pes, sizeof(*bufs)));
	struct pidcomm *hc;
	uint64_t off = 0;
	int ret = 0;

	assert_ok(pidcomm_create(sys, 1, &nr_pes, &hc));
	for (uint32_t i = 0; i < nr_pes; i++)
		bufs[i] = bytes;
	assert_ok(pidcomm_allreduce(hc, "1", 64, 0, 0, PIDCOMM_I32, PIDCOMM_SUM));
	for (; off < 64 << 20 && !ret; off += part)
		ret = pimdimm_push(sys, 0, nr_pes, off, bufs, part);
	assert_int_equal(ret, -ENOSPC);
	/* what large pieces had no room in small ones take */
	for (off = 0, ret = 0; off < 48 << 20 && !ret; off += 16 << 10)
		ret = pimdimm_write(sys, 0, off, bytes, 8);
	assert_int_equal(ret, -ENOSPC);
	off = 56 << 20;
	assert_refused(pimdimm_push(sys, 0, nr_pes, off, bufs, part), ENOSPC, "file=");
	assert_refused(pimdimm_write(sys, nr_pes - 1, off, bytes, part), ENOSPC,
		       "file=");
	assert_refused(pidcomm_broadcast(hc, "1", part, bufs, off), ENOSPC, "file=");
	assert_refused(pidcomm_allreduce(hc, "1", part, 0, off, PIDCOMM_I32,
					 PIDCOMM_SUM), ENOSPC, "file=");
	assert_refused(pimdimm_launch(sys, 0, nr_pes, 2, add_one, &off), EFAULT,
		       "file=");
	/* what there is room for goes on */
	assert_ok(pidcomm_allreduce(hc, "1", 64, 0, 0, PIDCOMM_I32, PIDCOMM_SUM));
	pidcomm_destroy(hc);
	free(bufs);
	free(bytes);
}

/* On a small disk of its own, in a child that alone sees it. */
static void on_small_disk(const char *keys, void (*use)(struct pimdimm *sys))
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		struct pimdimm *sys;

		if (!unit_small_disk("64m", folder, sizeof(folder)))
			_exit(77);
		if (use) {
			sys = unit_open(uri_of("a", keys));
			use(sys);
			pimdimm_close(sys);
		} else {
			assert_refused(pimdimm_open(uri_of("a", keys), &sys),
				       ENOSPC, "the file's disk");
			assert_not_there("a");
		}
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		unit_skip("a disk of its own may not be made here");
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_full_disk(void **state)
{
	(void)state;
	on_small_disk("ranks=1", fill_disk);
	on_small_disk("ranks=1,layout=xeon_sp", fill_disk);
}

static void write_all(struct pimdimm *sys)
{
	size_t bytes;

	/* space was reserved: not even a bare pointer finds the disk full */
	for (uint32_t i = 0; i < 2; i++) {
		uint8_t *window = need(pimdimm_mram(sys, i, &bytes));

		if (!pimdimm_geometry(sys)->layout)
			memset(window, 1, bytes);
	}
	fill(sys);
	assert_filled(sys);
}

static void test_reserve_disk(void **state)
{
	(void)state;
	on_small_disk("reserve=1," GEOMETRY, write_all);
	on_small_disk("reserve=1,layout=xeon_sp," GEOMETRY, write_all);
	on_small_disk("reserve=1,ranks=1,mram=2M", NULL);
}

/* bytes of memory that the rank's window has */
static uint64_t resident(struct pimdimm *sys, uint32_t rank)
{
	uint64_t pages = 0;
	size_t bytes;
	uint8_t *window = need(pimdimm_mram(sys, rank, &bytes));
	uint8_t *flags = need(malloc(bytes / 4096));

	assert_int_equal(mincore(window, bytes, flags), 0);
	for (size_t i = 0; i < bytes / 4096; i++)
		pages += flags[i] & 1;
	free(flags);
	return 4096 * pages;
}

static void test_reserve_memory(void **state)
{
	struct pimdimm *sys;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(unit_uris); i++) {
		char uri[128];

		snprintf(uri, sizeof(uri), "%s,reserve=1", unit_uris[i]);
		sys = unit_open(uri);
		assert_true(resident(sys, 1) >= 64 * 65536);
		fill(sys);
		assert_filled(sys);
		pimdimm_close(sys);
		sys = unit_open(unit_uris[i]);
		assert_true(resident(sys, 1) < 64 * 65536);
		pimdimm_close(sys);
	}
	/* no machine of tests has 4 TiB */
	assert_refused(pimdimm_open("mem:channels=8,ranks=128,reserve=1", &sys),
		       ENOMEM, "reserve=1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kept),
#define IN_FOLDER(test) \
	cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
		IN_FOLDER(test_sparse),
		IN_FOLDER(test_geometry),
		IN_FOLDER(test_damaged),
		IN_FOLDER(test_no_file),
		IN_FOLDER(test_export),
		IN_FOLDER(test_descriptors),
		IN_FOLDER(test_size_limit),
		IN_FOLDER(test_full_disk),
		IN_FOLDER(test_reserve_disk),
		IN_FOLDER(test_reserve_memory),
	};

	unit_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
