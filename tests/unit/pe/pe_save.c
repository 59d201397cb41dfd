// SPDX-License-Identifier: MIT
/*
 * Saving and restoring a system: all of it comes back, into another layout too; what is
 * not a whole and sound file is told and changes nothing; and a save that fails leaves
 * the file that was there. With SAVE_FUZZ set to a number of seconds, files whose
 * checksums are right but whose numbers are not are tried for so long, else for one.
 */
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "runtime/base/clock.h"
#include "runtime/checkpoint.h"
#include "tests/unit/disk.h"
#include "tests/unit/pe/pe_unit.h"

#define NR_PES	128
#define LINEAR	"mem:ranks=2,mram=64K"
#define XEON_SP	"mem:ranks=2,mram=64K,layout=xeon_sp"

static char folder[64], path[96];

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/pimdimm-save-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/saved", folder);
	return 0;
}

static int remove_folder(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

static const char *file_uri(const char *name)
{
	static char uri[128];

	snprintf(uri, sizeof(uri), "mem:ranks=2,mram=64K,file=%s/%s", folder, name);
	return uri;
}

/* all MRAM of a system, PE after PE */
static uint8_t *mram_of(struct pimdimm *sys)
{
	const struct pimdimm_geometry *g = pimdimm_geometry(sys);
	uint8_t *mram = need(malloc(g->nr_pes * g->mram_size));

	for (uint32_t pe = 0; pe < g->nr_pes; pe++)
		assert_ok(pimdimm_read(sys, pe, 0, mram + pe * g->mram_size,
				       g->mram_size));
	return mram;
}

/* Some PEs that ran a program, one whose WRAM the host set, and MRAM here and there. */
static void make_system(struct pe_unit *u, const char *uri)
{
	uint64_t x = 1234;

	pe_unit_open(u, uri, "hello", 100);
	assert_ok(pimdimm_write(u->sys, 3, 65536 - 8, &x, 8));
	assert_ok(pimdimm_write(u->sys, NR_PES - 1, 40000, &x, 8));
	assert_ok(pimdimm_run(u->sys, u->pes, 50, NULL));
	pe_set(u, 60, "runs", &x, 8);
}

static void assert_runs(struct pimdimm *sys, uint32_t pe, uint64_t expected)
{
	struct pimdimm_program *program;
	struct pimdimm_symbol s;
	uint64_t runs;

	assert_ok(pimdimm_program_of(sys, pe, &program));
	assert_ok(pimdimm_program_symbol(program, "runs", &s));
	assert_ok(pimdimm_wram_read(sys, pe, s.address, &runs, sizeof(runs)));
	assert_int_equal(runs, expected);
	pimdimm_program_close(program);
}

/* It goes on from where it was. */
static void assert_goes_on(struct pimdimm *sys)
{
	struct pimdimm_program *program;
	uint32_t pes[100];

	assert_runs(sys, 49, 1);
	assert_runs(sys, 60, 1234);
	assert_runs(sys, 99, 0);
	assert_refused(pimdimm_program_of(sys, 100, &program), ENOEXEC, "PE 100");
	for (uint32_t i = 0; i < 100; i++)
		pes[i] = i;
	assert_ok(pimdimm_run(sys, pes, 100, NULL));
	assert_runs(sys, 0, 2);
	assert_runs(sys, 60, 1235);
	assert_runs(sys, 99, 1);
}

static void test_round_trip(void **state)
{
	const char *const from[] = { LINEAR, XEON_SP, LINEAR ",strict=1" };
	const char *const to[] = { LINEAR, XEON_SP, LINEAR ",strict=1", NULL };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(from) * ARRAY_SIZE(to); i++) {
		const char *uri = to[i % ARRAY_SIZE(to)];
		struct pe_unit u, other;
		uint8_t *mram, *again;
		uint64_t x = 99;

		make_system(&u, from[i / ARRAY_SIZE(to)]);
		mram = mram_of(u.sys);
		assert_ok(pimdimm_save(u.sys, path));
		pe_unit_close(&u);
		/* into one that holds other things */
		pe_unit_open(&other, uri ? uri : file_uri("mram"), "loaded", NR_PES);
		for (uint32_t pe = 0; pe < NR_PES; pe++)
			assert_ok(pimdimm_write(other.sys, pe, 512 * pe, &x, 8));
		assert_ok(pimdimm_restore(other.sys, path));
		again = mram_of(other.sys);
		assert_memory_equal(mram, again, NR_PES * 65536);
		assert_goes_on(other.sys);
		pe_unit_close(&other);
		free(mram);
		free(again);
	}
}

static uint64_t size_of(const char *name)
{
	struct stat st;

	assert_int_equal(stat(name, &st), 0);
	return (uint64_t)st.st_size;
}

/* Of 16 GiB those pages that were written to; without programs there are none. */
static void test_sparse(void **state)
{
	struct pimdimm *sys = unit_open("mem:"), *other = unit_open("mem:");
	struct pimdimm_program *program;
	uint64_t x = 1;

	(void)state;
	assert_ok(pimdimm_save(sys, path));
	assert_true(size_of(path) < 200);
	assert_ok(pimdimm_write(sys, 255, 63 << 20, &x, 8));
	assert_ok(pimdimm_save(sys, path));
	assert_true(size_of(path) < 40000);
	assert_ok(pimdimm_restore(other, path));
	x = 0;
	assert_ok(pimdimm_read(other, 255, 63 << 20, &x, 8));
	assert_int_equal(x, 1);
	assert_refused(pimdimm_program_of(other, 0, &program), ENOEXEC, "PE 0");
	pimdimm_close(sys);
	pimdimm_close(other);
}

static void test_geometry(void **state)
{
	static const struct {
		const char *uri, *word;
	} others[] = {
		{ "mem:ranks=1,channels=2,mram=64K", "channels=1, this one has 2" },
		{ "mem:ranks=1,mram=64K", "ranks=2, this one has 1" },
		{ "mem:ranks=2,mram=68K", "mram=65536, this one has 69632" },
	};
	struct pimdimm *sys = unit_open(LINEAR);

	(void)state;
	assert_ok(pimdimm_save(sys, path));
	pimdimm_close(sys);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		sys = unit_open(others[i].uri);
		assert_refused(pimdimm_restore(sys, path), EINVAL, others[i].word);
		pimdimm_close(sys);
	}
}

static void test_paths(void **state)
{
	struct pimdimm *sys = unit_open(LINEAR);
	char name[128];
	struct stat st;

	(void)state;
	assert_refused(pimdimm_save(NULL, path), EINVAL, "sys");
	assert_refused(pimdimm_save(sys, NULL), EINVAL, "path");
	assert_refused(pimdimm_restore(NULL, path), EINVAL, "sys");
	assert_refused(pimdimm_restore(sys, NULL), EINVAL, "path");
	assert_refused(pimdimm_restore(sys, path), ENOENT, path);
	assert_refused(pimdimm_restore(sys, folder), EISDIR, folder);
	assert_refused(pimdimm_restore(sys, "/dev/zero"), EINVAL, "/dev/zero");
	assert_refused(pimdimm_save(sys, folder), EISDIR, folder);
	assert_refused(pimdimm_save(sys, "/dev/null"), EINVAL, "/dev/null");
	assert_refused(pimdimm_save(sys, "/nonexistent/a"), ENOENT, "/nonexistent/a");
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_refused(pimdimm_save(sys, path), EINVAL, path);
	assert_refused(pimdimm_restore(sys, path), EINVAL, path);
	assert_int_equal(unlink(path), 0);
	/* a link is replaced, and what it led to stays */
	snprintf(name, sizeof(name), "%s/target", folder);
	assert_ok(pimdimm_save(sys, name));
	assert_int_equal(symlink("target", path), 0);
	assert_ok(pimdimm_restore(sys, path));
	assert_ok(pimdimm_save(sys, path));
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISREG(st.st_mode));
	pimdimm_close(sys);
}

static void save_inside(struct pimdimm_pe *pe, void *arg)
{
	struct pimdimm *sys = arg;

	(void)pe;
	assert_refused(pimdimm_save(sys, path), EBUSY, "strict=1");
	assert_refused(pimdimm_restore(sys, path), EBUSY, "strict=1");
}

static void test_busy(void **state)
{
	struct pimdimm *sys = unit_open(LINEAR ",strict=1");

	(void)state;
	assert_ok(pimdimm_save(sys, path));
	assert_ok(pimdimm_launch(sys, 0, 1, 1, save_inside, sys));
	pimdimm_close(sys);
}

struct bytes {
	uint8_t *data;
	size_t n;
};

static struct bytes read_whole(const char *name)
{
	struct bytes b = { .n = size_of(name) };
	int fd = open(name, O_RDONLY);

	b.data = need(malloc(b.n));
	assert_int_equal(read(fd, b.data, b.n), b.n);
	close(fd);
	return b;
}

static void write_whole(const struct bytes *b, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, b->data, n), n);
	close(fd);
}

/* a system, its file, and another one to restore it into */
struct damage {
	struct bytes file;
	struct pimdimm *sys;
	uint8_t *before;
};

static void damage_open(struct damage *d)
{
	struct pe_unit u;
	uint64_t x = 5;

	make_system(&u, LINEAR);
	assert_ok(pimdimm_save(u.sys, path));
	pe_unit_close(&u);
	d->file = read_whole(path);
	d->sys = unit_open(LINEAR);
	assert_ok(pimdimm_write(d->sys, 1, 8, &x, 8));
	d->before = mram_of(d->sys);
}

static void damage_close(struct damage *d)
{
	pimdimm_close(d->sys);
	free(d->before);
	free(d->file.data);
}

/* It is not restored, and the system is what it was. */
static void assert_damaged(struct damage *d, size_t n, const char *what, size_t at)
{
	struct pimdimm_program *program;
	uint8_t *now;
	int ret;

	write_whole(&d->file, n);
	ret = pimdimm_restore(d->sys, path);
	if (ret != -EBADMSG || !strstr(pimdimm_errmsg(), path) ||
	    !strstr(pimdimm_errmsg(), "offset"))
		fail_msg("%s at %zu: %d: %s", what, at, ret, pimdimm_errmsg());
	now = mram_of(d->sys);
	assert_memory_equal(d->before, now, NR_PES * 65536);
	assert_int_equal(pimdimm_program_of(d->sys, 0, &program), -ENOEXEC);
	free(now);
}

static void test_truncated(void **state)
{
	struct damage d;

	(void)state;
	damage_open(&d);
	for (size_t n = 0; n < d.file.n; n += n < 200 || n + 50 > d.file.n ? 1 : 1777)
		assert_damaged(&d, n, "cut", n);
	d.file.data = need(realloc(d.file.data, d.file.n + 1));
	d.file.data[d.file.n] = 0;
	assert_damaged(&d, d.file.n + 1, "longer", d.file.n);
	damage_close(&d);
}

static void test_flipped(void **state)
{
	struct damage d;

	(void)state;
	damage_open(&d);
	for (size_t i = 0; i < d.file.n; i += i < 200 || i + 50 > d.file.n ? 1 : 1777) {
		d.file.data[i] ^= (uint8_t)(1 << i % 8);
		assert_damaged(&d, d.file.n, "flip", i);
		d.file.data[i] ^= (uint8_t)(1 << i % 8);
	}
	damage_close(&d);
}

/* Make the checksums right again, as far as records can be followed. */
static void seal(struct bytes *b)
{
	struct pd_save_header *h = (void *)b->data;
	uint64_t hash = h->hash = pd_save_header_hash(h);

	for (size_t at = sizeof(*h); at + sizeof(struct pd_save_record) <= b->n;) {
		struct pd_save_record r;
		size_t data = at + sizeof(r);

		memcpy(&r, b->data + at, sizeof(r));
		if (r.bytes > b->n - data)
			return;
		hash = r.hash = pd_save_record_hash(&r, b->data + data, hash);
		memcpy(b->data + at, &r, sizeof(r));
		at = data + r.bytes;
	}
}

/* where the n-th record begins; 0: there are not so many */
static size_t record_at(const struct bytes *b, uint64_t n)
{
	size_t at = sizeof(struct pd_save_header);
	struct pd_save_record r;

	for (; n && at + sizeof(r) < b->n; n--) {
		memcpy(&r, b->data + at, sizeof(r));
		at += sizeof(r) + r.bytes;
	}
	return n || at + sizeof(r) > b->n ? 0 : at;
}

/* Another number, as wrong numbers go, in a field of the header or of a record. */
static void spoil(struct bytes *b, struct rng *rng)
{
	static const uint64_t odd[] = { 0, 1, 2, 3, 4, 5, 7, 8, 63, 64, 127, 128, 255,
		8191, 8192, 65535, 65536, 1 << 20, UINT32_MAX, INT64_MAX, UINT64_MAX };
	size_t at = record_at(b, rng_next(rng) % 120);
	uint64_t value = odd[rng_next(rng) % ARRAY_SIZE(odd)];

	if (rng_next(rng) % 16 == 0)
		at = sizeof(PD_SAVE_MAGIC) + rng_next(rng) % 24;
	else if (rng_next(rng) % 4 == 0)
		at = rng_next(rng) % b->n;
	else
		at += (uint64_t[]){ 0, 4, 8, 12, 16, 20 }[rng_next(rng) % 6];
	memcpy(b->data + at, &value,
	       at + 8 > b->n ? b->n - at : rng_next(rng) % 2 ? 4 : 8);
}

/* Whatever numbers a file has, it is restored or refused. */
static void test_fuzz(void **state)
{
	const char *seconds = getenv("SAVE_FUZZ");
	uint64_t end = pd_now_ns() + 1000000000ull * (seconds ? strtoul(seconds, NULL, 10) : 1);
	uint64_t tried = 0, taken = 0;
	struct rng rng = { 1 };
	struct bytes sound;
	struct damage d;

	(void)state;
	damage_open(&d);
	sound = (struct bytes){ need(malloc(d.file.n)), d.file.n };
	memcpy(sound.data, d.file.data, sound.n);
	for (; pd_now_ns() < end; tried++) {
		int ret;

		memcpy(d.file.data, sound.data, sound.n);
		for (uint64_t n = rng_next(&rng) % 3 + 1; n; n--)
			spoil(&d.file, &rng);
		seal(&d.file);
		write_whole(&d.file, d.file.n);
		ret = pimdimm_restore(d.sys, path);
		taken += !ret;
		if (ret && ret != -EBADMSG && ret != -EINVAL && ret != -ENOEXEC &&
		    ret != -E2BIG)
			fail_msg("%d: %s", ret, pimdimm_errmsg());
	}
	printf("# %llu files, of which %llu are files\n", (unsigned long long)tried,
	       (unsigned long long)taken);
	memcpy(d.file.data, sound.data, sound.n);
	write_whole(&d.file, d.file.n);
	assert_ok(pimdimm_restore(d.sys, path));
	assert_goes_on(d.sys);
	free(sound.data);
	damage_close(&d);
}

static unsigned int files_in_folder(void)
{
	char command[128];
	unsigned int n = 0;
	FILE *f;

	snprintf(command, sizeof(command), "ls -A %s | wc -l", folder);
	f = popen(command, "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%u", &n), 1);
	pclose(f);
	return n;
}

static void limit_size(rlim_t bytes)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* A save that finds no room leaves the one before it, and nothing else. */
static void fail_to_save(const char *small, int err)
{
	struct pimdimm *sys = unit_open("mem:ranks=1,mram=1M");
	uint8_t *data = need(malloc(1 << 20));
	uint64_t x = 0;

	memset(data, 3, 1 << 20);
	assert_ok(pimdimm_write(sys, 9, 0, &(uint64_t){ 17 }, 8));
	assert_ok(pimdimm_save(sys, path));
	assert_ok(pimdimm_write(sys, 9, 0, data, 1 << 20));
	if (!small)
		limit_size(1 << 20);
	assert_refused(pimdimm_save(sys, path), err, path);
	limit_size(RLIM_INFINITY);
	assert_int_equal(files_in_folder(), 1);
	assert_ok(pimdimm_restore(sys, path));
	assert_ok(pimdimm_read(sys, 9, 0, &x, 8));
	assert_int_equal(x, 17);
	pimdimm_close(sys);
	free(data);
}

static void test_size_limit(void **state)
{
	(void)state;
	fail_to_save(NULL, EFBIG);
}

static void test_full_disk(void **state)
{
	int status;
	pid_t pid = fork();

	(void)state;
	if (!pid) {
		if (!unit_small_disk("2m", folder, sizeof(folder)))
			_exit(77);
		snprintf(path, sizeof(path), "%s/saved", folder);
		fail_to_save("disk", ENOSPC);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		unit_skip("a disk of its own may not be made here");
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
#define IN_FOLDER(test) \
	cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
	const struct CMUnitTest tests[] = {
		IN_FOLDER(test_round_trip), IN_FOLDER(test_sparse),
		IN_FOLDER(test_geometry), IN_FOLDER(test_paths),
		IN_FOLDER(test_busy), IN_FOLDER(test_truncated),
		IN_FOLDER(test_flipped), IN_FOLDER(test_fuzz),
		IN_FOLDER(test_size_limit), IN_FOLDER(test_full_disk),
	};

	unit_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
