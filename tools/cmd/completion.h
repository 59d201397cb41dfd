/* SPDX-License-Identifier: MIT */
/* Scripts by which shells complete the tool's arguments, written from its tables. */
#ifndef PIMDIMM_COMPLETION_H
#define PIMDIMM_COMPLETION_H

void completion_bash(void);
void completion_zsh(void);
void completion_fish(void);

#endif /* PIMDIMM_COMPLETION_H */
