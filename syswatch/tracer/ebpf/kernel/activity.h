/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Sums for each thread, object and call.
 */
#ifndef SYSWATCH_ACTIVITY_H
#define SYSWATCH_ACTIVITY_H

#define MSG_PEEK 2
#define MOST_MESSAGES 1024 /* the kernel handles no more in a call */
#define MOST_MOVED 0x7fffffff /* it moves no more bytes in a call */

static __always_inline word new_activity(word most)
{
	word index = 0;
	wide unused;

	if (!bpf_map_pop_elem(&vacant_activities, &index))
		return index;
	if (totals.unused_activities >= most)
		return NO_ACTIVITY;
	unused = ADD(totals.unused_activities, 1);
	return unused < most ? unused : NO_ACTIVITY;
}

/* Return the row of a key; it is created if it does not exist and there is a free one. */
__noinline int find_activity(struct activity_key *wanted, word most)
{
	struct activity_key key, *place;
	word *known, index;

	if (!wanted)
		return NO_ACTIVITY;
	/* Linux 6.1 takes no key from the stack of another function. */
	key = *wanted;
	known = bpf_map_lookup_elem(&activity_index, &key);
	if (known)
		return *known;
	index = new_activity(most);
	place = bpf_map_lookup_elem(&activity_keys, &index);
	if (!place || index == NO_ACTIVITY)
		return NO_ACTIVITY;
	*place = key;
	if (!bpf_map_update_elem(&activity_index, &key, &index, BPF_NOEXIST))
		return index;
	/* Threads without a record share rows, so another one may have inserted it first. */
	place->thread = NO_THREAD;
	bpf_map_push_elem(&vacant_activities, &index, BPF_ANY);
	known = bpf_map_lookup_elem(&activity_index, &key);
	return known ? *known : NO_ACTIVITY;
}

/* Return the row of an object in the current call; store the object, which may be replaced by the
 * one for all of its kind. */
__noinline int activity_of(struct task *state, word object)
{
	struct activity_key key;
	struct object *known;
	int index;

	if (!state)
		return NO_ACTIVITY;
	key.thread = state->thread;
	key.process = state->process;
	key.row = state->row;
	key.object = object;
	index = find_activity(&key, object < FIRST_OBJECT ? ACTIVITIES : MOST_ACTIVITIES);
	if (index != NO_ACTIVITY || object < FIRST_OBJECT)
		return index;
	known = bpf_map_lookup_elem(&objects, &object);
	key.object = known ? known->kind : NO_OBJECT;
	ADD(totals.crowded_objects, 1);
	return find_activity(&key, ACTIVITIES);
}

/* Credit the current call to an object. */
static __always_inline void credit(struct task *state, word object)
{
	state->generation = totals.generation;
	state->object = object;
	state->activity = activity_of(state, object);
}

/* Credit the current call to an object that it will not keep; no row is needed for that. */
static __always_inline void credit_for_now(struct task *state, word object)
{
	state->generation = totals.generation;
	state->object = object;
	state->activity = NO_ACTIVITY;
}

/* The places where a row may be in the cache of its thread. */
static __always_inline struct slot *slots_for(struct task *state, const struct slot *wanted)
{
	word set = (wanted->first ^ state->row) * HASH_FACTOR >> (64 - SLOT_BITS);

	barrier_var(set);
	return &state->slots[(set & (SLOT_SETS - 1)) * SLOT_PLACES];
}

/* Find the row in the cache of the thread; return whether it is there. */
static __always_inline int recall(struct task *state, const struct slot *wanted)
{
	struct slot *slot = slots_for(state, wanted);
	int place;

#pragma unroll
	for (place = 0; place < SLOT_PLACES; place++, slot++) {
		if (slot->first == wanted->first && slot->row == state->row &&
		    slot->second == wanted->second && slot->third == wanted->third &&
		    slot->fourth == wanted->fourth && slot->generation == totals.generation) {
			state->generation = slot->generation;
			state->object = slot->object;
			state->activity = slot->activity;
			return slot->activity != NO_ACTIVITY;
		}
	}
	return 0;
}

static __always_inline void remember(struct task *state, const struct slot *found)
{
	struct slot *slot = slots_for(state, found) + (state->next_slot++ & (SLOT_PLACES - 1));

	*slot = *found;
	slot->row = state->row;
	slot->object = state->object;
	slot->activity = state->activity;
	slot->generation = state->generation;
}

/* --- counting --- */

static __always_inline void add_activity(struct activity *mine, const struct outcome *outcome,
					 wide in, wide out)
{
	mine->count++;
	mine->errors += outcome->failed;
	mine->bytes_in += in;
	mine->bytes_out += out;
	mine->total_ns += outcome->duration;
	if (outcome->switches) {
		mine->waits += outcome->waits != 0;
		mine->waiting_ns += outcome->waiting;
		mine->ready_ns += outcome->ready;
	}
}

/* The same for a row that several threads share. */
static __always_inline void add_shared(struct activity *ours, const struct outcome *outcome,
				       wide in, wide out)
{
	ADD(ours->count, 1);
	ADD(ours->errors, outcome->failed);
	ADD(ours->bytes_in, in);
	ADD(ours->bytes_out, out);
	ADD(ours->total_ns, outcome->duration);
	ADD(ours->waits, outcome->waits != 0);
	ADD(ours->waiting_ns, outcome->waiting);
	ADD(ours->ready_ns, outcome->ready);
}

struct messages {
	wide address;
	wide bytes;
	word at;
	word count;
	word size;        /* of a message header, */
	word length_at;   /* and where the kernel stores the length in it */
};

/* Continue to add lengths of messages; return whether that was the last one. */
__noinline int add_lengths(struct messages *messages)
{
	word turn, length;

	if (!messages)
		return 1;
	for (turn = 0; turn < TURN; turn++) {
		if (messages->at >= messages->count ||
		    bpf_probe_read_user(&length, sizeof(length),
					(void *)messages->address + messages->at * messages->size +
						messages->length_at))
			return 1;
		/* The program may have changed it since. */
		messages->bytes += length <= MOST_MOVED ? length : 0;
		messages->at++;
	}
	return 0;
}

/* Return the bytes of all messages of a call. */
__noinline wide bytes_of_messages(struct task *state, word count)
{
	struct messages messages = {};
	word turn;

	if (!state)
		return 0;
	messages.address = state->arguments[1];
	messages.count = count;
	messages.size = state->call < TABLE ? 64 : 32;
	messages.length_at = state->call < TABLE ? 56 : 28;
	for (turn = 0; turn < MOST_MESSAGES / TURN; turn++)
		if (add_lengths(&messages))
			break;
	return messages.bytes;
}

/* Return whether a call can have moved so many bytes: a program that answers its own calls, by a
 * seccomp filter, can return any number. */
static __always_inline int can_be_moved(long bytes)
{
	return bytes > 0 && bytes <= MOST_MOVED;
}

/* Return the bytes that a call has moved; those that are only looked at stay where they are. */
static __always_inline wide bytes_of(struct task *state, const struct subject *subject,
				     long result)
{
	int is_sum = subject->bytes & BYTES_OF_MESSAGES;
	word flags;

	if (subject->rule == SUBJECT_MESSAGE && subject->bytes & BYTES_IN) {
		flags = subject->other == NO_ARGUMENT && !is_sum ? state->arguments[2]
								 : state->arguments[3];
		if (flags & MSG_PEEK)
			return 0;
	}
	return is_sum ? bytes_of_messages(state, result) : result;
}

/* Return the bytes that a call has moved, if its result counts bytes. */
static __always_inline wide moved_bytes(struct task *state, long result)
{
	word call = state->call;

	if (!can_be_moved(result) || call >= CALLS || !(catalog.subjects[call].bytes & (BYTES_IN | BYTES_OUT)))
		return 0;
	return bytes_of(state, &catalog.subjects[call], result);
}

static __always_inline void count_activity(struct task *state, const struct outcome *outcome,
					   long result)
{
	word call = state->call, index, counts;
	struct activity *sums;
	wide in = 0, out = 0, bytes;

	if (state->generation != totals.generation)
		state->activity = activity_of(state, state->object);
	index = state->activity;
	sums = bpf_map_lookup_elem(&activities, &index);
	if (!sums || call >= CALLS)
		return;
	counts = catalog.subjects[call].bytes;
	if (settings.events)
		state->bytes = 0;
	if (counts && can_be_moved(result)) {
		bytes = bytes_of(state, &catalog.subjects[call], result);
		in = counts & BYTES_IN ? bytes : 0;
		out = counts & BYTES_OUT ? bytes : 0;
		if (settings.events)
			state->bytes = in | out;
	}
	if (index != NO_ACTIVITY && state->thread != SHARED_THREAD) {
		add_activity(sums, outcome, in, out);
		return;
	}
	add_shared(sums, outcome, in, out);
	if (index == NO_ACTIVITY)
		ADD(totals.uncredited, 1);
}

#endif
