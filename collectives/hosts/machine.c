// SPDX-License-Identifier: MIT
/* Steps and failures of the hosts of a machine, in the memory that all map. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/base/error.h"
#include "runtime/base/signals.h"
#include "runtime/base/threads.h"
#include "collectives/hosts/machine.h"

#define FORK_PAGE	4096
/* who claims to break something has as long to say what */
#define BREAKING_NS	(PD_NS_PER_S / 5)

static const char *const kinds[PC_HOSTS_KINDS] = {
	[PC_HOSTS_NONE] = "no call",
	[PC_HOSTS_JOIN] = "join",
	[PC_HOSTS_BARRIER] = "barrier",
	[PC_HOSTS_SPLIT] = "split",
	[PC_HOSTS_ALLOC] = "alloc",
	[PC_HOSTS_CREATE] = "create_hosts",
	[PC_HOSTS_ALLREDUCE] = "allreduce",
	[PC_HOSTS_REDUCE_SCATTER] = "reduce_scatter",
	[PC_HOSTS_REDUCE] = "reduce",
	[PC_HOSTS_BROADCAST] = "broadcast",
	[PC_HOSTS_ALLGATHER] = "allgather",
	[PC_HOSTS_ACROSS] = "between machines",
};

static const char *const phases[PC_HOSTS_PHASES] = {
	[PC_HOSTS_ARRIVING] = "arriving",
	[PC_HOSTS_HANDING] = "handing descriptors over",
	[PC_HOSTS_FOLDING] = "folding",
	[PC_HOSTS_TO_HOST] = "copying from MRAM",
	[PC_HOSTS_NETWORK] = "exchanging messages",
	[PC_HOSTS_TO_MRAM] = "copying to MRAM",
	[PC_HOSTS_REGISTERS] = "copying from MRAM to MRAM",
	[PC_HOSTS_SPREADING] = "copying results",
	[PC_HOSTS_LEAVING] = "leaving the call",
};

const char *pc_hosts_kind_name(enum pc_hosts_kind kind)
{
	if (kind >= PC_HOSTS_ON_CUBES && kind <= PC_HOSTS_ON_CUBES_LAST)
		return pc_collective_name((enum pc_collective)(kind - PC_HOSTS_ON_CUBES));
	return kinds[kind];
}

const char *pc_hosts_phase_name(uint32_t phase)
{
	return phase < PC_HOSTS_PHASES ? phases[phase] : "?";
}

int pc_hosts_make_page(uint32_t hosts)
{
	uint64_t bytes = pc_hosts_page_bytes(hosts) + pc_hosts_scratch_bytes(hosts);
	int fd = memfd_create("pimdimm-hosts", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	const struct pc_hosts_page head = { .magic = PC_HOSTS_MAGIC,
					    .version = PC_HOSTS_VERSION,
					    .hosts = hosts };
	int err;

	if (fd >= 0 && !pd_set_file_size(fd, (off_t)bytes) &&
	    pwrite(fd, &head, 16, 0) == 16 &&
	    !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return fd;
	err = errno;
	if (fd >= 0)
		close(fd);
	return pd_error(err, "no memory for %u hosts to share: %s", hosts, strerror(err));
}

static bool page_head_is_right(const struct pimdimm_hosts *h)
{
	return h->page->magic == PC_HOSTS_MAGIC && h->page->version == PC_HOSTS_VERSION &&
	       h->page->hosts == h->hosts;
}

int pc_hosts_map(struct pimdimm_hosts *h, int fd)
{
	uint64_t bytes = pc_hosts_page_bytes(h->hosts) + pc_hosts_scratch_bytes(h->hosts);
	int seals = fcntl(fd, F_GET_SEALS);
	struct stat st;
	void *at;

	if (seals < 0 || !(seals & F_SEAL_SHRINK) || fstat(fd, &st) ||
	    (uint64_t)st.st_size != bytes)
		return pd_error(EIO, "the hosts' control page is no sealed file of %llu bytes",
				(unsigned long long)bytes);
	at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return pd_error(errno == EPERM ? EIO : ENOMEM,
				"the hosts' control page cannot be mapped: %s", strerror(errno));
	h->page = at;
	h->page_bytes = bytes;
	h->scratch = (uint8_t *)at + pc_hosts_page_bytes(h->hosts);
	h->scratch_bytes = pc_hosts_scratch_bytes(h->hosts);
	if (page_head_is_right(h))
		return 0;
	return pd_error(EIO, "the hosts' control page is corrupt: its head is not that of %u hosts",
			h->hosts);
}

static void close_all(int fds[PC_HOSTS_MOST])
{
	for (unsigned int i = 0; i < PC_HOSTS_MOST; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
}

/* of all lists of parts: who aborts may be any thread */
static pthread_mutex_t parts_lock = PTHREAD_MUTEX_INITIALIZER;

PD_FORK_FREES(&parts_lock);

void pc_hosts_attach(struct pimdimm_hosts *whole, struct pimdimm_hosts *part)
{
	pthread_mutex_lock(&parts_lock);
	part->whole = whole;
	part->next_part = whole->parts;
	__atomic_store_n(&whole->parts, part, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&parts_lock);
}

void pc_hosts_break_parts(struct pimdimm_hosts *whole, int err, const char *words)
{
	pthread_mutex_lock(&parts_lock);
	for (struct pimdimm_hosts *part = whole->parts; part; part = part->next_part) {
		if (part->machine)
			part->beyond->abort(part, words);
		else
			pc_hosts_break_page(part, err, words);
	}
	pthread_mutex_unlock(&parts_lock);
}

const struct pimdimm_hosts *pc_hosts_hold_whole(const struct pimdimm_hosts *part)
{
	pthread_mutex_lock(&parts_lock);
	return part->whole;
}

void pc_hosts_release_whole(void)
{
	pthread_mutex_unlock(&parts_lock);
}

static void detach_parts(struct pimdimm_hosts *h)
{
	pthread_mutex_lock(&parts_lock);
	for (; h->parts; h->parts = h->parts->next_part)
		h->parts->whole = NULL;
	if (h->whole) {
		struct pimdimm_hosts **at = &h->whole->parts;

		while (*at != h)
			at = &(*at)->next_part;
		*at = h->next_part;
	}
	pthread_mutex_unlock(&parts_lock);
}

void pc_hosts_drop(struct pimdimm_hosts *h)
{
	if (!h)
		return;
	pd_affinity_unshare(&h->share);
	detach_parts(h);
	if (h->machine)
		h->beyond->drop(h);
	while (h->segments) {
		struct pc_hosts_segment *s = h->segments;

		h->segments = s->next;
		munmap(s->base, s->bytes);
		free(s);
	}
	close_all(h->lives);
	close_all(h->links);
	if (h->page)
		munmap(h->page, h->page_bytes);
	free(h);
}

uint64_t pc_hosts_deadline_from(uint64_t begin, uint32_t timeout_ms)
{
	return timeout_ms ? begin + timeout_ms * (PD_NS_PER_S / 1000) : UINT64_MAX;
}

uint64_t pc_hosts_deadline(uint32_t timeout_ms)
{
	return pc_hosts_deadline_from(pd_now_ns(), timeout_ms);
}

static pthread_once_t fork_word_once = PTHREAD_ONCE_INIT;
/* a page that a child of fork() finds empty; NULL: the kernel does not do that */
static const volatile uint32_t *fork_word;

static void make_fork_word(void)
{
	uint32_t *word = mmap(NULL, FORK_PAGE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (word == MAP_FAILED)
		return;
	if (madvise(word, FORK_PAGE, MADV_WIPEONFORK)) {
		munmap(word, FORK_PAGE);
		return;
	}
	*word = 1;
	fork_word = word;
}

/* A system call would be a good part of a small call's time. */
bool pc_hosts_is_child(const struct pimdimm_hosts *h)
{
	pthread_once(&fork_word_once, make_fork_word);
	return (!fork_word || !*fork_word) && getpid() != h->pid;
}

void pc_hosts_doing(struct pimdimm_hosts *h, enum pc_hosts_phase phase)
{
	if (h->machine)
		h = h->machine;
	atomic_store_explicit(&h->page->line[h->host].doing,
			      (uint32_t)h->kind << 8 | (uint32_t)phase, memory_order_relaxed);
}

uint32_t pc_hosts_does(const struct pimdimm_hosts *h)
{
	if (h->machine)
		h = h->machine;
	return atomic_load_explicit(&h->page->line[h->host].doing, memory_order_relaxed) & 255;
}

static void ring_bell(struct pc_hosts_line *line)
{
	atomic_fetch_add(&line->bell, 1);
	syscall(SYS_futex, &line->bell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void pc_hosts_post(struct pimdimm_hosts *h, uint32_t step)
{
	struct pc_hosts_line *line = &h->page->line[h->host];

	/* a waiter counts itself among the sleepers before it looks at the step again */
	atomic_store(&line->step, h->number << 32 | step);
	if (atomic_load(&line->sleepers))
		ring_bell(line);
}

bool pc_hosts_left(const struct pimdimm_hosts *h, uint32_t peer)
{
	return atomic_load(&h->page->line[peer].left);
}

void pc_hosts_name(const struct pimdimm_hosts *h, uint32_t peer, char *text, size_t bytes)
{
	const struct pc_hosts_line *line;
	uint32_t doing, kind, phase;
	uint64_t number;

	if (h->machine) {
		h->beyond->name(h, peer, text, bytes);
		return;
	}
	line = &h->page->line[peer];
	doing = atomic_load(&line->doing);
	number = atomic_load(&line->step) >> 32;
	kind = doing >> 8;
	phase = doing & 255;
	if (kind == PC_HOSTS_NONE || kind >= PC_HOSTS_KINDS || phase >= PC_HOSTS_PHASES)
		snprintf(text, bytes, "host %u (pid %d), between calls, after call %llu",
			 h->names[peer],
			 (int)h->pids[peer], (unsigned long long)number);
	else
		snprintf(text, bytes, "host %u (pid %d), in %s, %s, call %llu",
			 h->names[peer],
			 (int)h->pids[peer], pc_hosts_kind_name(kind), phases[phase],
			 (unsigned long long)number);
}

uint32_t pc_hosts_dead(const struct pimdimm_hosts *h)
{
	struct pollfd lives[PC_HOSTS_MOST];

	for (uint32_t i = 0; i < h->hosts; i++)
		lives[i] = (struct pollfd){ i == h->host ? -1 : h->lives[i], POLLIN, 0 };
	if (poll(lives, h->hosts, 0) <= 0)
		return PC_HOSTS_MOST;
	for (uint32_t i = 0; i < h->hosts; i++) {
		if (lives[i].revents && !pc_hosts_left(h, i))
			return i;
	}
	return PC_HOSTS_MOST;
}

void pc_hosts_words(char *to, const char *from, size_t bytes)
{
	size_t i = 0;

	for (; i + 1 < bytes; i++) {
		unsigned char c = (unsigned char)((const volatile char *)from)[i];

		if (!c)
			break;
		to[i] = c < ' ' || c == 127 ? '?' : (char)c;
	}
	to[i] = 0;
}

static bool code_is_known(int err)
{
	return err == ECONNRESET || err == ETIMEDOUT || err == ECANCELED || err == EPROTO ||
	       err == EIO;
}

/* Whether somebody claims to break something, and has not had long enough to say what. */
static bool is_breaking(const struct pimdimm_hosts *h, uint32_t state)
{
	/* of a check, too, which changes nothing else */
	_Atomic uint64_t *breaking = (_Atomic uint64_t *)(uintptr_t)&h->breaking;
	uint64_t now, since = 0;

	if (state != PC_HOSTS_BREAKING)
		return false;
	now = pd_now_ns();
	if (atomic_compare_exchange_strong(breaking, &since, now))
		return true;
	return now < since + BREAKING_NS;
}

int pc_hosts_broken_yet(const struct pimdimm_hosts *h, char words[2 * PC_HOSTS_WORDS])
{
	uint32_t state = atomic_load(&h->page->broken);
	int err;

	if (state == PC_HOSTS_WHOLE || is_breaking(h, state))
		return 0;
	err = ((volatile struct pc_hosts_page *)h->page)->code;
	if (state != PC_HOSTS_BROKEN || !code_is_known(err)) {
		snprintf(words, 2 * PC_HOSTS_WORDS,
			 "the hosts' control page is corrupt: something broke, but not what");
		return EIO;
	}
	pc_hosts_words(words, h->page->words, 2 * PC_HOSTS_WORDS);
	return err;
}

int pc_hosts_broken(const struct pimdimm_hosts *h, char words[2 * PC_HOSTS_WORDS])
{
	int err = pc_hosts_broken_yet(h, words);

	while (!err && atomic_load(&h->page->broken) != PC_HOSTS_WHOLE) {
		usleep(100);
		err = pc_hosts_broken_yet(h, words);
	}
	return err;
}

void pc_hosts_break_page(const struct pimdimm_hosts *h, int err, const char *words)
{
	struct pc_hosts_page *page = h->page;
	uint32_t whole = PC_HOSTS_WHOLE;

	if (!atomic_compare_exchange_strong(&page->broken, &whole, PC_HOSTS_BREAKING))
		return;
	page->code = err;
	snprintf(page->words, sizeof(page->words), "%s", words);
	atomic_store(&page->broken, PC_HOSTS_BROKEN);
	for (uint32_t i = 0; i < h->hosts; i++)
		ring_bell(&page->line[i]);
}

int pc_hosts_repeat(struct pimdimm_hosts *h)
{
	if (!h->broken)
		h->broken = pc_hosts_broken(h, h->words);
	return h->broken ? pd_error(h->broken, "%s", h->words) : 0;
}

int pc_hosts_break(struct pimdimm_hosts *h, int err, const char *format, ...)
{
	char words[sizeof(h->words)];
	va_list ap;

	va_start(ap, format);
	vsnprintf(words, sizeof(words), format, ap);
	va_end(ap);
	pc_hosts_break_page(h, err, words);
	return pc_hosts_repeat(h);
}

static int wait_too_long(struct pimdimm_hosts *h, uint32_t peer)
{
	char name[PC_HOSTS_WORDS];

	pc_hosts_name(h, peer, name, sizeof(name));
	return pc_hosts_break(h, ETIMEDOUT,
			      "host %u waited %u ms in %s, call %llu, for another that did not come: %s",
			      h->names[h->host], h->timeout_ms, pc_hosts_kind_name(h->kind),
			      (unsigned long long)h->number, name);
}

int pc_hosts_trouble(struct pimdimm_hosts *h, uint32_t peer)
{
	char name[PC_HOSTS_WORDS];
	uint32_t dead;
	int ret;

	if (h->look)
		h->look(h->look_at);
	ret = pc_hosts_repeat(h);
	if (ret)
		return ret;
	if (!page_head_is_right(h))
		return pc_hosts_break(h, EIO, "the hosts' control page is corrupt: its head has changed");
	if (peer < h->hosts && pc_hosts_left(h, peer))
		return pd_error(EBUSY, "%s: host %u (pid %d) has left",
				pc_hosts_kind_name(h->kind), h->names[peer],
				(int)h->pids[peer]);
	dead = pc_hosts_dead(h);
	if (dead < h->hosts) {
		pc_hosts_name(h, dead, name, sizeof(name));
		return pc_hosts_break(h, ECONNRESET, "a host has died: %s", name);
	}
	if (peer < h->hosts && pd_now_ns() >= h->deadline)
		return wait_too_long(h, peer);
	return 0;
}
