/* SPDX-License-Identifier: MIT */
/* Scripts by which shells complete the tool's arguments, written from its tables. */
#ifndef PIMDIMM_COMPLETION_H
#define PIMDIMM_COMPLETION_H

struct completion_shell {
	const char *name;
	void (*print)(void);
};

/* The shells, in the order of the messages that list them. */
#define COMPLETION_SHELLS(X) X(bash) X(zsh) X(fish)

#define COMPLETION_DECLARE(name) \
	extern const struct completion_shell completion_##name;
COMPLETION_SHELLS(COMPLETION_DECLARE)

/*
 * An application as a command of the name "app NAME", until the next call; NULL after the
 * last.
 */
const struct command *completion_app(size_t at);

#endif /* PIMDIMM_COMPLETION_H */
