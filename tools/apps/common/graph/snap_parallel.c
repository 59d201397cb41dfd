// SPDX-License-Identifier: MIT
/*
 * Each thread reads a part of an edge list, from the first line that begins in it. Text is
 * read and not mapped: a file that is shortened meanwhile must not end the program.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/apps/common/graph/snap_parallel.h"
#include "tools/apps/common/parallel.h"
#include "tools/apps/common/progress.h"

#define BLOCK_BYTES (1u << 20)
/* what a line by line reader takes, too */
#define LINE_BYTES 65535
/* smaller files are not worth threads */
#define SMALL_BYTES (1u << 16)

struct snap_part {
	struct pairs pairs;
	struct ids *ids;
	uint64_t promised;
};

struct snap_reading {
	int fd;
	uint64_t size;
	struct snap_part *parts;
	bool unusual;		/* any thread has met what it does not know */
};

static void give_up(struct snap_reading *reading)
{
	__atomic_store_n(&reading->unusual, true, __ATOMIC_RELAXED);
}

static const char *skip_blanks(const char *at)
{
	while (*at == ' ' || *at == '\t')
		at++;
	return at;
}

/* A vertex's number; NULL where there is none. */
static const char *parse_id(const char *at, uint32_t *id)
{
	const char *begin = at;
	uint64_t n = 0;

	while (*at >= '0' && *at <= '9' && at - begin < 11)
		n = n * 10 + (uint64_t)(*at++ - '0');
	*id = (uint32_t)n;
	return at > begin && n <= SNAP_MAX_ID ? at : NULL;
}

/* "# Nodes: 7115 Edges: 103689" */
static void parse_comment(struct snap_part *part, const char *at, const char *end)
{
	static const char word[] = "Edges:";
	const char *found = memmem(at, (size_t)(end - at), word, sizeof(word) - 1);
	char *stop;
	uint64_t n;

	if (!found)
		return;
	found = skip_blanks(found + sizeof(word) - 1);
	if (*found < '0' || *found > '9')
		return;
	n = strtoull(found, &stop, 10);
	if (stop == end || *stop == ' ' || *stop == '\t' || *stop == '\r')
		part->promised = n;
}

/* A line, up to its newline; false where it is an unusual one. */
static bool parse_line(struct snap_part *part, const char *at, const char *end)
{
	uint32_t a, b;

	at = skip_blanks(at);
	if (*at == '#') {
		parse_comment(part, at, end);
		return !memchr(at, 0, (size_t)(end - at));
	}
	if (at == end)
		return true;
	at = parse_id(at, &a);
	if (!at || (*at != ' ' && *at != '\t'))
		return false;
	at = parse_id(skip_blanks(at), &b);
	if (!at)
		return false;
	at = skip_blanks(at);
	at += *at == '\r';
	return at == end && !ids_add(part->ids, a) && !ids_add(part->ids, b) &&
	       !pairs_add(&part->pairs, a, b);
}

/* Whole lines of a block; returns where the last, unfinished one begins. */
static char *parse_block(struct snap_part *part, char *at, char *end)
{
	char *newline;

	while ((newline = memchr(at, '\n', (size_t)(end - at)))) {
		if (!parse_line(part, at, newline))
			return NULL;
		at = newline + 1;
	}
	return at;
}

/* A block as a file's part is read: what is left of the line before stands first. */
struct snap_block {
	char *text;		/* with room for a newline and a NUL at its end */
	size_t kept;
	uint64_t at;		/* in the file, of what comes next */
};

/* More of the file, at most up to `end`; the number of bytes in the block, 0: failed. */
static size_t fill_block(struct snap_reading *reading, struct snap_block *block,
			 uint64_t end)
{
	uint64_t left = end - block->at;
	size_t wanted = left < BLOCK_BYTES ? (size_t)left : BLOCK_BYTES, got = 0;

	while (got < wanted) {
		ssize_t n = pread(reading->fd, block->text + block->kept + got,
				  wanted - got, (off_t)(block->at + got));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return 0;
		got += (size_t)n;
	}
	block->at += got;
	return block->kept + got;
}

/* Where the first line begins that does so at or behind an offset; `size`: none does. */
static uint64_t line_from(struct snap_reading *reading, uint64_t offset)
{
	char text[LINE_BYTES + 1], *newline;
	ssize_t n;

	if (!offset || offset >= reading->size)
		return offset;
	n = pread(reading->fd, text, sizeof(text), (off_t)(offset - 1));
	newline = n > 0 ? memchr(text, '\n', (size_t)n) : NULL;
	if (newline)
		return offset + (uint64_t)(newline - text);
	/* the last line, or one that is too long */
	if (n <= 0 || offset - 1 + (uint64_t)n < reading->size)
		give_up(reading);
	return reading->size;
}

static bool read_blocks(struct snap_reading *reading, struct snap_part *part,
			struct snap_block *block, uint64_t begin, uint64_t end,
			bool shown)
{
	while (block->at < end) {
		size_t bytes = fill_block(reading, block, end);
		char *rest;

		if (!bytes || __atomic_load_n(&reading->unusual, __ATOMIC_RELAXED))
			return false;
		/* the file's last line may lack its newline */
		if (block->at == reading->size && block->text[bytes - 1] != '\n')
			block->text[bytes++] = '\n';
		block->text[bytes] = '\0';
		rest = parse_block(part, block->text, block->text + bytes);
		if (!rest || block->text + bytes - rest > LINE_BYTES)
			return false;
		block->kept = (size_t)(block->text + bytes - rest);
		memmove(block->text, rest, block->kept);
		if (shown)
			app_progress("reading edges", block->at - begin, end - begin);
	}
	return true;
}

static void read_part(unsigned int number, unsigned int parts, void *arg)
{
	struct snap_reading *reading = arg;
	struct snap_part *part = &reading->parts[number];
	struct snap_block block = { 0 };
	uint64_t begin, end;

	begin = line_from(reading, app_part_first(reading->size, number, parts));
	end = line_from(reading, app_part_first(reading->size, number + 1, parts));
	block.at = begin;
	block.text = malloc(LINE_BYTES + BLOCK_BYTES + 2);
	part->ids = ids_create();
	if (!block.text || !part->ids ||
	    !read_blocks(reading, part, &block, begin, end, !number))
		give_up(reading);
	free(block.text);
}

/* All parts' pairs, in the file's order, in one piece of memory. */
static bool join_parts(struct snap_part *parts, unsigned int count,
		       struct pairs *pairs, struct ids *ids, uint64_t *promised)
{
	uint64_t all = 0;

	for (unsigned int i = 0; i < count; i++)
		all += parts[i].pairs.count;
	pairs->words = malloc(all ? all * sizeof(*pairs->words) : 1);
	if (!pairs->words)
		return false;
	pairs->room = all;
	for (unsigned int i = 0; i < count; i++) {
		if (ids_merge(ids, parts[i].ids))
			return false;
		ids_free(parts[i].ids);
		parts[i].ids = NULL;
		if (parts[i].pairs.count)
			memcpy(pairs->words + pairs->count, parts[i].pairs.words,
			       parts[i].pairs.count * sizeof(*pairs->words));
		pairs->count += parts[i].pairs.count;
		pairs_free(&parts[i].pairs);
		if (parts[i].promised)
			*promised = parts[i].promised;
	}
	return true;
}

static bool read_parts(struct snap_reading *reading, unsigned int threads,
		       struct pairs *pairs, struct ids *ids, uint64_t *promised)
{
	bool done;

	for (unsigned int i = 0; i < threads; i++)
		reading->parts[i].pairs.directed = pairs->directed;
	app_parallel(threads, read_part, reading);
	app_progress_end();
	done = !reading->unusual &&
	       join_parts(reading->parts, threads, pairs, ids, promised);
	for (unsigned int i = 0; i < threads; i++) {
		pairs_free(&reading->parts[i].pairs);
		ids_free(reading->parts[i].ids);
	}
	return done;
}

bool snap_read_parallel(const char *path, unsigned int threads, struct pairs *pairs,
			struct ids *ids, uint64_t *promised)
{
	struct snap_reading reading = { .fd = open(path, O_RDONLY | O_CLOEXEC) };
	struct stat st;
	bool done = false;

	if (reading.fd < 0)
		return false;
	reading.parts = calloc(threads, sizeof(*reading.parts));
	if (reading.parts && !fstat(reading.fd, &st) && S_ISREG(st.st_mode) &&
	    st.st_size >= SMALL_BYTES) {
		reading.size = (uint64_t)st.st_size;
		done = read_parts(&reading, threads, pairs, ids, promised);
	}
	if (!done) {
		pairs_free(pairs);
		*promised = 0;
	}
	free(reading.parts);
	close(reading.fd);
	return done;
}
