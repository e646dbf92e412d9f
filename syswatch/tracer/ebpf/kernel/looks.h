/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * What the reader sees of a thread when it looks at all of them.
 */
#ifndef SYSWATCH_LOOKS_H
#define SYSWATCH_LOOKS_H

/* Let the reader see the call in which a thread was found, as its registers have it. */
static __always_inline void publish_first_call(struct task_struct *task, struct thread *thread)
{
	void *registers;
	int number;

	CLEAR_BITS(thread->flags, THREAD_FIRST_CALL);
	if (!bpf_core_enum_value_exists(enum bpf_func_id___from_5_15,
					BPF_FUNC_task_pt_regs___from_5_15))
		return;
	registers = (void *)bpf_task_pt_regs(task);
	if (!registers)
		return;
	number = number_of_call(registers);
	if (number < 0 || number >= TABLE)
		return;
	thread->row = number + (is_32_bit(task) ? TABLE : 0);
	read_arguments(registers, thread->row, thread->arguments);
	SET_BITS(thread->flags, THREAD_FIRST_CALL);
}

/* Return whether a thread has not run since it was found, so that it may be in a call without a
 * beginning. */
static __always_inline int is_as_found(struct thread *thread)
{
	return thread->flags & THREAD_FOUND && thread->off_since_ns && !thread->first_exit_ns &&
	       !thread->began_ns;
}

/* Let the reader see a thread that has not been switched out for long.  It may begin another call
 * meanwhile: then what is published may belong to both, until the next look. */
static __always_inline void look(struct task_struct *task, struct task *state)
{
	struct thread *thread = record_of(state);

	if (!measures_delay(task))
		totals.without_delay = 1;
	if (!thread || !totals.looks)
		return;
	publish(task, state, thread, bpf_ktime_get_ns());
	if (is_as_found(thread))
		publish_first_call(task, thread);
	if (measures_delay(task) && BPF_CORE_READ(task, sched_info.last_queued))
		SET_BITS(thread->flags, THREAD_RUNNABLE);
}

#endif
