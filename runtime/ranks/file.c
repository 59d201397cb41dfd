// SPDX-License-Identifier: MIT
/* Making, finding and locking a file of MRAM; what its header says. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pimdimm/pimdimm_layout.h>

#include "runtime/base/error.h"
#include "runtime/base/hash.h"
#include "runtime/base/signals.h"
#include "runtime/base/util.h"
#include "runtime/ranks/file.h"

#define MAGIC	"PIMDIMM\nMRAM 1\n"

/* little-endian, at the file's begin; a hole follows up to the first window */
struct header {
	char magic[16];
	uint32_t channels, ranks, layout, reserved;
	uint64_t mram_size;
	uint64_t hash;		/* of what is before it */
};

static int file_fail(const struct pd_file *file, const char *what)
{
	int err = errno;

	return pd_error(err, "mem: file=%s: %s: %s", file->path, what,
			strerror(err));
}

static uint64_t hash_of(const struct header *h)
{
	return pd_hash(h, offsetof(struct header, hash), 0);
}

static struct header header_of(const struct pd_uri *uri)
{
	struct header h = {
		.magic = MAGIC,
		.channels = uri->channels,
		.ranks = uri->ranks,
		.layout = uri->layout,
		.mram_size = uri->mram_size,
	};

	h.hash = hash_of(&h);
	return h;
}

static bool sound(const struct header *h)
{
	return h->hash == hash_of(h) && !h->reserved && h->channels && h->ranks &&
	       (uint64_t)h->channels * h->ranks <= PD_MAX_RANKS &&
	       h->layout < PIMDIMM_NR_LAYOUTS &&
	       h->mram_size >= PIMDIMM_MRAM_MIN &&
	       h->mram_size <= PIMDIMM_MRAM_MAX &&
	       !(h->mram_size % PIMDIMM_MRAM_ALIGN);
}

static uint64_t rank_bytes_of(const struct header *h)
{
	return pd_round_up(pimdimm_layout_span(h->layout, h->mram_size),
			   PD_FILE_ALIGN);
}

static uint64_t bytes_of(const struct header *h)
{
	return PD_FILE_ALIGN +
	       (uint64_t)h->channels * h->ranks * rank_bytes_of(h);
}

/* Another value than the file's; the URI's is left alone where it is right. */
static int differs(const struct pd_file *file, const char *key,
		   unsigned long long asked, unsigned long long has)
{
	return pd_error(EINVAL, "mem: file=%s has %s=%llu, but the URI says %llu",
			file->path, key, has, asked);
}

/* The geometry is the file's, unless the URI says that it is another. */
static int take_geometry(const struct pd_file *file, const struct header *h,
			 struct pd_uri *uri)
{
	if (uri->given & PD_URI_CHANNELS && uri->channels != h->channels)
		return differs(file, "channels", uri->channels, h->channels);
	if (uri->given & PD_URI_RANKS && uri->ranks != h->ranks)
		return differs(file, "ranks", uri->ranks, h->ranks);
	if (uri->given & PD_URI_MRAM && uri->mram_size != h->mram_size)
		return differs(file, "mram", uri->mram_size, h->mram_size);
	if (uri->given & PD_URI_LAYOUT && uri->layout != h->layout)
		return pd_error(EINVAL,
				"mem: file=%s has layout=%s, but the URI says %s",
				file->path, pimdimm_layout_name(h->layout),
				pimdimm_layout_name(uri->layout));
	uri->channels = h->channels;
	uri->ranks = h->ranks;
	uri->mram_size = h->mram_size;
	uri->layout = h->layout;
	return 0;
}

static int check_header(const struct pd_file *file, uint64_t bytes,
			struct header *h, struct pd_uri *uri)
{
	ssize_t got = pread(file->fd, h, sizeof(*h), 0);

	if (got < 0)
		return file_fail(file, "read");
	if ((size_t)got < sizeof(*h) || memcmp(h->magic, MAGIC, sizeof(h->magic)))
		return pd_error(EBADMSG,
				"mem: file=%s is no file of MRAM: its header is not at offset 0",
				file->path);
	if (!sound(h))
		return pd_error(EBADMSG,
				"mem: file=%s: the header at offset 0 is damaged",
				file->path);
	if (bytes != bytes_of(h))
		return pd_error(EBADMSG,
				"mem: file=%s has %llu bytes, expected %llu by its header",
				file->path, (unsigned long long)bytes,
				(unsigned long long)bytes_of(h));
	return take_geometry(file, h, uri);
}

/* The header comes last: whatever is cut short before it is no file of MRAM. */
static int make_header(struct pd_file *file, struct header *h,
		       const struct pd_uri *uri)
{
	ssize_t put;

	file->made = true;
	*h = header_of(uri);
	if (pd_set_file_size(file->fd, (off_t)bytes_of(h)))
		return file_fail(file, "its size cannot be set");
	put = pwrite(file->fd, h, sizeof(*h), 0);
	if (put >= 0 && (size_t)put < sizeof(*h)) {
		put = -1;
		errno = ENOSPC;
	}
	return put < 0 ? file_fail(file, "write") : 0;
}

/* A regular file that nobody else has open as MRAM. */
static int lock_file(const struct pd_file *file, struct stat *st)
{
	if (fstat(file->fd, st))
		return file_fail(file, "stat");
	if (!S_ISREG(st->st_mode))
		return pd_error(EINVAL, "mem: file=%s is no regular file",
				file->path);
	if (!flock(file->fd, LOCK_EX | LOCK_NB))
		/* whoever had it may have made it larger meanwhile */
		return fstat(file->fd, st) ? file_fail(file, "stat") : 0;
	if (errno == EWOULDBLOCK)
		return pd_error(EBUSY, "mem: file=%s: another system has it open",
				file->path);
	return file_fail(file, "lock");
}

static int prepare(struct pd_file *file, struct pd_uri *uri)
{
	struct header h;
	struct stat st;
	int ret = lock_file(file, &st);

	if (ret)
		return ret;
	ret = st.st_size ? check_header(file, (uint64_t)st.st_size, &h, uri) :
			   make_header(file, &h, uri);
	if (!ret)
		file->rank_bytes = rank_bytes_of(&h);
	return ret;
}

static int open_path(struct pd_file *file)
{
	/* a FIFO without a reader or a terminal is not to be waited for or taken */
	file->fd = open(file->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
			0666);
	return file->fd < 0 ? file_fail(file, "open") : 0;
}

int pd_file_open(struct pd_uri *uri, struct pd_file **out)
{
	struct pd_file *file = calloc(1, sizeof(*file));
	int ret;

	if (!file)
		return pd_error(ENOMEM, "mem: no memory for file=%s", uri->file);
	pthread_mutex_init(&file->lock, NULL);
	file->fd = -1;
	file->path = strdup(uri->file);
	ret = file->path ? open_path(file) :
			   pd_error(ENOMEM, "mem: no memory for file=%s", uri->file);
	if (!ret)
		ret = prepare(file, uri);
	if (ret)
		pd_file_close(file, true);
	else
		*out = file;
	return ret;
}

/* The name may have become another file's. */
static void remove_made(const struct pd_file *file)
{
	struct stat ours, named;

	if (!fstat(file->fd, &ours) && !stat(file->path, &named) &&
	    ours.st_dev == named.st_dev && ours.st_ino == named.st_ino)
		unlink(file->path);
}

void pd_file_close(struct pd_file *file, bool failed)
{
	if (!file)
		return;
	if (failed && file->made)
		remove_made(file);
	if (file->fd >= 0)
		close(file->fd);
	pthread_mutex_destroy(&file->lock);
	free(file->claimed);
	free(file->path);
	free(file);
}
