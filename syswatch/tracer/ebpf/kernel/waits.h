/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * How long calls wait, and the slowest calls.
 */
#ifndef SYSWATCH_WAITS_H
#define SYSWATCH_WAITS_H

/* Divide the time off the CPU.  A thread that was only preempted was ready all the time.  Otherwise
 * it was ready for as long as the scheduler has measured, from being woken to running. */
static __always_inline void split(struct task_struct *task, struct task *state,
				  struct outcome *outcome)
{
	wide off = state->off_ns, ready;

	outcome->switches = state->switches;
	outcome->waits = state->waits;
	if (!state->switches)
		return;
	ready = state->waits ? delay_of(task) - state->delay_ns : off;
	if (!measures_delay(task) && state->waits)
		ready = 0;
	outcome->ready = ready < off ? ready : off;
	outcome->waiting = off - outcome->ready;
}

__noinline int count_wait(word subject, word bucket)
{
	struct wait_key key = {.subject = subject, .bucket = bucket};
	wide *count = bpf_map_lookup_elem(&wait_counts, &key), none = 0;

	if (!count) {
		bpf_map_update_elem(&wait_counts, &key, &none, BPF_NOEXIST);
		count = bpf_map_lookup_elem(&wait_counts, &key);
	}
	if (count)
		ADD(*count, 1);
	else
		ADD(totals.uncounted_waits, 1);
	return 0;
}

/* A number instead of the outcome, which is kept in registers then. */
__noinline int count_waits(struct task *state, wide waiting)
{
	word bucket;

	if (!state)
		return 0;
	bucket = bucket_of(waiting);
	count_wait(state->object, bucket);
	count_wait(WAITS_OF_CALL | state->row, bucket);
	return 0;
}

/* --- the slowest calls ---
 *
 * The program itself keeps the durations of the slowest calls, so that each call that belongs to them
 * is sampled, and few others: of a million calls in random order about a hundred.  If several CPUs
 * do this at the same time, a bound is lower than it could be, never higher. */

static __always_inline int is_slow(word row, const struct outcome *outcome)
{
	struct slowest *slow = bpf_map_lookup_elem(&slowest, &row);

	return slow && outcome->timed &&
	       (outcome->duration > slow->threshold || outcome->duration > totals.slow_ns);
}

struct least {
	wide least;
	wide second;
	word at;
	word padding;
};

/* A separate function, so that the loops have no branches that the verifier would follow. */
__noinline int compare_least(struct least *known, wide time, word at)
{
	if (!known)
		return 0;
	if (time < known->least) {
		known->second = known->least;
		known->least = time;
		known->at = at;
	} else if (time < known->second) {
		known->second = time;
	}
	return 0;
}

/* Replace the least of some durations if it is exceeded; return the least one then. */
static __always_inline wide replace_least(wide *times, word number, wide duration)
{
	struct least known = {};
	word at;

	barrier();
	known.least = known.second = ~0ULL;
	for (at = 0; at < number; at++)
		compare_least(&known, times[at], at);
	at = known.at;
	if (duration <= known.least || at >= number ||
	    __sync_val_compare_and_swap(&times[at], known.least, duration) != known.least)
		return known.least;
	return duration < known.second ? duration : known.second;
}

/* Raise the bounds by a call that was sampled. */
__noinline int raise_bounds(word row, wide duration)
{
	struct slowest *slow = bpf_map_lookup_elem(&slowest, &row);
	struct slowest_of_all *all;
	word zero = 0;

	all = bpf_map_lookup_elem(&slowest_of_all, &zero);
	if (!slow || !all)
		return 0;
	slow->threshold = replace_least(slow->times, SLOWEST_BY_CALL, duration);
	totals.slow_ns = replace_least(all->times, SLOWEST_OVERALL, duration);
	return 0;
}

#endif
