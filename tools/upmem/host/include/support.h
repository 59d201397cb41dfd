/* SPDX-License-Identifier: MIT */
/* What programs for PID-Comm take from its headers besides the collectives. */
#ifndef DPU_SUPPORT_H
#define DPU_SUPPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/time.h>

/* the type of elements, by the macro that says it */
#ifndef T
#if defined(UINT32)
#define T uint32_t
#define byte_dt 4
#define DIV 2
#elif defined(INT32)
#define T int32_t
#define byte_dt 4
#define DIV 2
#elif defined(INT16)
#define T int16_t
#define byte_dt 2
#define DIV 1
#elif defined(INT8)
#define T int8_t
#define byte_dt 1
#define DIV 0
#elif defined(INT64)
#define T int64_t
#define byte_dt 8
#define DIV 3
#endif
#endif

typedef struct {
	uint32_t start_offset;
	uint32_t target_offset;
	uint32_t total_data_size;
	uint32_t num_comm_dpu;
	uint32_t each_dpu;
	bool no_rotate;
	uint32_t num_row;
	uint32_t comm_type;
	uint32_t a_length;
	uint32_t num_comm_rg;
} dpu_arguments_comm_t;

#define DPU_TIMER_SLOTS 12

typedef struct Timer {
	struct timeval startTime[DPU_TIMER_SLOTS];
	struct timeval stopTime[DPU_TIMER_SLOTS];
	double time[DPU_TIMER_SLOTS];	/* microseconds */
} Timer;

static inline void resetTimer(Timer *timer)
{
	for (int i = 0; i < DPU_TIMER_SLOTS; i++)
		timer->time[i] = 0.0;
}

static inline void startTimer(Timer *timer, int i)
{
	timer->time[i] = 0.0;
	gettimeofday(&timer->startTime[i], NULL);
}

static inline void stopTimer(Timer *timer, int i)
{
	gettimeofday(&timer->stopTime[i], NULL);
	timer->time[i] += (double)(timer->stopTime[i].tv_sec -
				   timer->startTime[i].tv_sec) * 1e6 +
			  (double)(timer->stopTime[i].tv_usec -
				   timer->startTime[i].tv_usec);
}

static inline void printTimer(Timer *timer, int i)
{
	printf("Time (ms): \t%f\n", timer->time[i] / 1000);
}

#endif /* DPU_SUPPORT_H */
