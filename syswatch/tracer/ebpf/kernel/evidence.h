/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * What rules for calls are made of: how often each program made each call with which arguments, as far
 * as rules can depend on them.
 *
 * The rows have two sides.  Calls are counted on one of them, while the reader takes the rows of the
 * other one, on which no call is being counted any more.
 */
#ifndef SYSWATCH_EVIDENCE_H
#define SYSWATCH_EVIDENCE_H

#define SIGSYS 31
#define SIGSYS_BIT (1UL << (SIGSYS - 1))

/* Return the sums of a key; null if it is new and no room is left for it. */
static __always_inline struct evidence *evidence_of(struct evidence_key *key, wide *used, wide most,
						    wide began)
{
	struct evidence *known = bpf_map_lookup_elem(&evidence, key), new = {.first_ns = began};

	if (known)
		return known;
	if (used) {
		if (*used >= most)
			return 0;
		ADD(*used, 1);
	}
	/* Another thread may have inserted it first: then that entry is used. */
	bpf_map_update_elem(&evidence, key, &new, BPF_NOEXIST);
	return bpf_map_lookup_elem(&evidence, key);
}

/* Count a call that began at a time.  A row that finds no room loses its program, then its values. */
__noinline int count_evidence(struct task *state, wide began, int refused)
{
	struct evidence_key key = {.refused = !!refused};
	const struct ruled *ruled;
	struct evidence *sums;
	struct process *process;
	word call, index, at;

	if (!state || !settings.profile)
		return 0;
	call = state->call;
	index = state->process;
	process = bpf_map_lookup_elem(&processes, &index);
	if (process && index) {
		key.program[0] = *(wide *)process->comm;
		key.program[1] = *(wide *)(process->comm + sizeof(wide));
	}
	key.row = state->row;
	key.side = totals.side & 1;
	if (call < CALLS) {
		ruled = &catalog.ruled[call];
		key.valued = ruled->count;
#pragma unroll
		for (at = 0; at < RULED; at++)
			if (at < key.valued)
				key.values[at] = argument_of(state, ruled->positions[at]) &
						 ruled->masks[at];
	}
	sums = evidence_of(&key, &totals.of_programs, MOST_OF_PROGRAMS, began);
	if (!sums) {
		ADD(totals.coarse_evidence, 1);
		key.program[0] = key.program[1] = 0;
		sums = evidence_of(&key, &totals.of_values, MOST_OF_VALUES, began);
	}
	if (!sums) {
		key.valued = key.values[0] = key.values[1] = key.values[2] = 0;
		sums = evidence_of(&key, 0, 0, began);
	}
	if (!sums)
		return 0;
	ADD(sums->count, 1);
	lower(&sums->first_ns, began);
	return 0;
}

/* Count a call that has returned.  A filter that refuses a call lets the kernel skip its entry, so an
 * exit without an entry is that of such a call, unless the thread was in it when it was found.  The
 * process that supervises a filter may also let a call succeed that was skipped. */
static __always_inline void returned_evidence(struct task_struct *task, struct task *state, word flags,
					      int failed)
{
	int skipped = !(flags & INSIDE) && flags & SETTLED;

	skipped = skipped && (failed || task->pending.signal.sig[0] & SIGSYS_BIT);
	if (skipped)
		state->flags |= REFUSED;
	count_evidence(state, flags & INSIDE ? state->began_ns : bpf_ktime_get_ns(), skipped);
}

/* Store the call that a task is in by its registers; return whether it is in one. */
static __always_inline int identify_by_registers(struct task_struct *task, struct task *state)
{
	void *registers;
	int number;

	if (!bpf_core_enum_value_exists(enum bpf_func_id___from_5_15,
					BPF_FUNC_task_pt_regs___from_5_15))
		return 0;
	registers = (void *)bpf_task_pt_regs(task);
	if (!registers)
		return 0;
	number = number_of_call(registers);
	if (number < 0)
		return 0;
	identify(task, state, number);
	read_arguments(registers, state->call, state->arguments);
	return 1;
}

/* Count the call in which a task ends.  A filter that kills only one of several threads lets it end
 * without an exit of its call. */
static __noinline void ended_evidence(struct task_struct *task, struct task *state, word flags)
{
	if (is_counted(state, flags))
		count_evidence(state, state->began_ns, 0);
	else if (!(flags & (INSIDE | WAITING | REFUSED)) && task->exit_code == SIGSYS &&
		 !(BPF_CORE_READ(task, signal, flags) & SIGNAL_GROUP_EXIT) && identify_by_registers(task, state) &&
		 is_counted(state, INSIDE))
		count_evidence(state, bpf_ktime_get_ns(), 1);
}

/* Count a call that is in progress when the trace ends.  Of a thread that has not run since it was
 * found, the registers tell which it is. */
static __always_inline void unfinished_evidence(struct task_struct *task, struct task *state)
{
	word flags = state->flags;

	if (flags & (INSIDE | WAITING)) {
		if (is_counted(state, flags))
			count_evidence(state, state->began_ns, 0);
	} else if (!(flags & SETTLED) && !task->on_cpu && identify_by_registers(task, state) &&
		   is_counted(state, INSIDE)) {
		count_evidence(state, bpf_ktime_get_ns(), 0);
	}
}

#endif
