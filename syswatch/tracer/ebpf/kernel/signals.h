/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Whether a call that ends returns to the program that made it.
 */
#ifndef SYSWATCH_SIGNALS_H
#define SYSWATCH_SIGNALS_H

/* Return whether a thread is killed before it can see the result of its call.
 *
 * SIGKILL is pending in every thread of a process that ends, and the kernel sends it to all of them
 * as soon as it knows that another signal is fatal.  But a traced process takes that signal first
 * when the call has ended, in the one thread that it was sent to: so for strace the call of that
 * thread returns, and those of all others do not.  What is sent to a process is for its first thread,
 * unless that has blocked it: then nobody can tell any more which of the others it was. */
static __always_inline int is_cut_short(struct task_struct *task)
{
	struct signal_struct *signal = task->signal;
	unsigned int number = signal->group_exit_code;
	unsigned long sent = task->pending.signal.sig[0];

	if (!(sent & SIGKILL_BIT))
		return 0;
	/* Above stands what exit_group was given. */
	if (!number || number > SIGNALS || number == SIGKILL)
		return 1;
	if (task == task->group_leader)
		sent |= signal->shared_pending.signal.sig[0];
	return !(sent & ~task->blocked.sig[0] & 1UL << (number - 1));
}

#endif
