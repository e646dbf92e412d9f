/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Programs that are executed: their names, and what they were started with.
 */
#ifndef SYSWATCH_STARTS_H
#define SYSWATCH_STARTS_H

/* Store what a process was started with, for a recording; the command begins then. */
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

/* Credit an execve to its program if the path was not in memory when the call began: the kernel has
 * read it since. */
__noinline int credit_execution(struct task *state, wide filename)
{
	struct relative path = {.address = filename, .in_kernel = 1, .directory = WORKING_FOLDER};
	word call;

	if (!state)
		return 0;
	call = state->call;
	if (call >= CALLS || catalog.subjects[call].rule != SUBJECT_EXECUTE ||
	    !catalog.traced[call] || (settings.selects && !(state->flags & WANTED)) ||
	    state->object != KIND_PATH)
		return 0;
	if (read_path(&path))
		credit(state, object_of_path(&path));
	return 0;
}

/* The waiting process has become the command. */
SEC("tp_btf/sched_process_exec")
int on_exec(wide *context)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct linux_binprm *program = (void *)context[2];
	struct task *state = followed(task);

	if (!state)
		return 0;
	if (settings.objects)
		renumber_thread(task, state);
	if (settings.objects && state->flags & WAITING)
		restart_thread(task, state);
	if (settings.objects && state->flags & INSIDE)
		credit_execution(state, (wide)BPF_CORE_READ(program, filename));
	if (settings.events)
		record_start(task, state);
	state->flags &= ~WAITING;
	return 0;
}

#endif
