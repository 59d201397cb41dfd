// SPDX-License-Identifier: MIT
/*
 * Examples of the manual pages of <pimdimm/transport.h>, as in pimdimm.c: a transport with
 * nobody on the other side.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <pimdimm/transport.h>

static void check(int ret)
{
	if (ret < 0) {
		fprintf(stderr, "%s\n", pimdimm_errmsg());
		exit(EXIT_FAILURE);
	}
}

static int isend(void *ctx, const void *buf, size_t bytes, uint32_t to, uint32_t tag,
		 void **request)
{
	return -ECONNRESET;
}

static int irecv(void *ctx, void *buf, size_t bytes, uint32_t from, uint32_t tag,
		 void **request)
{
	return -ECONNRESET;
}

static int test(void *ctx, void *request)
{
	return 0;
}

static void forget(void *ctx, void *const requests[], size_t count, void *memory)
{
	free(memory);
}

static int mine(void *ctx)
{
	return 1;
}

static void release(void *ctx)
{
	free(ctx);
}

int main(void)
{
	/* example of pimdimm_hosts_from_transport, pimdimm_transport, PIMDIMM_ANY_HOST: A host
	 * alone; isend() and the others are the program's */
	const struct pimdimm_transport transport = {
		.size = sizeof(transport),
		.host = 0,
		.hosts = 1,
		.max_bytes = 1 << 20,
		.ctx = malloc(1),
		.isend = isend,
		.irecv = irecv,
		.test = test,
		.forget = forget,
		.mine = mine,
		.release = release,
	};
	struct pimdimm_hosts *hosts;

	check(pimdimm_hosts_from_transport(&transport, NULL, &hosts));
	check(pimdimm_hosts_barrier(hosts));
	pimdimm_hosts_leave(hosts);
	/* end of example */
	return EXIT_SUCCESS;
}
