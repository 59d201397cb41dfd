// SPDX-License-Identifier: MIT
/* Sums up what programs count in their cells, and writes it when the process ends. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/error.h"
#include "runtime/base/util.h"
#include "runtime/pe/program/profile.h"
#include "runtime/pe/shared/cost.h"
#include "runtime/pe/shared/shared.h"

#define MAX_CELLS	(PE_PROFILE_BYTES / sizeof(uint64_t))

struct pe_sums {
	uint32_t pe;
	uint64_t cycles, instructions;
	uint64_t idle_dma, idle_stop, idle_few;
};

struct pd_profile {
	struct pd_profile *next;
	uint8_t *table;		/* NULL: not compiled for it */
	size_t table_bytes;
	uint64_t *cells;
	uint32_t nr_cells;
	struct pe_sums *pes;	/* in the order in which they came */
	uint32_t nr_pes;
};

static struct {
	pthread_mutex_t lock;	/* of what follows, and of all sums */
	struct pd_profile *first;
	char *path;		/* as it was when the first program was opened */
} profiles = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* A module's part of a table: which cells, and the text that tells of them. */
struct module {
	uint64_t first, nr;
	const char *text, *end;
};

/* The module at *at, which goes behind it; false: there is none that can be believed. */
static bool next_module(const struct pd_profile *p, size_t *at, struct module *m)
{
	uint64_t head[2];
	const uint8_t *zero;

	if (p->table_bytes - *at < sizeof(head))
		return false;
	memcpy(head, p->table + *at, sizeof(head));
	*at += sizeof(head);
	zero = memchr(p->table + *at, 0, p->table_bytes - *at);
	m->first = (head[0] - PE_PROFILE) / sizeof(uint64_t);
	m->nr = head[1];
	if (!zero || head[0] < PE_PROFILE || m->first >= MAX_CELLS ||
	    m->nr > MAX_CELLS - m->first)
		return false;
	m->text = (const char *)p->table + *at;
	m->end = (const char *)zero;
	*at = (size_t)(zero + 1 - p->table);
	return true;
}

static uint32_t count_cells(const struct pd_profile *p)
{
	uint64_t nr = 0;
	struct module m;
	size_t at = 0;

	while (next_module(p, &at, &m))
		if (nr < m.first + m.nr)
			nr = m.first + m.nr;
	return (uint32_t)nr;
}

static void free_profile(struct pd_profile *p)
{
	free(p->table);
	free(p->cells);
	free(p->pes);
	free(p);
}

static void before_fork(void)
{
	pthread_mutex_lock(&profiles.lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&profiles.lock);
}

/* What was counted before is the parent's to tell. */
static void in_child(void)
{
	for (struct pd_profile *p = profiles.first; p; p = p->next) {
		memset(p->cells, 0, p->nr_cells * sizeof(*p->cells));
		free(p->pes);
		p->pes = NULL;
		p->nr_pes = 0;
	}
	pthread_mutex_unlock(&profiles.lock);
}

static void watch_forks(void)
{
	pthread_atfork(before_fork, after_fork, in_child);
}

/* 0 or -ENOMEM */
static int add_profile(struct pd_profile *p, const char *path)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int err = 0;

	pthread_once(&once, watch_forks);
	pthread_mutex_lock(&profiles.lock);
	if (!profiles.path)
		profiles.path = pd_absolute_path(path);
	if (profiles.path) {
		p->next = profiles.first;
		profiles.first = p;
	} else {
		err = -ENOMEM;
	}
	pthread_mutex_unlock(&profiles.lock);
	return err;
}

struct pd_profile *pd_profile_open(const struct pd_elf *elf, int *err)
{
	const char *path = secure_getenv("PIMDIMM_PROFILE_FILE");
	struct pd_section table = { NULL, 0 };
	struct pd_profile *p;

	if (!path || !*path)
		return NULL;
	p = calloc(1, sizeof(*p));
	if (p && pd_elf_find(elf, ".pimdimm.profile", &table) && table.bytes) {
		p->table = malloc(table.bytes);
		p->table_bytes = table.bytes;
		if (p->table) {
			memcpy(p->table, table.data, table.bytes);
			p->nr_cells = count_cells(p);
		}
	}
	if (p)
		p->cells = calloc(p->nr_cells + 1ul, sizeof(*p->cells));
	if (!p || !p->cells || (table.bytes && !p->table) || add_profile(p, path)) {
		if (p)
			free_profile(p);
		*err = pd_error(ENOMEM, "no memory for a profile");
		return NULL;
	}
	return p;
}

/* Called with the lock held. One that there is no memory for is left out. */
static void add_pe(struct pd_profile *p, uint32_t pe, const struct pimdimm_times *times)
{
	struct pe_sums *sums = p->pes;
	uint32_t i = 0;

	while (i < p->nr_pes && p->pes[i].pe != pe)
		i++;
	if (i == p->nr_pes) {
		/* by powers of two */
		if (!(i & (i - 1)))
			sums = realloc(sums, (i ? 2ul * i : 1) * sizeof(*sums));
		if (!sums)
			return;
		p->pes = sums;
		p->pes[p->nr_pes++] = (struct pe_sums){ .pe = pe };
	}
	if (!times)
		return;
	p->pes[i].cycles += times->cycles;
	p->pes[i].instructions += times->instructions;
	p->pes[i].idle_dma += times->idle_dma + times->dma_slots;
	p->pes[i].idle_stop += times->idle_stop;
	p->pes[i].idle_few += times->idle_few;
}

void pd_profile_add(struct pd_profile *p, const volatile uint64_t *cells, uint32_t pe,
		    const struct pimdimm_times *times)
{
	if (!p)
		return;
	pthread_mutex_lock(&profiles.lock);
	for (uint32_t i = 0; i < p->nr_cells; i++)
		p->cells[i] += cells[i];
	add_pe(p, pe, times);
	pthread_mutex_unlock(&profiles.lock);
}

/* "INSTRUCTIONS\tLINE\tFILE\tFUNCTIONS", each time that the cell was counted up */
static void write_line(FILE *f, const char *line, size_t length, uint64_t count)
{
	const char *tab = memchr(line, '\t', length);

	if (count && tab)
		fprintf(f, "line\t%" PRId64 "%.*s\n",
			(int64_t)(count * strtoull(line, NULL, 10)),
			(int)(length - (size_t)(tab - line)), tab);
}

/* The same of a call, whose cells hold what tasklets waited there. */
static void write_site(FILE *f, const char *line, size_t length, const uint64_t *cells)
{
	const char *tab = memchr(line, '\t', length);
	uint64_t any = 0;

	for (unsigned int i = 0; i < PE_NR_WAITED; i++)
		any |= cells[i] >> PE_CLOCK_SHIFT;
	if (!any || !tab)
		return;
	fputs("wait", f);
	for (unsigned int i = 0; i < PE_NR_WAITED; i++)
		fprintf(f, "\t%" PRIu64, cells[i] >> PE_CLOCK_SHIFT);
	fprintf(f, "%.*s\n", (int)(length - (size_t)(tab - line)), tab);
}

static void write_module(FILE *f, const struct pd_profile *p, const struct module *m)
{
	const char *line = m->text;
	uint64_t cell = 0, next = 0;
	bool site = false;

	while (line < m->end) {
		const char *end = memchr(line, '\n', (size_t)(m->end - line));

		if (!end)
			return;
		if (*line == 'b' || *line == 'd' || *line == 'w') {
			site = *line == 'w';
			cell = next;
			next += site ? PE_NR_WAITED : 1;
		} else if (site && next <= m->nr) {
			write_site(f, line, (size_t)(end - line),
				   &p->cells[m->first + cell]);
		} else if (next && next <= m->nr) {
			write_line(f, line, (size_t)(end - line),
				   p->cells[m->first + cell]);
		}
		line = end + 1;
	}
}

static void write_profile(FILE *f, const struct pd_profile *p)
{
	struct module m;
	size_t at = 0;

	for (uint32_t i = 0; i < p->nr_pes; i++) {
		const struct pe_sums *s = &p->pes[i];

		fprintf(f, "pe\t%u\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
			"\t%" PRIu64 "\n", s->pe, s->cycles, s->instructions, s->idle_dma,
			s->idle_stop, s->idle_few);
	}
	fprintf(f, "issue\t%u\n", pd_cost()->issue_cycles);
	if (!p->nr_cells)
		fprintf(f, "plain\t%u\n", p->nr_pes);
	while (next_module(p, &at, &m))
		write_module(f, p, &m);
}

/* In one piece, since processes that run at the same time write to one file. */
static void append(const char *text, size_t bytes)
{
	const int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
	int fd = open(profiles.path, flags, 0666), err;

	err = fd < 0 ? errno : pd_write_all(fd, text, bytes);
	if (fd >= 0 && close(fd) && !err)
		err = errno;
	if (err)
		fprintf(stderr, "pimdimm: PIMDIMM_PROFILE_FILE: %s: %s\n",
			profiles.path, strerror(err));
}

/*
 * Other threads may still run PEs, whose counts come too late for the file, but not for
 * memory that they are added up in.
 */
__attribute__((destructor))
static void write_profiles(void)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *f;

	if (!profiles.path)
		return;
	f = open_memstream(&text, &bytes);
	pthread_mutex_lock(&profiles.lock);
	for (struct pd_profile *p = profiles.first; f && p; p = p->next)
		if (p->nr_pes)
			write_profile(f, p);
	pthread_mutex_unlock(&profiles.lock);
	if (!f || fclose(f))
		fprintf(stderr, "pimdimm: PIMDIMM_PROFILE_FILE: %s: %s\n",
			profiles.path, strerror(ENOMEM));
	else if (bytes)
		append(text, bytes);
	free(text);
}
