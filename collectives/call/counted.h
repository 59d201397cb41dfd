/* SPDX-License-Identifier: MIT */
/*
 * A call on the tier `count`, whose counters are compared with what its loops
 * touched.
 */
#ifndef PC_COUNTED_H
#define PC_COUNTED_H

struct pc_call;
struct pc_algorithm;

/* 0, or -EOPNOTSUPP and a sentence for a call whose bytes cannot be told apart */
int pc_counted_check(const struct pc_call *call);
/* what algorithm->run(call) returns; -EIO and a sentence if they differ */
int pc_run_counted(struct pc_call *call, const struct pc_algorithm *algorithm);

#endif /* PC_COUNTED_H */
