/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Who is followed, and what is known of each process.
 */
#ifndef SYSWATCH_TASKS_H
#define SYSWATCH_TASKS_H

/* The number of a task where the reader lives; 0 where it has none there.  Read as a number: with
 * what it knows to be a pointer, Linux 6.1 does not let us calculate. */
static __always_inline word pid_of(struct task_struct *task)
{
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	word number = 0;

	if (!pid || BPF_CORE_READ(pid, level) < totals.level)
		return 0;
	bpf_probe_read_kernel(&number, sizeof(number),
			      (void *)pid + bpf_core_field_offset(struct pid, numbers) +
				      totals.level * bpf_core_type_size(struct upid) +
				      bpf_core_field_offset(struct upid, nr));
	return number;
}

static __always_inline word parent_of(struct task_struct *task)
{
	struct task_struct *parent = task->real_parent;

	return parent && parent->group_leader ? pid_of(parent->group_leader) : 0;
}

static __always_inline struct task *followed(struct task_struct *task)
{
	return bpf_task_storage_get(&tasks, task, 0, 0);
}

/* Take a record for a new process; the first record is that of all for whom there is none. */
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
	bpf_probe_read_kernel_str(process->comm, COMM, task->comm);
	process->state = ALIVE;
	return index;
}

static __always_inline void end(struct task_struct *task, struct process *process)
{
	struct signal_struct *signal = task->signal;

	if (signal->live.counter)
		return;
	process->ending = signal->flags & SIGNAL_GROUP_EXIT ? signal->group_exit_code :
							      task->group_leader->exit_code;
	process->state = ENDED;
}

/* The record of a process ends with its last task that was followed.  That `live` is 0 would not be
 * enough: so it is for all threads that are on their way out, and when the slowest of them gets
 * here, the record may have been given to another process. */
static __always_inline void let_go(struct task_struct *task, struct task *state, int has_left)
{
	struct process *process = bpf_map_lookup_elem(&processes, &state->process);

	if (process && state->process && ADD(process->tasks, -1) == 1) {
		if (has_left)
			process->state = LEFT;
		else
			end(task, process);
	}
	/* Last of all: who finds nobody left reads the records for the last time. */
	ADD(totals.tasks, -1);
}

/* A task has gone for ever. */
static __always_inline void count_out(struct task_struct *task, struct task *state, int has_left)
{
	if (__sync_lock_test_and_set(&state->counted, GONE) == COUNTED)
		let_go(task, state, has_left);
}

/* Return whether that was news: a fork and a look at all tasks may find the same task, and while we
 * look it may end. */
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
	/* Its end may have come and gone before it was followed. */
	if (task->flags & PF_EXITING)
		count_out(task, state, 0);
	return 1;
}

static __always_inline struct task *follow(struct task_struct *task, word process)
{
	struct task *state = bpf_task_storage_get(&tasks, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	/* Perhaps because somebody else has made it in the same instant. */
	if (!state && !(state = followed(task))) {
		ADD(totals.unfollowed, 1);
		return 0;
	}
	if (!state->process)
		state->process = process;
	count_in(task, state);
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

/* Begin to follow whoever runs, if everybody is, or everybody in its group. */
static __noinline struct task *met(struct task_struct *task)
{
	struct task_struct *leader = task->group_leader;
	struct task *model;
	word process;

	if (settings.scope == NAMED_ONLY || (settings.scope == GROUP && !is_in_group()) ||
	    !leader || is_ours(task))
		return 0;
	model = followed(leader);
	if (!model) {
		/* Two threads may come here at the same time: then one record stays unused. */
		process = new_process(leader, parent_of(leader));
		model = follow(leader, process);
		if (!model || task == leader)
			return model;
	}
	return follow(task, model->process);
}

/* The state of whoever runs; nothing if it is not followed, or not any more. */
static __always_inline struct task *current_state(struct task_struct *task)
{
	struct task *state = followed(task);

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
	word process;

	if (!state)
		return 0;
	process = state->process;
	if (child->tgid != task->tgid) {
		if (!settings.follow)
			return 0;
		process = new_process(child, pid_of(task->group_leader));
	}
	state = follow(child, process);
	if (state)
		state->flags |= NEWBORN; /* it does not run yet, so nobody else changes them */
	return 0;
}

/* Whoever waited to become the command has become it. */
SEC("tp_btf/sched_process_exec")
int on_exec(wide *context)
{
	struct task *state = followed(bpf_get_current_task_btf());

	if (state)
		state->flags &= ~WAITING;
	return 0;
}

/* A process is called as its first thread is: by execve, prctl or its file in /proc. */
SEC("tp_btf/task_rename")
int on_rename(wide *context)
{
	struct task_struct *task = (void *)context[0];
	const char *comm = (void *)context[1];
	struct task *state = followed(task);
	struct process *process;

	if (!state || !state->process || task != task->group_leader)
		return 0;
	process = bpf_map_lookup_elem(&processes, &state->process);
	if (process)
		bpf_probe_read_kernel_str(process->comm, COMM, comm);
	return 0;
}

/* Looks at every task of the machine; what runs here is the reader's own read(). */
SEC("iter/task")
int on_look(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task, *self = bpf_get_current_task_btf();
	struct task_struct *leader, *parent;
	struct task *state, *model;
	struct pid *own;
	word process;

	if (!task || task->flags & PF_EXITING)
		return 0;
	own = self->thread_pid;
	totals.level = own->level;
	totals.own = self->tgid;
	parent = self->real_parent;
	totals.service = parent->tgid;
	if (settings.selects && totals.shown)
		want(file_of(totals.shown));
	if (settings.scope != NAMED_ONLY)
		return 0;
	state = followed(task);
	if (state) {
		if (count_in(task, state))
			ADD(totals.taken_in, 1);
		return 0;
	}
	/* Whoever attaches to the shell that we were started from does not ask for us. */
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
	process = new_process(task, parent_of(task));
	if (follow(task, process))
		ADD(totals.taken_in, 1);
	return 0;
}

#endif
