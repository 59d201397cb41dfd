// SPDX-License-Identifier: MIT
/* Core files of PEs: whole ones or none, and what they hold. */
#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "tests/unit/pe/pe_unit.h"

static char folder[] = "/tmp/pimdimm-core.XXXXXX";

/* How many files there are, the last one's path. */
static uint32_t count_files(char path[512])
{
	DIR *dir = opendir(folder);
	struct dirent *e;
	uint32_t n = 0;

	assert_non_null(dir);
	while ((e = readdir(dir))) {
		if (*e->d_name == '.')
			continue;
		snprintf(path, 512, "%s/%s", folder, e->d_name);
		n++;
	}
	closedir(dir);
	return n;
}

/* Read what a core has at an address. */
static void assert_memory(const char *path, uint64_t address, const void *bytes, size_t n)
{
	int fd = open(path, O_RDONLY);
	uint8_t got[256];
	Elf64_Phdr p;
	Elf64_Ehdr h;

	assert_true(fd >= 0 && n <= sizeof(got));
	assert_int_equal(pread(fd, &h, sizeof(h), 0), sizeof(h));
	assert_int_equal(h.e_type, ET_CORE);
	for (unsigned int i = 0; i < h.e_phnum; i++) {
		assert_int_equal(pread(fd, &p, sizeof(p), (off_t)(h.e_phoff + i * sizeof(p))),
				 sizeof(p));
		if (p.p_type != PT_LOAD || address - p.p_vaddr >= p.p_filesz)
			continue;
		assert_int_equal(pread(fd, got, n,
				       (off_t)(p.p_offset + address - p.p_vaddr)), n);
		assert_memory_equal(got, bytes, n);
		close(fd);
		return;
	}
	fail_msg("%s has nothing at %#llx", path, (unsigned long long)address);
}

static void test_memory(void **state)
{
	uint8_t mram[64], all[64];
	char path[512];
	struct pe_unit u;
	uint32_t three = 3;
	struct stat st;

	(void)state;
	pe_unit_open(&u, "mem:ranks=1,mram=8M", "frames", 8);
	for (uint32_t i = 0; i < sizeof(mram); i++)
		mram[i] = (uint8_t)(3 * i + 1);
	/* of pages that the PE has not seen, too; another PE's are not in it */
	memset(all, 0xee, sizeof(all));
	assert_ok(pimdimm_write(u.sys, 5, (8 << 20) - 64, mram, sizeof(mram)));
	assert_ok(pimdimm_write(u.sys, 4, 4096, all, sizeof(all)));
	pe_set32(&u, 5, "act", three);
	assert_int_equal(pe_unit_run(&u), -EFAULT);
	assert_non_null(strstr(u.run.first.text, "; its core file is "));
	assert_int_equal(count_files(path), 1);
	assert_non_null(strstr(path, "/pe-5."));
	assert_memory(path, PE_MRAM_BASE + (8 << 20) - 64, mram, sizeof(mram));
	memset(all, 0, sizeof(all));
	assert_memory(path, PE_MRAM_BASE + 4096, all, sizeof(all));
	assert_memory(path, PE_WRAM_BASE + pe_symbol(&u, "act").address, &three, 4);
	assert_int_equal(stat(path, &st), 0);
	assert_true(st.st_blocks < 8 << 20 >> 10);
	assert_int_equal(st.st_mode & 0777, 0600);
	unlink(path);
	pe_unit_close(&u);
}

/* Of many that fault there is one; without room for it there is none. */
static void test_room(void **state)
{
	struct rlimit limit, before;
	char path[512];
	struct pe_unit u;

	(void)state;
	/* one worker, which the first run leaves: under the limit there is no room for another */
	setenv("PIMDIMM_THREADS", "1", 1);
	pe_unit_open(&u, "mem:ranks=1,mram=1M", "frames", 64);
	unsetenv("PIMDIMM_THREADS");
	assert_ok(pe_unit_run(&u));
	for (uint32_t pe = 0; pe < 64; pe++)
		pe_set32(&u, pe, "act", 1);
	getrlimit(RLIMIT_FSIZE, &before);
	limit = before;
	limit.rlim_cur = 65536;
	setrlimit(RLIMIT_FSIZE, &limit);
	assert_int_equal(pe_unit_run(&u), -EFAULT);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(count_files(path), 0);
	assert_int_equal(pe_unit_run(&u), -EFAULT);
	assert_int_equal(u.run.nr_faulted, 64);
	assert_int_equal(count_files(path), 1);
	unlink(path);
	pe_unit_close(&u);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_room),
	};
	char value[64];
	int ret;

	unit_start();
	if (!mkdtemp(folder))
		return 1;
	snprintf(value, sizeof(value), "core:%s", folder);
	setenv("PIMDIMM_ON_FAULT", value, 1);
	ret = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(folder);
	return ret;
}
