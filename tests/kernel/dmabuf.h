/* SPDX-License-Identifier: MIT */
/* dma-bufs of a rank, as the kernel selftests make and look at them. */
#ifndef DMABUF_H
#define DMABUF_H

#include <stdint.h>

#include "tests/kernel/rank.h"

/* As rank_open_map(); skips the test where the module does not export. */
void rank_open_exporting(struct rank *rank);
/* EXPORT: a descriptor, or -1 and errno. */
int export_range(int fd, uint64_t offset, uint64_t bytes);
/* The same of a mapped rank's first pages; ends the test where it fails. */
int export_pages(const struct rank *rank, unsigned int pages);
/* All of a descriptor, shared and writable. */
uint8_t *map_dmabuf(int fd, uint64_t bytes);
/* RESET, or -1 and errno. */
int try_reset(const struct rank *rank);

/* A descriptor over a UNIX socket; receiving is -1 where none comes. */
void send_descriptor(int socket, int fd);
int receive_descriptor(int socket);

#endif /* DMABUF_H */
