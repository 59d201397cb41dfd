// SPDX-License-Identifier: MIT
/*
 * Examples of the manual pages of <pimdimm/pimdimm.h>: what stands between the
 * marks goes into the pages that they name. The program runs them all.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <pimdimm/pimdimm.h>

/* example of pimdimm_errmsg: A function that ends the program with the sentence */
static void check(int ret)
{
	if (ret < 0) {
		fprintf(stderr, "%s\n", pimdimm_errmsg());
		exit(EXIT_FAILURE);
	}
}
/* end of example */

/* example of pimdimm_error: A function of one's own that fails as the library's do */
static int check_rows(int rows)
{
	if (rows < 1)
		return pimdimm_error(EINVAL, "rows=%d, expected 1 at least", rows);
	return 0;
}
/* end of example */

static void versions(void)
{
	/* example of pimdimm_version: The versions of the headers and of the library */
	printf("compiled with %s, runs with %s\n", PIMDIMM_VERSION, pimdimm_version());
	/* end of example */
}

static void open_close(void)
{
	/* example of pimdimm_open, pimdimm_close: Two ranks of this process, with 1 MiB of
	 * MRAM per PE */
	struct pimdimm *sys;

	check(pimdimm_open("mem:ranks=2,mram=1M", &sys));
	printf("%u PEs\n", pimdimm_geometry(sys)->nr_pes);	/* 128 PEs */
	pimdimm_close(sys);
	/* end of example */
}

static void geometry(struct pimdimm *sys)
{
	/* example of pimdimm_geometry: How much MRAM there is */
	const struct pimdimm_geometry *g = pimdimm_geometry(sys);

	printf("%u PEs with %llu bytes of MRAM each\n", g->nr_pes,
	       (unsigned long long)g->mram_size);
	/* end of example */
}

static void write_read(struct pimdimm *sys)
{
	/* example of pimdimm_write, pimdimm_read: A string in the MRAM of PE 5, and back */
	char text[6];

	check(pimdimm_write(sys, 5, 1000, "hello", 6));
	check(pimdimm_read(sys, 5, 1000, text, 6));
	puts(text);
	/* end of example */
}

static void push_pull(struct pimdimm *sys)
{
	/* example of pimdimm_push, pimdimm_pull: Eight numbers for each of 64 PEs, and
	 * back */
	static uint64_t numbers[64][8], back[64][8];
	const void *from[64];
	void *to[64];

	for (int pe = 0; pe < 64; pe++) {
		numbers[pe][0] = (uint64_t)pe;
		from[pe] = numbers[pe];
		to[pe] = back[pe];
	}
	check(pimdimm_push(sys, 0, 64, 0, from, sizeof(numbers[0])));
	check(pimdimm_pull(sys, 0, 64, 0, to, sizeof(back[0])));
	/* end of example */
	if (memcmp(numbers, back, sizeof(back)))
		exit(EXIT_FAILURE);
}

static void save_restore(struct pimdimm *sys)
{
	/* example of pimdimm_save, pimdimm_restore: What was prepared once is there in
	 * the next run */
	if (pimdimm_restore(sys, "/tmp/prepared.pimdimm")) {
		check(pimdimm_write(sys, 5, 0, "costly", 7));
		check(pimdimm_save(sys, "/tmp/prepared.pimdimm"));
	}
	/* end of example */
	unlink("/tmp/prepared.pimdimm");
}

static void window(struct pimdimm *sys)
{
	/* example of pimdimm_mram, pimdimm_domain_transfer: The first word of PEs 0 to 7
	 * in the window */
	size_t bytes;
	const void *mram = pimdimm_mram(sys, 0, &bytes);
	uint64_t words[8];

	pimdimm_domain_transfer(words, mram, 1);
	printf("PE 3 has %llu\n", (unsigned long long)words[3]);
	/* end of example */
}

static void share(struct pimdimm *sys)
{
	/* example of pimdimm_export, pimdimm_import: A rank's window, exported and mapped
	 * a second time */
	size_t bytes;
	void *window;
	int fd;

	pimdimm_mram(sys, 0, &bytes);
	fd = pimdimm_export(sys, 0, 0, bytes);
	check(fd);
	/* usually in another process, which received fd over a UNIX socket */
	check(pimdimm_import(fd, &window, &bytes));
	close(fd);
	munmap(window, bytes);
	/* end of example */
}

/* example of pimdimm_launch, pimdimm_kernel, pimdimm_tasklet_id, pimdimm_mram_read,
 * pimdimm_mram_write: A kernel that doubles numbers, 8 in each of 4 tasklets; it runs on
 * 64 PEs */
static void twice(struct pimdimm_pe *pe, void *arg)
{
	uint64_t *x = pimdimm_wram_alloc(pe, 64);
	uint64_t off = 64 * (uint64_t)pimdimm_tasklet_id(pe);

	pimdimm_mram_read(pe, off, x, 64);
	for (int i = 0; i < 8; i++)
		x[i] *= 2;
	pimdimm_mram_write(pe, off, x, 64);
}

static void double_all(struct pimdimm *sys)
{
	check(pimdimm_launch(sys, 0, 64, 4, twice, NULL));
}
/* end of example */

/* example of pimdimm_pe_id: A kernel that handles PEs of even numbers only */
static void even(struct pimdimm_pe *pe, void *arg)
{
	uint64_t *word = arg;

	if (pimdimm_pe_id(pe) % 2 == 0)
		pimdimm_mram_write(pe, 0, word, sizeof(*word));
}
/* end of example */

/* example of pimdimm_wram, pimdimm_barrier, pimdimm_tasklet_id: The tasklets of a PE add
 * up their numbers in WRAM */
static void sum_of_tasklets(struct pimdimm_pe *pe, void *nr_tasklets)
{
	uint64_t *number = pimdimm_wram(pe);
	unsigned int me = pimdimm_tasklet_id(pe);

	number[me] = me;
	pimdimm_barrier(pe);
	if (me)
		return;
	for (unsigned int i = 1; i < *(unsigned int *)nr_tasklets; i++)
		number[0] += number[i];
	pimdimm_mram_write(pe, 0, number, 8);
}
/* end of example */

/* example of pimdimm_wram_alloc: A buffer for one tasklet, or none where the WRAM is spent */
static void copy(struct pimdimm_pe *pe, void *arg)
{
	void *buffer = pimdimm_wram_alloc(pe, 2048);

	if (!buffer)
		return;
	pimdimm_mram_read(pe, 0, buffer, 2048);
	pimdimm_mram_write(pe, 2048, buffer, 2048);
}
/* end of example */

int main(void)
{
	unsigned int tasklets = 11;
	uint64_t word = 7;
	struct pimdimm *sys;

	check(pimdimm_open("mem:ranks=1,mram=64K", &sys));
	versions();
	check(check_rows(1));
	open_close();
	geometry(sys);
	save_restore(sys);
	write_read(sys);
	push_pull(sys);
	window(sys);
	double_all(sys);
	check(pimdimm_read(sys, 63, 0, &word, sizeof(word)));
	if (word != 126)
		return EXIT_FAILURE;
	share(sys);
	check(pimdimm_launch(sys, 0, 64, 1, even, &word));
	check(pimdimm_launch(sys, 0, 64, 1, copy, NULL));
	check(pimdimm_launch(sys, 0, 64, tasklets, sum_of_tasklets, &tasklets));
	check(pimdimm_read(sys, 63, 0, &word, sizeof(word)));
	pimdimm_close(sys);
	return word == 55 ? EXIT_SUCCESS : EXIT_FAILURE;
}
