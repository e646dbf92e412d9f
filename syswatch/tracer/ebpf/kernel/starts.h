/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * What a process was started with, for a recording.
 */
#ifndef SYSWATCH_STARTS_H
#define SYSWATCH_STARTS_H

/* Store what a process was started with; the command begins then. */
static __always_inline void record_start(struct task_struct *task, struct task *state)
{
	struct command_line *line = bpf_map_lookup_elem(&command_lines, &state->process);
	struct process *process = bpf_map_lookup_elem(&processes, &state->process);
	wide begin, length;

	if (!line || !process || !state->process)
		return;
	if (state->flags & WAITING)
		process->born_ns = bpf_ktime_get_ns();
	begin = BPF_CORE_READ(task, mm, arg_start);
	length = BPF_CORE_READ(task, mm, arg_end) - begin;
	if (length > COMMAND_LINE)
		length = COMMAND_LINE;
	barrier_var(length);
	if (length > COMMAND_LINE || bpf_probe_read_user(line->text, length, (void *)begin))
		length = 0;
	line->length = length;
}

#endif
