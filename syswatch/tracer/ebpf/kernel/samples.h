/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Samples of single calls with their arguments, as many as the quota allows.
 */
#ifndef SYSWATCH_SAMPLES_H
#define SYSWATCH_SAMPLES_H

static __always_inline wide less(wide used, wide regained)
{
	return used > regained ? used - regained : 0;
}

/* Return whether the quota allows one more; each window adds to it, up to a burst, so that short
 * programs are sampled completely.  Failures have a quota of their own. */
static __always_inline int has_room(wide *used, wide now)
{
	wide window = now >> WINDOW_BITS, regained;

	/* Another CPU may have been in a later window already. */
	if (window > totals.window) {
		regained = (window - totals.window) * settings.samples;
		totals.window = window;
		totals.used = less(totals.used, regained);
		totals.used_by_failures = less(totals.used_by_failures, regained);
	}
	if (*used >= settings.burst)
		return 0;
	ADD(*used, 1);
	return 1;
}

static __noinline void read_links(struct link *links, word call, wide *arguments)
{
	word index, next = 0;
	byte descriptors;

#pragma unroll
	for (index = 0; index < LINKS - 1; index++)
		links[index].mode = 0;
	if (!settings.links || call >= CALLS)
		return;
	descriptors = catalog.descriptors[call];
#pragma unroll
	for (index = 0; index < ARGUMENTS; index++)
		if (descriptors & (1 << index) && next < LINKS - 1)
			read_link((int)arguments[index], &links[next++ & 1]);
}

/* Read at the entry what the call may overwrite or release: memory by execve, descriptors by close.
 * Most calls are not sampled, so only while the quota allows a sample. */
static __always_inline void read_early(struct task_struct *task, struct task *state)
{
	word call = state->call, zero = 0, flags, length;
	struct reading *reading;
	struct given *given;

	if (call >= CALLS || !catalog.early[call] || !catalog.traced[call] ||
	    (settings.selects && !(state->flags & WANTED)) ||
	    (totals.window == state->began_ns >> WINDOW_BITS && totals.used >= settings.burst))
		return;
	flags = catalog.early[call];
	given = bpf_task_storage_get(&early, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	reading = bpf_map_lookup_elem(&readings, &zero);
	if (!given || !reading)
		return;
	if (flags & EARLY_MEMORY) {
		reading->sample.memory.length = reading->sample.memory.early = 0;
		read_memory(reading, call, state, 0, AT_ENTRY);
		length = reading->sample.memory.length;
		if (length > EARLY)
			length = EARLY;
		barrier_var(length);
		if (length <= EARLY)
			bpf_probe_read_kernel(given->data, length, reading->sample.memory.data);
		given->length = length;
		given->early = reading->sample.memory.early;
	}
	if (flags & EARLY_LINKS)
		read_links(given->links, call, state->arguments);
	state->flags |= flags;
}

static __always_inline void fill(struct task_struct *task, struct task *state, word flags,
				 struct reading *reading, long result)
{
	struct sample *sample = &reading->sample;
	struct given *before = 0;
	word length;

	sample->memory.length = sample->memory.early = 0;
	if (flags & (EARLY_MEMORY | EARLY_LINKS))
		before = bpf_task_storage_get(&early, task, 0, 0);
	if (before && flags & EARLY_MEMORY) {
		length = before->length;
		if (length <= EARLY) {
			bpf_probe_read_kernel(sample->memory.data, length, before->data);
			sample->memory.length = length;
			sample->memory.early = before->early;
		}
	}
	if (settings.reads)
		read_memory(reading, state->call, state, result, AT_EXIT);
	if (before && flags & EARLY_LINKS)
		bpf_probe_read_kernel(sample->links, sizeof(before->links), before->links);
	else
		read_links(sample->links, state->call, state->arguments);
	sample->links[LINKS - 1].mode = 0;
}

static __always_inline void keep(struct task_struct *task, struct task *state, word flags,
				 wide now, const struct outcome *outcome, long result)
{
	word shown = has_room(&totals.used, now) ? SHOWN : 0, call = state->call, zero = 0, length;
	int slow = settings.objects && is_slow(state->row, outcome);
	struct reading *reading;
	struct sample *sample;
	byte returns;
	long lost;

	if (call >= CALLS || (outcome->unfinished && !shown) ||
	    (!shown && !slow && !(outcome->failed && has_room(&totals.used_by_failures, now))))
		return;
	/* Here, because Linux 6.1 does not track below that the call has been checked. */
	returns = catalog.returns[call];
	reading = bpf_map_lookup_elem(&readings, &zero);
	if (!reading)
		return;
	sample = &reading->sample;
	sample->began_ns = now - outcome->duration;
	sample->result = result;
	__builtin_memcpy(sample->arguments, state->arguments, sizeof(sample->arguments));
	sample->tid = pid_of(task);
	sample->row = state->row;
	sample->shown = (outcome->unfinished ? UNFINISHED : shown) | (slow ? SLOW : 0);
	sample->duration_ns = outcome->duration;
	sample->waits = outcome->waits;
	sample->waiting_ns = outcome->waiting;
	sample->ready_ns = outcome->ready;
	sample->object = state->object;
	sample->thread = state->thread;
	fill(task, state, flags, reading, result);
	if (settings.links && returns && !outcome->failed)
		read_link((int)result, &sample->links[LINKS - 1]);
	length = sample->memory.length;
	barrier_var(length);
	if (length > SPACE)
		return;
	lost = bpf_ringbuf_output(&samples, sample,
				  __builtin_offsetof(struct sample, memory.data) + length,
				  BPF_RB_NO_WAKEUP);
	if (slow && lost)
		ADD(totals.lost_slow, 1);
	else if (slow)
		raise_bounds(state->row, outcome->duration);
}

#endif
