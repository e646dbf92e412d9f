/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Whether a call that ends returns to the program that made it.
 */
#ifndef SYSWATCH_SIGNALS_H
#define SYSWATCH_SIGNALS_H

static __always_inline int accepts(struct task_struct *task, unsigned long bit)
{
	return !(task->blocked.sig[0] & bit) && !(task->flags & PF_EXITING);
}

/* The thread that a signal to its whole process was sent to. */
static __always_inline int receives(struct task_struct *task, unsigned long bit)
{
	struct task_struct *leader = task->group_leader;

	return accepts(leader, bit) ? task == leader : task == task->signal->curr_target;
}

/* Return whether a thread is killed before it can see the result of its call.
 *
 * SIGKILL is pending in every thread of a process that ends, and the kernel sends it to all of them
 * as soon as it knows that another signal is fatal.  But a traced process takes that signal first
 * when the call has ended, in the one thread that it was sent to: so for strace the call of that
 * thread returns, and those of all others do not. */
static __always_inline int is_cut_short(struct task_struct *task)
{
	struct signal_struct *signal = task->signal;
	unsigned int number = signal->group_exit_code;
	unsigned long bit;

	if (!(task->pending.signal.sig[0] & SIGKILL_BIT))
		return 0;
	/* Above stands what exit_group was given. */
	if (!number || number > SIGNALS || number == SIGKILL)
		return 1;
	bit = 1UL << (number - 1);
	if (task->pending.signal.sig[0] & bit)
		return !accepts(task, bit);
	return !(signal->shared_pending.signal.sig[0] & bit) || !receives(task, bit);
}

#endif
