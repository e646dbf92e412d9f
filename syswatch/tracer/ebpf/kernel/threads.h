/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * The records of threads, and when a thread is not on a CPU.
 *
 * A thread that leaves its CPU is seen by the hook of the scheduler, so the time off the CPU is known
 * exactly, by the clock that also times the calls.  How much of it the thread was ready is what the
 * scheduler itself has measured (`run_delay`), by its own clock; it adds that up when the thread gets
 * a CPU.  All other time of a call the thread was working.
 */
#ifndef SYSWATCH_THREADS_H
#define SYSWATCH_THREADS_H

/* A PID in the namespace of the reader, 0 if it has none there.  Read as a number:
 * Linux 6.1 refuses arithmetic on what it knows to be a pointer. */
static __always_inline word number_of(struct pid *pid)
{
	word number = 0;

	if (!pid || BPF_CORE_READ(pid, level) < totals.level)
		return 0;
	bpf_probe_read_kernel(&number, sizeof(number),
			      (void *)pid + bpf_core_field_offset(struct pid, numbers) +
				      totals.level * bpf_core_type_size(struct upid) +
				      bpf_core_field_offset(struct upid, nr));
	return number;
}

static __always_inline word pid_of(struct task_struct *task)
{
	return number_of(BPF_CORE_READ(task, thread_pid));
}

static __always_inline word parent_of(struct task_struct *task)
{
	return pid_of(BPF_CORE_READ(task, real_parent, group_leader));
}

static __always_inline struct task *followed(struct task_struct *task)
{
	return bpf_task_storage_get(&tasks, task, 0, 0);
}

/* The same, without a helper if the task has no storage at all, as most tasks of the machine.  Only used
 * where many of them pass, because the verifier takes a millisecond for each pointer loaded from a task. */
static __always_inline struct task *rarely_followed(struct task_struct *task)
{
	if (settings.scope != EVERYBODY && bpf_core_field_exists(task->bpf_storage) &&
	    !task->bpf_storage)
		return 0;
	return followed(task);
}

static __always_inline int measures_delay(struct task_struct *task)
{
	return bpf_core_field_exists(task->sched_info.run_delay);
}

static __always_inline wide delay_of(struct task_struct *task)
{
	return measures_delay(task) ? BPF_CORE_READ(task, sched_info.run_delay) : 0;
}

/* Set the name of a process, padded with zeros. */
static __always_inline void name_process(struct process *process, const char *comm)
{
	wide name[COMM / sizeof(wide)] = {};

	bpf_probe_read_kernel_str(name, COMM, comm);
	*(wide *)process->comm = name[0];
	*(wide *)(process->comm + sizeof(wide)) = name[1];
}

/* The record of a thread; null if it has none of its own. */
static __always_inline struct thread *record_of(struct task *state)
{
	word index = state->thread;

	return index >= FIRST_THREAD ? bpf_map_lookup_elem(&threads, &index) : 0;
}

static __always_inline word vacant_thread(void)
{
	word index = 0;
	wide unused;

	if (!bpf_map_pop_elem(&vacant_threads, &index))
		return index;
	if (totals.unused_threads < THREADS) {
		unused = ADD(totals.unused_threads, 1);
		if (unused < THREADS)
			return unused;
	}
	ADD(totals.crowded_threads, 1);
	return SHARED_THREAD;
}

static __always_inline void fill_thread(struct task_struct *task, struct task *state, word index,
					wide now, word flags)
{
	struct thread *thread = bpf_map_lookup_elem(&threads, &index);

	if (!thread || index < FIRST_THREAD)
		return;
	thread->process = state->process;
	thread->tid = pid_of(task);
	thread->flags = flags;
	thread->born_ns = now;
	thread->delay_ns = delay_of(task);
	thread->off_since_ns = flags & THREAD_OFF ? now : 0;
	bpf_probe_read_kernel_str(thread->comm, COMM, task->comm);
}

/* Set since when a thread has been off the CPU, 0 if it runs; why is not known. */
static __always_inline void switch_record(struct thread *thread, wide since)
{
	if (since)
		SET_BITS(thread->flags, THREAD_OFF);
	else
		CLEAR_BITS(thread->flags, THREAD_OFF | THREAD_RUNNABLE);
	thread->off_since_ns = since;
}

/* Give a task a record; the task itself, its parent or an iteration over all tasks may do so. */
static __noinline void new_thread(struct task_struct *task, struct task *state, wide now, word flags)
{
	struct thread *thread;
	word index;

	if (state->thread || state->counted == GONE)
		return;
	index = vacant_thread();
	fill_thread(task, state, index, now, flags);
	state->voluntary = task->nvcsw;
	state->off_since_ns = flags & THREAD_OFF ? now : 0;
	if (__sync_val_compare_and_swap(&state->thread, NO_THREAD, index) != NO_THREAD) {
		if (index >= FIRST_THREAD)
			bpf_map_push_elem(&vacant_threads, &index, BPF_ANY);
		return;
	}
	thread = record_of(state);
	if (!thread)
		return;
	/* It may have been switched in or out on another CPU, which had no record to change yet. */
	if (state->off_since_ns != thread->off_since_ns)
		switch_record(thread, state->off_since_ns);
	thread->state = ALIVE;
}

/* Let the reader see the call in progress.  The reader may look at a thread while it is switched in
 * or out on another CPU, so all changes of the flags are atomic. */
static __always_inline void publish(struct task_struct *task, struct task *state,
				    struct thread *thread, wide now)
{
	thread->ready_ns = delay_of(task) - thread->delay_ns;
	thread->seen_ns = now;
	CLEAR_BITS(thread->flags, THREAD_RUNNABLE);
	if (state->flags & INSIDE && !(state->flags & WAITING)) {
		thread->began_ns = state->began_ns;
		thread->call_off_ns = state->off_ns;
		thread->row = state->row;
		thread->object = state->object;
		thread->activity = state->activity;
		thread->waits = state->waits;
		__builtin_memcpy(thread->arguments, state->arguments, sizeof(thread->arguments));
		SET_BITS(thread->flags, THREAD_IN_CALL);
	} else {
		CLEAR_BITS(thread->flags, THREAD_IN_CALL);
	}
}

/* A thread that was just created has not been in a call before. */
static __always_inline void know_beginning(struct task *state)
{
	struct thread *thread = record_of(state);

	if (thread)
		CLEAR_BITS(thread->flags, THREAD_FOUND);
}

/* A thread that replaces its program gets the number of the first thread of its process. */
static __always_inline void renumber_thread(struct task_struct *task, struct task *state)
{
	struct thread *thread = record_of(state);

	if (thread)
		thread->tid = pid_of(task);
}

/* Forget the time before the command runs. */
static __always_inline void restart_thread(struct task_struct *task, struct task *state)
{
	struct thread *thread = record_of(state);

	if (!thread)
		return;
	CLEAR_BITS(thread->flags, THREAD_FOUND);
	thread->born_ns = state->began_ns;
	thread->off_ns = state->off_ns;
	thread->delay_ns = state->switches ? state->delay_ns : delay_of(task);
	thread->voluntary = thread->switches = state->switches;
}

static __always_inline void end_thread(struct task_struct *task, struct task *state)
{
	struct thread *thread = record_of(state);
	wide now;

	if (!thread)
		return;
	now = bpf_ktime_get_ns();
	publish(task, state, thread, now);
	thread->ended_ns = now;
	thread->state = ENDED;
	/* It still runs for a moment, while its record may be reused. */
	state->thread = NO_THREAD;
}

static __always_inline void switch_out(struct task_struct *task, struct task *state, wide now)
{
	wide switches = task->nvcsw, delay = delay_of(task);
	int waits = switches != state->voluntary;
	struct thread *thread = record_of(state);

	state->voluntary = switches;
	state->off_since_ns = now;
	if (state->flags & INSIDE) {
		if (!state->switches++)
			state->delay_ns = delay;
		state->waits += waits;
	}
	if (!thread)
		return;
	thread->switches++;
	thread->voluntary += waits;
	SET_BITS(thread->flags, waits ? THREAD_OFF | THREAD_WAITS : THREAD_OFF);
	publish(task, state, thread, now);
	thread->off_since_ns = now;
}

static __always_inline void switch_in(struct task *state, wide now)
{
	struct thread *thread = record_of(state);
	wide off;

	if (!state->off_since_ns)
		return;
	off = now - state->off_since_ns;
	state->off_since_ns = 0;
	if (state->flags & INSIDE)
		state->off_ns += off;
	if (!thread)
		return;
	CLEAR_BITS(thread->flags, THREAD_OFF | THREAD_WAITS | THREAD_RUNNABLE);
	/* In this order: a reader in between finds too little rather than too much. */
	thread->off_since_ns = 0;
	thread->off_ns += off;
}

static __always_inline void rename_thread(struct task *state, const char *comm)
{
	struct thread *thread = record_of(state);

	if (thread)
		bpf_probe_read_kernel_str(thread->comm, COMM, comm);
}

/* Only loaded if objects are followed. */
SEC("tp_btf/sched_switch")
int on_switch(wide *context)
{
	struct task_struct *before = (void *)context[1], *after = (void *)context[2];
	struct task *state = rarely_followed(before);

	if (state)
		switch_out(before, state, bpf_ktime_get_ns());
	state = rarely_followed(after);
	if (state)
		switch_in(state, bpf_ktime_get_ns());
	return 0;
}

#endif
