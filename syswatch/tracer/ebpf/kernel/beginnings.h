/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The object of a call when it begins.
 *
 * It is looked up then, because the call may close the descriptor or replace the memory with the path,
 * and so that it is known while the call is in progress.
 */
#ifndef SYSWATCH_BEGINNINGS_H
#define SYSWATCH_BEGINNINGS_H

#define FUTEX_PRIVATE_FLAG 128

/* Find the object of a call if that is not a file or a futex. */
__noinline int begin_other(struct task *state)
{
	const struct subject *subject;
	word call, count;
	wide address;

	if (!state)
		return 0;
	call = state->call;
	if (call >= CALLS)
		return 0;
	subject = &catalog.subjects[call];
	switch (subject->rule) {
	case SUBJECT_PATH:
	case SUBJECT_EXECUTE:
		credit_path(state, subject);
		return 0;
	case SUBJECT_OPEN:
		/* Nearly always it is replaced by the file: another record for the path would be too much. */
		credit_for_now(state, KIND_PATH);
		return 0;
	case SUBJECT_SLEEP:
		credit_sleep(state, subject);
		return 0;
	case SUBJECT_CHILD:
		credit_child(state, argument_of(state, subject->argument));
		return 0;
	case SUBJECT_WAITID:
		credit(state, KIND_CHILD);
		return 0;
	case SUBJECT_SIGNAL:
		credit(state, KIND_SIGNAL);
		return 0;
	case SUBJECT_POLL:
		address = argument_of(state, subject->argument);
		count = argument_of(state, subject->other);
		credit_file(state, count == 1 ? first_polled(address, 1, 0) : -1);
		return 0;
	}
	credit(state, NO_OBJECT);
	return 0;
}

/* Find the object of a call that begins, and its row; return whether `begin_other` must do that.  It
 * is not called here, because the stack of functions that call each other is limited. */
static __always_inline int begin_activity(struct task_struct *task, struct task *state, int loads)
{
	struct slot wanted = {};
	word call = state->call, rule, argument;
	int descriptor = -1;

	if (call >= CALLS)
		return 0;
	rule = catalog.subjects[call].rule;
	argument = catalog.subjects[call].argument;
	if (rule > SUBJECT_COPY && rule != SUBJECT_FUTEX)
		return 1;
	if (rule == SUBJECT_FUTEX) {
		wanted.first = argument_of(state, argument);
		wanted.second = (loads ? LOADABLE(task_struct, task) : task)->group_leader->start_time;
		wanted.third = !(argument_of(state, catalog.subjects[call].other) & FUTEX_PRIVATE_FLAG);
		wanted.fourth = task->tgid;
	} else if (rule) {
		descriptor = argument_of(state, argument);
		if (loads)
			load_slot_of_file(task, descriptor, &wanted);
		else
			slot_of_file(descriptor, &wanted);
	}
	if (!recall(state, &wanted))
		find_row(state, &wanted, descriptor);
	return 0;
}

#endif
