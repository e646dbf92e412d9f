/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Where each architecture keeps the number and the arguments of a call.
 */
#ifndef SYSWATCH_MACHINE_H
#define SYSWATCH_MACHINE_H

static __always_inline wide argument_of(struct task *state, word index)
{
	barrier_var(index);
	return index < ARGUMENTS ? state->arguments[index] : 0;
}

static __always_inline int is_32_bit(struct task_struct *task)
{
	if (bpf_core_field_exists(task->thread_info.status))
		return task->thread_info.status & TS_COMPAT;
	return (task->thread_info.flags >> TIF_32BIT) & 1;
}

/* Return the row of a number without a fixed one; a row is assigned when the number is new. */
__noinline int row_of_unlisted(wide number)
{
	word *known = bpf_map_lookup_elem(&unlisted, &number), row;
	wide *place;

	if (known)
		return *known;
	if (totals.unlisted >= UNLISTED)
		return OTHERS;
	row = ADD(totals.unlisted, 1);
	barrier_var(row);
	place = bpf_map_lookup_elem(&numbers, &row);
	if (!place)
		return OTHERS;
	*place = number;
	row += STRANGE;
	/* Another CPU may have inserted it first: then that row is used. */
	bpf_map_update_elem(&unlisted, &number, &row, BPF_NOEXIST);
	known = bpf_map_lookup_elem(&unlisted, &number);
	return known ? *known : OTHERS;
}

/* Store the call of a number and the row that it is counted in.  The kernel itself uses only 32 bits
 * of a number.  The x32 ABI uses the numbers of x86-64 with an additional bit. */
static __always_inline void identify(struct task_struct *task, struct task *state, int number)
{
	struct pt_regs *registers = 0;
	word kind = is_32_bit(task) ? TABLE : 0, plain = number;

	if (plain < TABLE) {
		state->call = state->row = kind + plain;
		return;
	}
	state->call = STRANGE;
	if (!kind && bpf_core_field_exists(registers->orig_ax) && plain - X32_BIT < TABLE)
		state->call = plain - X32_BIT;
	state->row = row_of_unlisted((wide)kind << 32 | plain);
}

/* The number of a call, -1 outside calls. */
static __always_inline int number_of_call(struct pt_regs *registers)
{
	return bpf_core_field_exists(registers->orig_ax) ? (int)registers->orig_ax : registers->syscallno;
}

/* The number of a call whose entry was not seen.  The return from a signal handler has restored the
 * registers of the interrupted code, with -1 as the number. */
static __always_inline int number_in(struct task_struct *task, struct pt_regs *registers, long result)
{
	int number = number_of_call(registers);

	if (number == -1 && result != -ENOSYS && !is_32_bit(task))
		return catalog.sigreturn;
	return number;
}

static __always_inline void read_arguments(struct pt_regs *registers, word call, wide *arguments)
{
	/* The argument of the return from a handler is on the stack. */
	if (call == catalog.sigreturn) {
		arguments[0] = registers->sp + catalog.mask_at;
	} else if (!bpf_core_field_exists(registers->orig_ax)) {
		arguments[0] = registers->orig_x0;
		arguments[1] = registers->regs[1];
		arguments[2] = registers->regs[2];
		arguments[3] = registers->regs[3];
		arguments[4] = registers->regs[4];
		arguments[5] = registers->regs[5];
	} else if (call >= TABLE && call < STRANGE) {
		arguments[0] = (word)registers->bx;
		arguments[1] = (word)registers->cx;
		arguments[2] = (word)registers->dx;
		arguments[3] = (word)registers->si;
		arguments[4] = (word)registers->di;
		arguments[5] = (word)registers->bp;
	} else {
		arguments[0] = registers->di;
		arguments[1] = registers->si;
		arguments[2] = registers->dx;
		arguments[3] = registers->r10;
		arguments[4] = registers->r8;
		arguments[5] = registers->r9;
	}
}

#endif
