// SPDX-License-Identifier: MIT
/* The worker's executable as a file that can be executed. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/base/error.h"
#include "runtime/base/signals.h"
#include "runtime/base/threads.h"
#include "runtime/pe/process/image.h"

/* kernels that are told to refuse executable memfds know it, older ones do not */
#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

#if defined(__x86_64__) || defined(__aarch64__)
__asm__(".pushsection .rodata\n"
	".balign 16\n"
	"pd_worker_image:\n"
	".incbin \"" PD_WORKER_FILE "\"\n"
	"pd_worker_image_end:\n"
	".popsection\n");
#else
__asm__(".pushsection .rodata\n"
	"pd_worker_image:\n"
	"pd_worker_image_end:\n"
	".popsection\n");
#endif

extern const uint8_t pd_worker_image[] __attribute__((visibility("hidden")));
extern const uint8_t pd_worker_image_end[]
	__attribute__((visibility("hidden")));

static struct pd_section frames;

static void find_frames(void)
{
	struct pd_elf elf;

	if (pd_elf_open(&elf, pd_worker_image,
			(size_t)(pd_worker_image_end - pd_worker_image)) ||
	    !pd_elf_find(&elf, ".debug_frame", &frames))
		frames = (struct pd_section){ NULL, 0 };
}

const struct pd_section *pd_image_frames(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, find_frames);
	return &frames;
}

static int create_image(void)
{
	size_t bytes = (size_t)(pd_worker_image_end - pd_worker_image);
	const unsigned int flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
	int fd = memfd_create("pimdimm-pe", flags | MFD_EXEC), ret;

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("pimdimm-pe", flags);
	if (fd < 0)
		return pd_error(EAGAIN, "memfd_create for worker processes: %s",
				strerror(errno));
	/* nobody who comes by the descriptor changes what later workers are */
	if (pd_set_file_size(fd, (off_t)bytes) ||
	    write(fd, pd_worker_image, bytes) != (ssize_t)bytes ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE |
				   F_SEAL_SEAL)) {
		ret = pd_error(ENOMEM, "no memory for the worker's executable, of %zu bytes: %s",
			       bytes, strerror(errno));
		close(fd);
		return ret;
	}
	return fd;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

PD_FORK_SAFE(&lock);

int pd_image_fd(void)
{
	static int fd = -1;
	int ret;

	pthread_mutex_lock(&lock);
	ret = fd < 0 ? create_image() : fd;
	if (ret >= 0)
		fd = ret;
	pthread_mutex_unlock(&lock);
	return ret;
}
