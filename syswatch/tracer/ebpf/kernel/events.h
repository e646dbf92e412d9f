/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Every call as a record of a fixed size, for a recording.
 *
 * Each CPU has a ring, so that CPUs do not wait for each other.  On a kernel that preempts programs,
 * several of them may write to the ring of one CPU at the same time: each takes its place first, by
 * one atomic operation, and when all that were begun are complete, the reader may take them.  A ring
 * that is full loses calls, which are counted, rather than let the target wait.
 */
#ifndef SYSWATCH_EVENTS_H
#define SYSWATCH_EVENTS_H

#define NO_PLACE (~0ULL)
#define UNFINISHED_NS (~0ULL)

/* Fetched, because only that orders memory on all machines. */
static __always_inline void complete(struct event_ring *ring, word number)
{
	ring->before = ADD(ring->done, number);
}

/* Return the position of the first of some consecutive events, or NO_PLACE. */
static __always_inline wide take_places(struct event_ring *ring, word number)
{
	wide head;
	int tries;

	for (tries = 0; tries < TRIES; tries++) {
		head = *(volatile wide *)&ring->head;
		if (head + number - *(volatile wide *)&ring->tail > settings.events)
			return NO_PLACE;
		if (__sync_val_compare_and_swap(&ring->head, head, head + number) == head)
			return head;
	}
	return NO_PLACE;
}

static __always_inline struct event *event_at(word cpu, wide position)
{
	word index = cpu * settings.events + (position & (settings.events - 1));

	return bpf_map_lookup_elem(&events, &index);
}

/* Wake the reader up, which reads at intervals otherwise. */
static __always_inline void wake_reader(word cpu)
{
	bpf_ringbuf_output(&wakes, &cpu, sizeof(cpu), BPF_RB_FORCE_WAKEUP);
}

/* Count a call that is not recorded. */
__noinline int lose_call(word tid, wide ended_ns)
{
	struct lost_key key = {.tid = tid, .second = ended_ns / NANOSECONDS};
	wide *count = bpf_map_lookup_elem(&lost_calls, &key), none = 0;

	if (!count) {
		bpf_map_update_elem(&lost_calls, &key, &none, BPF_NOEXIST);
		count = bpf_map_lookup_elem(&lost_calls, &key);
	}
	if (count)
		ADD(*count, 1);
	else
		ADD(totals.lost_calls, 1);
	return 0;
}

/* Store which call it is. */
static __always_inline void name_event(struct event *event, word row)
{
	word kind = row >= TABLE && row < STRANGE, place = row - STRANGE, number;
	wide *full;

	event->architecture = kind ? catalog.compatible : catalog.native;
	event->number = kind ? row - TABLE : row;
	if (row < STRANGE)
		return;
	event->number = UNKNOWN_NUMBER;
	barrier_var(place);
	full = bpf_map_lookup_elem(&numbers, &place);
	if (!full || row >= OTHERS)
		return;
	number = *full;
	if (*full >> 32) {
		event->architecture = catalog.compatible;
	} else if (!catalog.native && number & X32_BIT && !(number >> 31)) {
		event->architecture = EVENT_X32;
		number &= ~X32_BIT;
	}
	event->number = number < UNKNOWN_NUMBER ? number : UNKNOWN_NUMBER;
}

static __always_inline byte flags_of(struct task_struct *task, const struct outcome *outcome)
{
	byte flags = settings.arguments ? 0 : EVENT_NO_ARGUMENTS;

	if (outcome->unfinished)
		flags |= EVENT_UNFINISHED;
	else if (!outcome->timed)
		flags |= EVENT_UNTIMED;
	if (outcome->failed)
		flags |= EVENT_FAILED;
	if (outcome->waits)
		flags |= measures_delay(task) ? EVENT_WAITED : EVENT_WAITED | EVENT_ESTIMATED;
	return flags;
}

/* A PID and a TID in the namespace of the reader, from a record if there is one. */
static __always_inline word recorded_tid(struct task_struct *task, struct task *state)
{
	struct thread *thread = record_of(state);

	return thread ? thread->tid : pid_of(task);
}

static __always_inline word recorded_pid(struct task_struct *task, struct task *state)
{
	/* Linux 6.1 takes no key from the memory of another function. */
	word index = state->process;
	struct process *process = bpf_map_lookup_elem(&processes, &index);

	return process && index ? process->pid : pid_of(BPF_CORE_READ(task, group_leader));
}

/* Return since when a call is known that has ended at `now`.  The call in which its thread was found
 * has been in progress since then at least. */
static __always_inline wide known_since(struct task *state, const struct outcome *outcome, wide now)
{
	struct thread *thread;

	if (outcome->timed || outcome->unfinished)
		return now - outcome->duration;
	thread = record_of(state);
	return thread && thread->first_exit_ns >= now ? thread->born_ns : now;
}

/* Record a call that has ended, or will never, at `now`. */
__noinline int record_call(struct task *state, struct outcome *outcome, wide now, long result)
{
	struct task_struct *task = bpf_get_current_task_btf();
	word cpu = bpf_get_smp_processor_id(), number, tid;
	struct event *event, *moved;
	struct event_ring *ring;
	wide place, began, filled;

	if (!state || !outcome || !settings.events)
		return 0;
	ring = bpf_map_lookup_elem(&event_rings, &cpu);
	if (!ring)
		return 0;
	tid = recorded_tid(task, state);
	number = state->second == NO_OBJECT ? 1 : 2;
	place = take_places(ring, number);
	if (place == NO_PLACE) {
		ADD(ring->lost, number);
		state->second = NO_OBJECT;
		return lose_call(tid, now + totals.clock_ns);
	}
	event = event_at(cpu, place);
	if (!event)
		return 0;
	began = known_since(state, outcome, now);
	event->start_ns = began + totals.clock_ns;
	event->duration_ns = outcome->unfinished ? UNFINISHED_NS : now - began;
	event->waiting_ns = outcome->waiting;
	event->ready_ns = outcome->ready;
	event->object = settings.objects ? state->object : NO_OBJECT;
	event->result = result;
	event->bytes = settings.objects && !outcome->unfinished ? state->bytes : moved_bytes(state, result);
	if (settings.arguments)
		__builtin_memcpy(&event->argument0, state->arguments, sizeof(state->arguments));
	event->pid = recorded_pid(task, state);
	event->tid = tid;
	name_event(event, state->row);
	event->flags = flags_of(task, outcome);
	event->cpu = cpu;
	event->sequence = place + ring->lost;
	if (number == 2) {
		moved = event_at(cpu, place + 1);
		if (moved) {
			*moved = *event;
			moved->object = state->second;
			moved->duration_ns = moved->waiting_ns = moved->ready_ns = 0;
			moved->bytes = result;
			moved->flags |= EVENT_MOVED;
			moved->sequence++;
		}
		state->second = NO_OBJECT;
	}
	complete(ring, number);
	filled = place - ring->tail;
	if (filled < settings.events / 2 && filled + number >= settings.events / 2)
		wake_reader(cpu);
	return 0;
}

#endif
