/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Whether a call is counted, and whether it returns to its program.
 */
#ifndef SYSWATCH_SIGNALS_H
#define SYSWATCH_SIGNALS_H

static __always_inline int has_failed(long result)
{
	return result < 0 && result >= -MAX_ERRNO;
}

/* Return whether calls with this result are not selected. */
static __always_inline int is_other_result(int failed)
{
	return settings.status == (failed ? SUCCESSFUL_ONLY : FAILED_ONLY);
}

/* Return whether a task is in a call that is counted, as far as that is known before its result. */
static __always_inline int is_counted(struct task *state, word flags)
{
	word call = state->call;

	return flags & INSIDE && !(flags & WAITING) && settings.status == ANY_RESULT &&
	       call < CALLS && catalog.traced[call] && (!settings.selects || flags & WANTED);
}

/* Return whether a thread is killed before it gets the result of its call.
 *
 * When a signal is fatal, the kernel makes SIGKILL pending in all threads of the process.  But a
 * process traced by ptrace first handles the original signal when the call has ended, in the thread
 * that it was sent to: so in strace the call of that thread returns, and the calls of all others do
 * not.  A signal to a process is handled by its first thread, unless that has blocked it: then it is
 * unknown which of the others it was. */
static __always_inline int is_cut_short(struct task_struct *task)
{
	unsigned long sent = task->pending.signal.sig[0];
	unsigned int number;

	if (!(sent & SIGKILL_BIT))
		return 0;
	number = BPF_CORE_READ(task, signal, group_exit_code);
	/* The upper bits hold the status given to exit_group. */
	if (!number || number > SIGNALS || number == SIGKILL)
		return 1;
	if (task == BPF_CORE_READ(task, group_leader))
		sent |= BPF_CORE_READ(task, signal, shared_pending.signal.sig[0]);
	return !(sent & ~task->blocked.sig[0] & 1UL << (number - 1));
}

#endif
