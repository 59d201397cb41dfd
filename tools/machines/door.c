// SPDX-License-Identifier: MIT
/* A command, its environment and its descriptors go over a UNIX socket, its status back. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/machines/door.h"
#include "tools/tool.h"

#define UNREACHABLE	255
#define MOST_BYTES	(8u << 20)
/* standard input, output and error, and the folder */
#define FILES		4

/* what is asked for: then come the command and the environment, each text with its zero */
struct knock {
	uint32_t bytes, variables;
};

extern char **environ;

static int fill_address(struct sockaddr_un *address, const char *path)
{
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (strlen(path) >= sizeof(address->sun_path))
		return -ENAMETOOLONG;
	snprintf(address->sun_path, sizeof(address->sun_path), "%s", path);
	return 0;
}

int door_open(const char *path)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un address;
	int ret = fill_address(&address, path);

	if (fd < 0)
		return -errno;
	if (!ret && (bind(fd, (const struct sockaddr *)&address, sizeof(address)) ||
		     listen(fd, SOMAXCONN)))
		ret = -errno;
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

static bool read_all(int fd, void *to, size_t bytes)
{
	for (uint8_t *at = to; bytes;) {
		ssize_t got = read(fd, at, bytes);

		if (got <= 0 && (!got || errno != EINTR))
			return false;
		at += got > 0 ? got : 0;
		bytes -= got > 0 ? (size_t)got : 0;
	}
	return true;
}

static bool write_all(int fd, const void *from, size_t bytes)
{
	for (const uint8_t *at = from; bytes;) {
		ssize_t done = send(fd, at, bytes, MSG_NOSIGNAL);

		if (done < 0 && errno != EINTR)
			return false;
		at += done > 0 ? done : 0;
		bytes -= done > 0 ? (size_t)done : 0;
	}
	return true;
}

/* The first bytes and the descriptors. */
static bool receive_files(int fd, struct knock *knock, int files[FILES])
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(FILES * sizeof(int))];
	} control;
	struct iovec part = { .iov_base = knock, .iov_len = sizeof(*knock) };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	const struct cmsghdr *head;

	if (recvmsg(fd, &message, MSG_CMSG_CLOEXEC) != sizeof(*knock))
		return false;
	head = CMSG_FIRSTHDR(&message);
	if (!head || head->cmsg_len != CMSG_LEN(FILES * sizeof(int)))
		return false;
	memcpy(files, CMSG_DATA(head), FILES * sizeof(int));
	return knock->bytes && knock->bytes <= MOST_BYTES;
}

static bool send_files(int fd, const struct knock *knock, const int files[FILES])
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(FILES * sizeof(int))];
	} control = { .head = { .cmsg_len = CMSG_LEN(FILES * sizeof(int)),
				.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS } };
	struct iovec part = { .iov_base = (void *)(uintptr_t)knock,
			      .iov_len = sizeof(*knock) };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
				  .msg_controllen = sizeof(control) };

	memcpy(CMSG_DATA(&control.head), files, FILES * sizeof(int));
	return sendmsg(fd, &message, MSG_NOSIGNAL) == sizeof(*knock);
}

/* The command, in a session that can be ended as a whole; it does not return. */
static void become(const struct knock *knock, const char *text, const int files[FILES],
		   char *const variables[])
{
	const char *command = text;

	clearenv();
	for (uint32_t i = 0; i < knock->variables; i++) {
		text += strlen(text) + 1;
		if (putenv(strdup(text)))
			_exit(UNREACHABLE);
	}
	for (size_t i = 0; variables[i]; i++)
		putenv(variables[i]);
	signal(SIGCHLD, SIG_DFL);
	setsid();
	for (int i = 0; i < 3; i++)
		dup2(files[i], i);
	if (fchdir(files[3]) && chdir("/"))
		_exit(UNREACHABLE);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(UNREACHABLE);
}

static int status_of(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Until it ends, or who asked for it does: then it is hung up, as at a remote shell's end. */
static int see_off(int fd, pid_t child)
{
	int life = (int)syscall(SYS_pidfd_open, child, 0);
	struct pollfd ends[] = { { .fd = life, .events = POLLIN },
				 { .fd = fd, .events = POLLIN } };
	int status;

	while (life >= 0 && poll(ends, 2, -1) < 0 && errno == EINTR)
		;
	if (life >= 0 && ends[1].revents && !ends[0].revents)
		kill(-child, SIGHUP);
	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR)
			return UNREACHABLE;
	}
	return status_of(status);
}

static void answer(int fd, char *const variables[])
{
	struct knock knock;
	int files[FILES], status;
	char *text;
	pid_t child;

	if (!receive_files(fd, &knock, files))
		return;
	text = calloc(1, knock.bytes + 1);
	/* as many texts as it says, or there would be reading behind their end */
	if (!text || !read_all(fd, text, knock.bytes))
		return;
	for (size_t i = 0, zeros = 0; i < knock.bytes || zeros < knock.variables + 1; i++) {
		if (i == knock.bytes)
			return;
		zeros += !text[i];
	}
	child = fork();
	if (!child)
		become(&knock, text, files, variables);
	for (int i = 0; i < FILES; i++)
		close(files[i]);
	status = child < 0 ? UNREACHABLE : see_off(fd, child);
	write_all(fd, &status, sizeof(status));
}

void door_serve(int listener, char *const variables[])
{
	/* what is started here and elsewhere is nobody else's to wait for */
	signal(SIGCHLD, SIG_IGN);
	for (;;) {
		int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

		if (fd >= 0 && !fork()) {
			signal(SIGCHLD, SIG_DFL);
			close(listener);
			answer(fd, variables);
			_exit(0);
		}
		if (fd >= 0)
			close(fd);
	}
}

static char *join_texts(char *const words[], struct knock *knock)
{
	size_t bytes = 1, at = 0;
	char *text;

	for (size_t i = 0; words[i]; i++)
		bytes += strlen(words[i]) + 1;
	for (size_t i = 0; environ[i]; i++)
		bytes += strlen(environ[i]) + 1;
	text = calloc(1, bytes);
	if (!text || bytes > MOST_BYTES) {
		free(text);
		return NULL;
	}
	for (size_t i = 0; words[i]; i++)
		at += (size_t)sprintf(text + at, "%s%s", i ? " " : "", words[i]);
	at++;
	knock->variables = 0;
	for (size_t i = 0; environ[i]; i++, knock->variables++)
		at += (size_t)sprintf(text + at, "%s", environ[i]) + 1;
	knock->bytes = (uint32_t)at;
	return text;
}

static int connect_to(const char *path)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un address;

	if (fd >= 0 && !fill_address(&address, path) &&
	    !connect(fd, (const struct sockaddr *)&address, sizeof(address)))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

int door_knock(const char *path, char *const words[])
{
	int fd = connect_to(path), status = UNREACHABLE;
	int files[FILES] = { 0, 1, 2, open(".", O_PATH | O_DIRECTORY | O_CLOEXEC) };
	struct knock knock;
	char *text;

	if (fd < 0) {
		tool_error("%s: no such machine: %s", path, strerror(errno));
		return UNREACHABLE;
	}
	text = join_texts(words, &knock);
	if (!text || files[3] < 0 || !send_files(fd, &knock, files) ||
	    !write_all(fd, text, knock.bytes) || !read_all(fd, &status, sizeof(status))) {
		tool_error("%s: the machine has not run the command to its end", path);
		status = UNREACHABLE;
	}
	free(text);
	close(fd);
	return status;
}
