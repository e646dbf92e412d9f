/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Counts the system calls of some tasks, in the kernel.
 *
 * A task is followed if it has a `struct task` in its task storage.  Nothing here stops a task or
 * changes what it does.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "layout.h"
#include "types.h"
#include "maps.h"
#include "machine.h"
#include "signals.h"
#include "files.h"
#include "threads.h"
#include "looks.h"
#include "sums.h"
#include "evidence.h"
#include "tasks.h"
#include "paths.h"
#include "lists.h"
#include "memory.h"
#include "objects.h"
#include "file_objects.h"
#include "path_objects.h"
#include "sockets.h"
#include "internet_sockets.h"
#include "unix_sockets.h"
#include "descriptor_objects.h"
#include "activity.h"
#include "waits.h"
#include "epoll.h"
#include "credit.h"
#include "starts.h"
#include "polled.h"
#include "peers.h"
#include "beginnings.h"
#include "endings.h"
#include "groups.h"
#include "counting.h"
#include "samples.h"
#include "events.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

/* Without entries, the exits must add tasks of a control group or of the whole machine. */
static __always_inline int sees_beginnings(void)
{
	return settings.timed || settings.selects || settings.profile;
}

static __always_inline int needs_arguments(void)
{
	return settings.samples || settings.reads || settings.selects || settings.objects ||
	       settings.events || settings.profile;
}

/* Prepare to count a call by its object, and the time that it is off the CPU; return whether
 * `begin_other` must find the object. */
static __always_inline int begin_call(struct task_struct *task, struct task *state, word flags,
				      int loads)
{
	word call = state->call;

	if (!state->thread)
		new_thread(task, state, bpf_ktime_get_ns(), THREAD_FOUND);
	if (state->switches) {
		state->switches = state->waits = 0;
		state->off_ns = 0;
	}
	if (call >= CALLS || !catalog.traced[call] || (settings.selects && !(flags & WANTED))) {
		/* A wait in it is not for what the last call was about. */
		state->object = NO_OBJECT;
		state->activity = NO_ACTIVITY;
		return 0;
	}
	return begin_activity(task, state, loads);
}

/* With `loads`, the file of a descriptor is loaded directly. */
static __always_inline int enter(wide *context, int loads)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task *state = current_state(task);

	if (!state)
		return 0;
	identify(task, state, context[1]);
	state->flags = (state->flags & WAITING) | INSIDE | SETTLED;
	if (needs_arguments())
		read_arguments((void *)context[0], state->call, state->arguments);
	if (settings.selects)
		state->flags |= wanted(state->call, state->arguments);
	if (settings.objects && begin_call(task, state, state->flags, loads))
		begin_other(state);
	/* Now, so that the work above is no part of the call. */
	state->began_ns = bpf_ktime_get_ns();
	if (settings.samples && (settings.reads || settings.links))
		read_early(task, state);
	return 0;
}

/* One of the two is loaded, or none if only exits are counted: this one since Linux 6.2. */
SEC("tp_btf/sys_enter")
int on_enter(wide *context)
{
	return enter(context, 1);
}

SEC("tp_btf/sys_enter")
int on_enter_old(wide *context)
{
	return enter(context, 0);
}

/* Since Linux 6.10 there is a tracepoint after execve has read its arguments, so that all of them are
 * in memory, and before it replaces the memory. */
SEC("tp_btf/sched_prepare_exec")
int on_prepare(wide *context)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task *state = followed(task);

	if (state && state->flags & INSIDE)
		read_early(task, state);
	return 0;
}

/* Sample the call in which a task ends: exit itself, or the call in which it was killed. */
static __noinline void keep_unfinished(struct task_struct *task, struct task *state, word flags)
{
	struct outcome outcome = {.unfinished = 1};

	if (is_counted(state, flags))
		keep(task, state, flags, state->began_ns, &outcome, 0);
}

/* Record such a call.  Not in the same function, because its variables would be on the stack of the
 * sample. */
static __noinline void record_unfinished(struct task *state, word flags)
{
	struct outcome outcome = {.unfinished = 1};

	if (is_counted(state, flags))
		record_call(state, &outcome, state->began_ns, 0);
}

SEC("tp_btf/sched_process_exit")
int on_end(wide *context)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task *state = followed(task);

	if (!state)
		return 0;
	if (settings.samples)
		keep_unfinished(task, state, state->flags);
	if (settings.events)
		record_unfinished(state, state->flags);
	if (settings.profile)
		ended_evidence(task, state, state->flags);
	count_out(task, state, 0);
	return 0;
}

/* Do what was not done at the beginning of a call: neither its times nor, if it has closed its
 * descriptor, its object are known.  Return whether `begin_other` must find the object. */
__noinline int begin_late(struct task *state, word flags)
{
	struct thread *thread;
	int is_other;

	if (!state)
		return 0;
	state->began_ns = 0;
	is_other = begin_call(bpf_get_current_task_btf(), state, flags, 0);
	state->switches = state->waits = 0;
	state->off_ns = 0;
	thread = record_of(state);
	if (thread && thread->flags & THREAD_FOUND && !thread->first_exit_ns) {
		thread->first_exit_ns = bpf_ktime_get_ns();
		thread->first_off_ns = thread->off_ns;
	}
	return is_other;
}

static __always_inline int leave(wide *context, struct task_struct *task)
{
	struct task *state = sees_beginnings() ? rarely_followed(task) : current_state(task);
	struct outcome outcome = {};
	long result = context[1];
	word call, flags, path;
	wide now = 0;

	if (!state && sees_beginnings())
		state = met(task);
	if (!state)
		return 0;
	if (settings.timed)
		now = bpf_ktime_get_ns();
	flags = state->flags;
	state->flags = (flags & WAITING) | SETTLED;
	if (flags & WAITING)
		return 0;
	if (is_cut_short(task)) {
		/* Now, because the memory is released before the task has ended. */
		if (settings.samples)
			keep_unfinished(task, state, flags);
		if (settings.events)
			record_unfinished(state, flags);
		if (settings.profile)
			ended_evidence(task, state, flags);
		return 0;
	}
	if (!(flags & INSIDE)) {
		/* A new task returns from the call that created it. */
		if (flags & NEWBORN)
			return 0;
		/* Refused by a filter, or begun before attaching, or only exits are counted. */
		identify(task, state, number_in(task, (void *)context[0], result));
		if (needs_arguments())
			read_arguments((void *)context[0], state->call, state->arguments);
		if (settings.selects)
			flags |= wanted(state->call, state->arguments);
		if (settings.objects && begin_late(state, flags))
			begin_other(state);
	}
	call = state->call;
	if (is_noticed(call))
		notice(state, result);
	if (call >= CALLS || !catalog.traced[call] || (settings.selects && !(flags & WANTED)))
		return 0;
	outcome.failed = has_failed(result);
	path = catalog.opens[call];
	if (settings.selects && flags & NAMED && path && !outcome.failed)
		want(file_of((int)result));
	if (is_other_result(outcome.failed))
		return 0;
	outcome.timed = settings.timed && flags & INSIDE;
	if (outcome.timed) {
		outcome.duration = now - state->began_ns;
		outcome.bucket = bucket_of(outcome.duration);
	}
	outcome.error = error_of(-result);
	if (settings.objects) {
		split(task, state, &outcome);
		end_activity(state, &outcome, result);
	}
	if (settings.profile)
		returned_evidence(task, state, flags, outcome.failed);
	count(state->row, &outcome);
	count_process(state->process, state->row, &outcome);
	if (settings.groups)
		count_group(task, state, &outcome);
	if (settings.reads && path)
		count_path(state->arguments[path == 2], outcome.failed);
	/* The slowest calls are sampled even if there is no log. */
	if (settings.samples || settings.objects)
		keep(task, state, flags, now, &outcome, result);
	/* After the sample, so that the reader of both finds the sample of each recorded call. */
	if (settings.events)
		record_call(state, &outcome, now, result);
	return 0;
}

/* One of the two is loaded: this one since Linux 6.2, if calls are only counted. */
SEC("tp_btf/sys_exit")
int on_exit_counting(wide *context)
{
	struct task_struct *task = bpf_get_current_task_btf();

	return count_only(context, task) ? 0 : leave(context, task);
}

SEC("tp_btf/sys_exit")
int on_exit(wide *context)
{
	return leave(context, bpf_get_current_task_btf());
}
