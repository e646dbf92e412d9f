/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Following tasks, and the records of processes.
 */
#ifndef SYSWATCH_TASKS_H
#define SYSWATCH_TASKS_H

/* Allocate a record for a process; record 0 is shared by all processes without one. */
static __always_inline word new_process(struct task_struct *task, word parent)
{
	struct process *process;
	wide unused;
	word index = 0;

	if (bpf_map_pop_elem(&vacant, &index)) {
		unused = ADD(totals.unused, 1);
		if (unused >= settings.records) {
			ADD(totals.crowded, 1);
			return 0;
		}
		index = unused;
	}
	process = bpf_map_lookup_elem(&processes, &index);
	if (!process)
		return 0;
	process->pid = pid_of(task);
	process->parent = parent;
	name_process(process, task->comm);
	process->born_ns = task->start_time;
	process->state = ALIVE;
	return index;
}

/* Allocate a record for a process that was not seen to begin. */
static __always_inline word found_process(struct task_struct *task)
{
	if (settings.profile)
		ADD(totals.unseen_starts, 1);
	return new_process(task, parent_of(task));
}

/* Free a record that no task has. */
static __always_inline void give_back(word index)
{
	struct process *process = bpf_map_lookup_elem(&processes, &index);

	if (!process)
		return;
	process->state = FREE;
	bpf_map_push_elem(&vacant, &index, BPF_ANY);
}

static __always_inline void end(struct task_struct *task, struct process *process)
{
	struct signal_struct *signal = BPF_CORE_READ(task, signal);

	if (BPF_CORE_READ(signal, live.counter))
		return;
	process->ending = BPF_CORE_READ(signal, flags) & SIGNAL_GROUP_EXIT ?
				  BPF_CORE_READ(signal, group_exit_code) :
				  BPF_CORE_READ(task, group_leader, exit_code);
	process->ended_ns = bpf_ktime_get_ns();
	process->state = ENDED;
}

/* The record of a process ends with its last followed task.  `live` being 0 is not enough: that is
 * so for all threads that are exiting, and when the last of them gets here, the record may have been
 * reused for another process. */
static __always_inline void let_go(struct task_struct *task, struct task *state, int has_left)
{
	struct process *process = bpf_map_lookup_elem(&processes, &state->process);

	if (process && state->process && ADD(process->tasks, -1) == 1) {
		if (has_left)
			process->state = LEFT;
		else
			end(task, process);
	}
	/* Last: a reader that finds no tasks reads the records for the last time. */
	ADD(totals.tasks, -1);
}

/* Count a task that has ended or left, once. */
static __always_inline void count_out(struct task_struct *task, struct task *state, int has_left)
{
	if (__sync_lock_test_and_set(&state->counted, GONE) != COUNTED)
		return;
	/* Before its process, which the reader frees together with all of its threads. */
	if (settings.objects)
		end_thread(task, state);
	let_go(task, state, has_left);
}

/* Return whether the task is new: a fork and an iteration over all tasks may find the same task,
 * which may end meanwhile. */
static __always_inline int count_in(struct task_struct *task, struct task *state)
{
	struct process *process;

	if (state->counted != UNCOUNTED)
		return 0;
	process = bpf_map_lookup_elem(&processes, &state->process);
	if (process)
		ADD(process->tasks, 1);
	ADD(totals.tasks, 1);
	if (__sync_val_compare_and_swap(&state->counted, UNCOUNTED, COUNTED) != UNCOUNTED) {
		let_go(task, state, 0);
		return 0;
	}
	/* It may have ended before it was followed. */
	if (task->flags & PF_EXITING)
		count_out(task, state, 0);
	return 1;
}

/* Record a thread that may have existed for long; where it is, is only known from now on. */
static __always_inline void find_thread(struct task_struct *task, struct task *state)
{
	word flags = task->on_cpu ? THREAD_FOUND : THREAD_FOUND | THREAD_OFF;

	if (measures_delay(task) && BPF_CORE_READ(task, sched_info.last_queued))
		flags |= THREAD_RUNNABLE;
	new_thread(task, state, bpf_ktime_get_ns(), flags);
}

static __always_inline struct task *follow(struct task_struct *task, word process)
{
	struct task *state = bpf_task_storage_get(&tasks, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	/* Another CPU may have created it at the same time. */
	if (!state && !(state = followed(task))) {
		ADD(totals.unfollowed, 1);
		return 0;
	}
	if (!state->process)
		state->process = process;
	if (count_in(task, state) && settings.objects)
		find_thread(task, state);
	return state;
}

/* --- control groups, and the whole machine --- */

static __always_inline int is_ours(struct task_struct *task)
{
	return task->tgid == (int)totals.own || task->tgid == (int)totals.service;
}

static __always_inline int is_in_group(void)
{
	return bpf_current_task_under_cgroup(&groups, 0) == 1;
}

static __noinline struct task *join(struct task_struct *task)
{
	struct task_struct *leader;
	struct task *model;
	word process;

	if ((settings.scope == GROUP && !is_in_group()) || is_ours(task))
		return 0;
	leader = task->group_leader;
	if (!leader)
		return 0;
	model = followed(leader);
	if (!model) {
		/* Two threads may get here at the same time: then one record stays unused. */
		process = found_process(leader);
		model = follow(leader, process);
		if (!model || task == leader)
			return model;
	}
	return follow(task, model->process);
}

/* Follow the current task if the scope is the whole machine or its control group. */
static __always_inline struct task *met(struct task_struct *task)
{
	return settings.scope == NAMED_ONLY ? 0 : join(task);
}

/* The state of the current task; null if it is not followed, or not any more. */
static __always_inline struct task *current_state(struct task_struct *task)
{
	struct task *state = rarely_followed(task);

	if (!state)
		return met(task);
	if (settings.scope == GROUP && !is_in_group()) {
		count_out(task, state, 1);
		bpf_task_storage_delete(&tasks, task);
		return 0;
	}
	return state;
}

/* --- hooks --- */

SEC("tp_btf/sched_process_fork")
int on_fork(wide *context)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_struct *child = (void *)context[1];
	struct task *state = current_state(task);
	word process, fresh = 0;

	if (!state)
		return 0;
	process = state->process;
	if (child->tgid != task->tgid) {
		if (!settings.follow)
			return 0;
		/* An iteration over all tasks may have found it already, or find it now. */
		if (!followed(child))
			fresh = new_process(child, pid_of(BPF_CORE_READ(task, group_leader)));
		process = fresh;
	}
	state = follow(child, process);
	if (!state)
		return 0;
	if (fresh && state->process != fresh)
		give_back(fresh);
	state->flags |= NEWBORN; /* not running yet, so nothing else changes the flags */
	if (settings.objects)
		know_beginning(state);
	return 0;
}

/* The name of a process is that of its first thread, set by execve, prctl or /proc. */
SEC("tp_btf/task_rename")
int on_rename(wide *context)
{
	struct task_struct *task = (void *)context[0];
	const char *comm = (void *)context[1];
	struct task *state = followed(task);
	struct process *process;

	if (!state)
		return 0;
	if (settings.objects)
		rename_thread(state, comm);
	if (!state->process || task != BPF_CORE_READ(task, group_leader))
		return 0;
	process = bpf_map_lookup_elem(&processes, &state->process);
	if (process)
		name_process(process, comm);
	return 0;
}

/* Called for every task of the machine, in the context of the reader's read(). */
SEC("iter/task")
int on_look(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task, *self = bpf_get_current_task_btf();
	struct task_struct *leader, *parent;
	struct task *state, *model;
	word process;

	if (!task || task->flags & PF_EXITING)
		return 0;
	totals.level = BPF_CORE_READ(self, thread_pid, level);
	totals.own = self->tgid;
	totals.service = BPF_CORE_READ(self, real_parent, tgid);
	if (settings.selects && totals.shown)
		want(file_of(totals.shown));
	state = followed(task);
	if (settings.objects && state)
		look(task, state);
	if (settings.profile && totals.ends && state)
		unfinished_evidence(task, state);
	if (settings.scope != NAMED_ONLY)
		return 0;
	if (state) {
		if (count_in(task, state)) {
			ADD(totals.taken_in, 1);
			if (settings.objects)
				find_thread(task, state);
		}
		return 0;
	}
	/* Attaching to the shell that started syswatch must not include syswatch. */
	if (is_ours(task))
		return 0;
	leader = task->group_leader;
	if (leader && task != leader) {
		model = followed(leader);
		if (model && follow(task, model->process))
			ADD(totals.taken_in, 1);
		return 0;
	}
	parent = task->real_parent;
	if (!settings.follow || !parent)
		return 0;
	model = followed(parent);
	if (!model)
		return 0;
	process = found_process(task);
	if (follow(task, process))
		ADD(totals.taken_in, 1);
	return 0;
}

#endif
