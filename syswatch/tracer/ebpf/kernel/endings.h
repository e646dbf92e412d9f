/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The object of a call that has returned, where it is another one than at the beginning, and what
 * later calls must know of it.
 */
#ifndef SYSWATCH_ENDINGS_H
#define SYSWATCH_ENDINGS_H

#define EINPROGRESS 115
#define SI_PID 16
#define SI_PID_OF_32_BIT 12

/* Remember what later calls need, even if this one is not selected. */
__noinline int notice(struct task *state, long result)
{
	struct object *object;
	word call, rule;

	if (!state)
		return 0;
	call = state->call;
	if (call >= CALLS)
		return 0;
	rule = catalog.subjects[call].rule;
	if (rule == SUBJECT_CONNECT && (!result || result == -EINPROGRESS)) {
		remember_side(state->arguments[0], SIDE_CLIENT);
		/* It may have been another object before, in the cache of any thread. */
		object = object_at(state->object);
		if (!is_connecting(object) || object->kind == KIND_UDP)
			ADD(totals.generation, 1);
	}
	if (result < 0)
		return 0;
	if (rule == SUBJECT_ACCEPT)
		remember_side(result, SIDE_SERVER);
	else if (rule == SUBJECT_CREATE)
		renew(result);
	else if (rule == SUBJECT_WATCH)
		remember_watch(state);
	return 0;
}

#define NOTICED (1 << SUBJECT_CONNECT | 1 << SUBJECT_ACCEPT | 1 << SUBJECT_CREATE | 1 << SUBJECT_WATCH)

static __always_inline int is_noticed(word call)
{
	return settings.objects && call < CALLS && NOTICED >> (catalog.subjects[call].rule & 31) & 1;
}

/* The second descriptor of a copy has a row without a call. */
static __always_inline void end_copy(struct task *state, int descriptor, long bytes)
{
	struct file *file = file_of(descriptor);
	struct activity *sums;
	word index, object;

	if (!file || !can_be_moved(bytes))
		return;
	object = object_of_file(file, descriptor);
	index = activity_of(state, object);
	sums = bpf_map_lookup_elem(&activities, &index);
	if (sums)
		ADD(sums->bytes_out, bytes);
	if (settings.events)
		state->second = object;
}

/* Find the object of a call that has returned, if it is another one than at its beginning. */
__noinline int end_other(struct task *state, long result)
{
	const struct subject *subject;
	word call, rule, pid = 0;
	int pair = -1;

	if (!state)
		return 0;
	call = state->call;
	if (call >= CALLS)
		return 0;
	subject = &catalog.subjects[call];
	rule = subject->rule;
	switch (rule) {
	case SUBJECT_OPEN:
	case SUBJECT_ACCEPT:
	case SUBJECT_CREATE:
		if (result >= 0)
			credit_file(state, result);
		else if (rule == SUBJECT_OPEN && state->object == KIND_PATH)
			credit_path(state, subject);
		return 0;
	case SUBJECT_PATH:
		/* It was not in memory. */
		if (state->object == KIND_PATH)
			credit_path(state, subject);
		return 0;
	case SUBJECT_EXECUTE:
		/* Where the path was, a program that has been executed has something else. */
		if (result && state->object == KIND_PATH)
			credit_path(state, subject);
		return 0;
	case SUBJECT_CONNECT:
		credit_file(state, state->arguments[0]);
		if (is_connecting(object_at(state->object)))
			credit_peer(state, state->arguments[0], state->arguments[1]);
		return 0;
	case SUBJECT_LISTEN:
		credit_file(state, argument_of(state, subject->argument));
		return 0;
	case SUBJECT_MESSAGE:
		end_message(state, subject);
		return 0;
	case SUBJECT_PAIR:
		if (result >= 0 && !bpf_probe_read_user(&pair, sizeof(pair),
							(void *)argument_of(state, subject->argument)))
			credit_file(state, pair);
		return 0;
	case SUBJECT_CHILD:
		if (result > 0)
			credit_child(state, result);
		return 0;
	case SUBJECT_WAITID:
		if (!result)
			bpf_probe_read_user(&pid, sizeof(pid),
					    (void *)argument_of(state, subject->argument) +
						    (call < TABLE ? SI_PID : SI_PID_OF_32_BIT));
		credit_child(state, pid);
		return 0;
	case SUBJECT_COPY:
		end_copy(state, argument_of(state, subject->other), result);
		return 0;
	case SUBJECT_EPOLL:
	case SUBJECT_POLL:
	case SUBJECT_SELECT:
		end_wait(state, rule, subject, result);
		return 0;
	}
	return 0;
}

#define SAME_AT_END                                                                        \
	(1 << SUBJECT_NONE | 1 << SUBJECT_FILE | 1 << SUBJECT_WATCH | 1 << SUBJECT_FUTEX | \
	 1 << SUBJECT_SLEEP | 1 << SUBJECT_SIGNAL)

/* Count a call that has returned. */
static __always_inline void end_activity(struct task *state, const struct outcome *outcome,
					 long result)
{
	word call = state->call;

	if (call < CALLS && !(SAME_AT_END >> (catalog.subjects[call].rule & 31) & 1))
		end_other(state, result);
	count_activity(state, outcome, result);
	if (outcome->waits)
		count_waits(state, outcome->waiting);
}

#endif
