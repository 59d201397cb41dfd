// SPDX-License-Identifier: MIT
/* The cost model's parameters: built in, or those of the file that PIMDIMM_COST names. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/env.h"
#include "runtime/base/error.h"
#include <pimdimm/program.h>
#include "runtime/pe/shared/cost.h"

#define PRIM	"Gomez-Luna et al., arXiv 2105.03814, "

/*
 * The built-in values, which are those of the 2,556-PE system of that paper. Of 14
 * stages of the pipeline a tasklet occupies 11.
 */
static const struct parameter {
	struct pd_cost_parameter shown;
	size_t offset;
} parameters[] = {
	{ { "clock_hz", 350000000, "Hz", PRIM "section 2" },
	  offsetof(struct pe_cost, clock_hz) },
	{ { "dma_read_cycles", 77, "cycles each mram_read", PRIM "section 3, measured" },
	  offsetof(struct pe_cost, read_cycles) },
	{ { "dma_read_byte_millicycles", 500, "1/1000 cycle each byte",
	    PRIM "section 3, measured" },
	  offsetof(struct pe_cost, read_byte_millicycles) },
	{ { "dma_write_cycles", 61, "cycles each mram_write",
	    PRIM "section 3, measured" },
	  offsetof(struct pe_cost, write_cycles) },
	{ { "dma_write_byte_millicycles", 500, "1/1000 cycle each byte",
	    PRIM "section 3, measured" },
	  offsetof(struct pe_cost, write_byte_millicycles) },
	{ { "dma_engine_cycles", 38, "cycles of the engine each transfer",
	    PRIM "section 3, calibrated to rates of 8 and 2,048 bytes" },
	  offsetof(struct pe_cost, engine_cycles) },
	{ { "dma_engine_byte_millicycles", 520, "1/1000 cycle of the engine each byte",
	    PRIM "section 3, calibrated to rates of 8 and 2,048 bytes" },
	  offsetof(struct pe_cost, engine_byte_millicycles) },
	{ { "issue_cycles", 11, "cycles from one instruction of a tasklet to its next",
	    PRIM "section 2" },
	  offsetof(struct pe_cost, issue_cycles) },
};

#define NR_PARAMETERS (sizeof(parameters) / sizeof(*parameters))

static struct pe_cost cost;
static int failed;
static char why[256];

static void set_parameter(size_t i, uint32_t value)
{
	memcpy((char *)&cost + parameters[i].offset, &value, sizeof(value));
}

static int complain(const char *path, unsigned int line, const char *what)
{
	snprintf(why, sizeof(why), "PIMDIMM_COST: %s:%u: %s", path, line, what);
	return EINVAL;
}

static char *trim(char *text)
{
	char *end;

	while (isspace((unsigned char)*text))
		text++;
	end = text + strlen(text);
	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	*end = '\0';
	return text;
}

/* "name = value", "# comment" or nothing */
static int parse_line(const char *path, unsigned int number, char *line)
{
	char *name, *value;
	uint64_t n;

	line[strcspn(line, "#\n")] = '\0';
	name = trim(line);
	if (!*name)
		return 0;
	value = strchr(name, '=');
	if (!value)
		return complain(path, number, "expected name = value");
	*value++ = '\0';
	name = trim(name);
	value = trim(value);
	if (!pd_parse_number(value, strlen(value), false, UINT32_MAX, &n))
		return complain(path, number,
				"the value is no whole number below 2^32");
	for (size_t i = 0; i < NR_PARAMETERS; i++) {
		if (strcmp(name, parameters[i].shown.name))
			continue;
		if (!n && !parameters[i].offset)
			return complain(path, number, "clock_hz is 0");
		set_parameter(i, (uint32_t)n);
		return 0;
	}
	return complain(path, number, "no such parameter");
}

static int cannot(const char *path, int err)
{
	snprintf(why, sizeof(why), "PIMDIMM_COST: %s: %s", path, strerror(err));
	return err;
}

/* NULL and *err */
static FILE *open_file(const char *path, int *err)
{
	/* O_NONBLOCK: no waiting for the other end of a FIFO */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	FILE *f = NULL;

	if (fd >= 0 && !fstat(fd, &st)) {
		if (S_ISREG(st.st_mode))
			f = fdopen(fd, "r");
		else
			errno = S_ISDIR(st.st_mode) ? EISDIR : ESPIPE;
	}
	if (f)
		return f;
	*err = cannot(path, errno);
	if (fd >= 0)
		close(fd);
	return NULL;
}

static int read_cost_file(const char *path)
{
	char line[256];
	int err = 0;
	FILE *f = open_file(path, &err);

	if (!f)
		return err;
	for (unsigned int n = 1; !err && fgets(line, sizeof(line), f); n++) {
		if (!strchr(line, '\n') && !feof(f))
			err = complain(path, n, "the line is too long");
		else
			err = parse_line(path, n, line);
	}
	if (!err && ferror(f))
		err = complain(path, 0, "cannot be read");
	fclose(f);
	return err;
}

static void read_cost(void)
{
	const char *path = secure_getenv("PIMDIMM_COST");

	for (size_t i = 0; i < NR_PARAMETERS; i++)
		set_parameter(i, parameters[i].shown.value);
	if (path && *path)
		failed = read_cost_file(path);
}

const struct pe_cost *pd_cost(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, read_cost);
	return &cost;
}

size_t pd_cost_parameter(size_t i, struct pd_cost_parameter *p)
{
	const struct pe_cost *used = pd_cost();

	if (i < NR_PARAMETERS) {
		*p = parameters[i].shown;
		memcpy(&p->value, (const char *)used + parameters[i].offset,
		       sizeof(p->value));
	}
	return NR_PARAMETERS;
}

uint64_t pimdimm_clock_hz(void)
{
	return pd_cost()->clock_hz;
}

int pd_cost_check(void)
{
	pd_cost();
	return failed ? pd_error(failed, "%s", why) : 0;
}
