/* SPDX-License-Identifier: MIT OR GPL-2.0-only
 *
 * Counts the system calls of some tasks, in the kernel.
 *
 * A task is followed if it has a `struct task` in its local storage, which fork hands on.  Nothing
 * here stops a task or changes what it does.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "layout.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

#define KERNEL __attribute__((preserve_access_index))
#define PF_EXITING 4
#define SIGNAL_GROUP_EXIT 4
#define TS_COMPAT 2
#define TIF_32BIT 22
#define MAX_ERRNO 4095
#define SIGKILL_BIT (1 << 8)

/* --- what is needed of the kernel's own types --- */

struct upid {
	int nr;
} KERNEL;

struct pid {
	unsigned int level;
	struct upid numbers[1];
} KERNEL;

typedef struct {
	int counter;
} KERNEL atomic_t;

struct signal_struct {
	atomic_t live;
	int group_exit_code;
	unsigned int flags;
} KERNEL;

struct thread_info___x86 {
	unsigned int status;
} KERNEL;

struct task_struct___x86 {
	struct thread_info___x86 thread_info;
} KERNEL;

struct thread_info___arm64 {
	unsigned long flags;
} KERNEL;

struct task_struct___arm64 {
	struct thread_info___arm64 thread_info;
} KERNEL;

typedef struct {
	unsigned long sig[1];
} KERNEL sigset_t;

struct sigpending {
	sigset_t signal;
} KERNEL;

struct task_struct {
	unsigned int flags;
	int tgid;
	int exit_code;
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	struct signal_struct *signal;
	struct sigpending pending;
} KERNEL;

struct pt_regs___x86 {
	unsigned long r10, r9, r8, dx, si, di, bx, cx, bp, orig_ax;
} KERNEL;

struct pt_regs___arm64 {
	wide regs[31];
	wide orig_x0;
	int syscallno;
} KERNEL;

struct bpf_iter__task {
	struct task_struct *task;
} KERNEL;

/* --- what is kept --- */

const volatile struct settings settings = {};
struct totals totals = {};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task);
} tasks SEC(".maps");

#define MAPPED(name, what, entries)                \
	struct {                                   \
		__uint(type, BPF_MAP_TYPE_ARRAY);  \
		__uint(map_flags, BPF_F_MMAPABLE); \
		__uint(max_entries, entries);      \
		__type(key, word);                 \
		__type(value, what);               \
	} name SEC(".maps")

struct histogram {
	word counts[BUCKETS];
};

struct errors {
	word counts[ERRORS];
};

/* The reader sets how many entries there are, by the number of processors. */
MAPPED(sums, struct sums, CALLS);
MAPPED(histograms, struct histogram, CALLS);
MAPPED(errors, struct errors, CALLS);
MAPPED(seen, byte, CALLS);
MAPPED(processes, struct process, 2);

/* Which records of processes are free; the reader fills it, so that low ones are used first. */
struct {
	__uint(type, BPF_MAP_TYPE_STACK);
	__uint(max_entries, 1);
	__type(value, word);
} vacant SEC(".maps");

struct short_path {
	char text[SHORT_PATH];
};

struct long_path {
	char text[LONG_PATH];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, struct short_path);
	__type(value, wide);
} short_paths SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1);
	__type(key, struct long_path);
	__type(value, wide);
} long_paths SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, word);
	__type(value, struct long_path);
} scratch SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} samples SEC(".maps");

/* --- numbers --- */

#define ADD(what, number) __sync_fetch_and_add(&(what), number)

static __always_inline int is_32_bit(struct task_struct *task)
{
	struct task_struct___x86 *x86 = (void *)task;
	struct task_struct___arm64 *arm64 = (void *)task;

	if (bpf_core_field_exists(x86->thread_info.status))
		return x86->thread_info.status & TS_COMPAT;
	return (arm64->thread_info.flags >> TIF_32BIT) & 1;
}

static __always_inline word call_of(struct task_struct *task, wide number)
{
	if (number >= TABLE)
		return STRANGE;
	return is_32_bit(task) ? TABLE + number : number;
}

/* The number of a call whose beginning nobody saw. */
static __always_inline wide number_in(void *registers)
{
	struct pt_regs___x86 *x86 = registers;
	struct pt_regs___arm64 *arm64 = registers;

	if (bpf_core_field_exists(x86->orig_ax))
		return x86->orig_ax;
	return arm64->syscallno;
}

static __always_inline void read_arguments(void *registers, word call, wide *arguments)
{
	struct pt_regs___x86 *x86 = registers;
	struct pt_regs___arm64 *arm64 = registers;

	if (!bpf_core_field_exists(x86->orig_ax)) {
		arguments[0] = arm64->orig_x0;
		arguments[1] = arm64->regs[1];
		arguments[2] = arm64->regs[2];
		arguments[3] = arm64->regs[3];
		arguments[4] = arm64->regs[4];
		arguments[5] = arm64->regs[5];
	} else if (call >= TABLE && call < STRANGE) {
		arguments[0] = (word)x86->bx;
		arguments[1] = (word)x86->cx;
		arguments[2] = (word)x86->dx;
		arguments[3] = (word)x86->si;
		arguments[4] = (word)x86->di;
		arguments[5] = (word)x86->bp;
	} else {
		arguments[0] = x86->di;
		arguments[1] = x86->si;
		arguments[2] = x86->dx;
		arguments[3] = x86->r10;
		arguments[4] = x86->r8;
		arguments[5] = x86->r9;
	}
}

static __always_inline word bucket_of(wide duration)
{
	wide rest = duration;
	word bits = 0, bucket;

	if (duration < 1 << SUB_BITS)
		return duration;
#define HALVE(n)                     \
	if (rest >> (n)) {           \
		bits += (n);         \
		rest >>= (n);        \
	}
	HALVE(32) HALVE(16) HALVE(8) HALVE(4) HALVE(2) HALVE(1)
	bits -= SUB_BITS;
	bucket = (bits << SUB_BITS) + (word)(duration >> bits);
	return bucket < BUCKETS ? bucket : BUCKETS - 1;
}

static __always_inline word error_of(word number)
{
	if (number < PLAIN_ERRORS)
		return number;
	if (number - FIRST_RESTART < RESTARTS)
		return PLAIN_ERRORS + number - FIRST_RESTART;
	return ERRORS - 1;
}

/* The number of a task where the reader lives; 0 where it has none there. */
static __always_inline word pid_of(struct task_struct *task)
{
	struct pid *pid = task->thread_pid;
	word number = 0;

	if (!pid || pid->level < totals.level)
		return 0;
	bpf_probe_read_kernel(&number, sizeof(number),
			      (void *)pid + bpf_core_field_offset(struct pid, numbers) +
				      totals.level * bpf_core_type_size(struct upid) +
				      bpf_core_field_offset(struct upid, nr));
	return number;
}

/* --- tasks and processes --- */

static __always_inline struct task *followed(struct task_struct *task)
{
	return bpf_task_storage_get(&tasks, task, 0, 0);
}

/* Take a record for a new process; the first record is that of all for whom there is none. */
static __always_inline word new_process(struct task_struct *task, word parent, struct task *model)
{
	struct process *process, *before;
	word index = 0, from = model->process;

	if (bpf_map_pop_elem(&vacant, &index)) {
		ADD(totals.crowded, 1);
		return 0;
	}
	process = bpf_map_lookup_elem(&processes, &index);
	if (!process)
		return 0;
	process->pid = pid_of(task);
	process->parent = parent;
	before = bpf_map_lookup_elem(&processes, &from);
	if (before)
		__builtin_memcpy(process->comm, before->comm, COMM);
	process->state = ALIVE;
	return index;
}

static __always_inline int follow(struct task_struct *task, word process, word flags)
{
	struct task *state = bpf_task_storage_get(&tasks, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!state) {
		ADD(totals.unfollowed, 1);
		return 0;
	}
	state->process = process;
	state->flags = flags;
	ADD(totals.tasks, 1);
	return 1;
}

SEC("tp_btf/sched_process_fork")
int on_fork(wide *context)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_struct *child = (void *)context[1];
	struct task *state = followed(task);
	word process;

	if (!state)
		return 0;
	process = state->process;
	if (child->tgid != task->tgid) {
		if (!settings.follow)
			return 0;
		process = new_process(child, pid_of(task->group_leader), state);
	}
	follow(child, process, NEWBORN);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int on_exec(wide *context)
{
	struct task *state = followed(bpf_get_current_task_btf());
	struct process *process;

	if (!state)
		return 0;
	state->flags &= ~WAITING;
	process = bpf_map_lookup_elem(&processes, &state->process);
	if (process && state->process)
		bpf_get_current_comm(process->comm, COMM);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int on_end(wide *context)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task *state = followed(task);
	struct signal_struct *signal = task->signal;
	struct process *process;

	if (!state)
		return 0;
	process = bpf_map_lookup_elem(&processes, &state->process);
	if (process && state->process && !signal->live.counter) {
		process->ending = signal->flags & SIGNAL_GROUP_EXIT ?
					  signal->group_exit_code :
					  task->group_leader->exit_code;
		process->state = ENDED;
	}
	ADD(totals.tasks, -1);
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
	state = followed(task);
	if (state) {
		if (state->flags & UNCOUNTED) {
			state->flags &= ~UNCOUNTED;
			ADD(totals.tasks, 1);
			ADD(totals.taken_in, 1);
		}
		return 0;
	}
	leader = task->group_leader;
	if (task->tgid != self->tgid && leader && task != leader) {
		model = followed(leader);
		if (model && follow(task, model->process, 0))
			ADD(totals.taken_in, 1);
		return 0;
	}
	parent = task->real_parent;
	if (!settings.follow || !parent || task->tgid == self->tgid)
		return 0;
	model = followed(parent);
	if (!model)
		return 0;
	process = new_process(task, pid_of(parent->group_leader), model);
	if (follow(task, process, 0))
		ADD(totals.taken_in, 1);
	return 0;
}

/* --- samples --- */

/* Say whether there is room for one more in this window; failures have a budget of their own. */
static __always_inline int has_room(wide *used, wide now)
{
	wide window = now >> WINDOW_BITS;

	if (totals.window != window) {
		totals.window = window;
		totals.used = 0;
		totals.used_by_failures = 0;
	}
	if (*used >= settings.samples)
		return 0;
	ADD(*used, 1);
	return 1;
}

static __always_inline void read_chunk(struct chunk *chunk, byte plan, wide *arguments)
{
	word index = plan & 7;
	long length;

	chunk->length = 0;
	if (!(plan & CHUNK_WANTED) || index >= ARGUMENTS)
		return;
	chunk->address = arguments[index];
	if (!chunk->address)
		return;
	if (plan & CHUNK_TEXT) {
		length = bpf_probe_read_user_str(chunk->bytes, CHUNK, (void *)chunk->address);
		chunk->length = length > 0 ? length : 0;
	} else if (!bpf_probe_read_user(chunk->bytes, CHUNK, (void *)chunk->address)) {
		chunk->length = CHUNK;
	} else {
		/* The next page may not be there. */
		length = -chunk->address & 4095;
		length &= CHUNK - 1;
		if (length && !bpf_probe_read_user(chunk->bytes, length, (void *)chunk->address))
			chunk->length = length;
	}
}

static __always_inline void keep(struct task_struct *task, struct task *state, word call,
				 wide now, wide duration, long result, int failed)
{
	int shown = has_room(&totals.used, now);
	struct sample *sample;
	int index;

	if (!shown && !(failed && has_room(&totals.used_by_failures, now)))
		return;
	sample = bpf_ringbuf_reserve(&samples, sizeof(*sample), 0);
	if (!sample)
		return;
	sample->began_ns = now - duration;
	sample->duration_ns = duration;
	sample->result = result;
	__builtin_memcpy(sample->arguments, state->arguments, sizeof(sample->arguments));
	sample->pid = pid_of(task->group_leader);
	sample->tid = pid_of(task);
	sample->call = call;
	sample->shown = shown;
#pragma unroll
	for (index = 0; index < CHUNKS; index++)
		read_chunk(&sample->chunks[index], settings.chunks[call][index],
			   state->arguments);
	bpf_ringbuf_submit(sample, BPF_RB_NO_WAKEUP);
	if (shown)
		ADD(totals.kept, 1);
}

/* --- paths --- */

static __always_inline void count_path(const char *address)
{
	wide one = 1, *count = 0;
	struct long_path *path;
	word zero = 0;
	long length;
	int is_long;

	path = bpf_map_lookup_elem(&scratch, &zero);
	if (!path)
		return;
	__builtin_memset(path, 0, SHORT_PATH);
	length = bpf_probe_read_user_str(path, SHORT_PATH, address);
	if (length <= 0)
		return;
	is_long = length == SHORT_PATH;
	if (is_long) {
		__builtin_memset(path, 0, LONG_PATH);
		bpf_probe_read_user_str(path, LONG_PATH, address);
		count = bpf_map_lookup_elem(&long_paths, path);
	} else {
		count = bpf_map_lookup_elem(&short_paths, path);
	}
	if (count) {
		ADD(*count, 1);
		return;
	}
	wide none = 0;
	if (is_long) {
		bpf_map_update_elem(&long_paths, path, &none, BPF_NOEXIST);
		count = bpf_map_lookup_elem(&long_paths, path);
	} else {
		bpf_map_update_elem(&short_paths, path, &none, BPF_NOEXIST);
		count = bpf_map_lookup_elem(&short_paths, path);
	}
	if (count)
		ADD(*count, one);
	else
		ADD(totals.uncounted_paths, 1);
}

/* --- calls --- */

SEC("tp_btf/sys_enter")
int on_enter(wide *context)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task *state = followed(task);

	if (!state)
		return 0;
	state->call = call_of(task, context[1]);
	state->flags = (state->flags & ~NEWBORN) | INSIDE;
	if (settings.samples || settings.reads)
		read_arguments((void *)context[0], state->call, state->arguments);
	state->began_ns = bpf_ktime_get_ns();
	return 0;
}

static __always_inline void count(word call, word cpu, int timed, wide duration, int failed,
				  word error)
{
	word index = cpu * CALLS + call, shard = (cpu % settings.shards) * CALLS + call;
	struct histogram *histogram;
	struct errors *all;
	struct sums *mine;
	word bucket;
	byte *mark;

	mine = bpf_map_lookup_elem(&sums, &index);
	if (!mine)
		return;
	mine->count++;
	if (failed) {
		mine->errors++;
		all = bpf_map_lookup_elem(&errors, &call);
		barrier_var(error); /* or the compiler, which knows, would not let the kernel see it */
		if (all && error < ERRORS)
			ADD(all->counts[error], 1);
	}
	if (timed) {
		mine->total_ns += duration;
		if (!mine->timed || duration < mine->min_ns)
			mine->min_ns = duration;
		if (duration > mine->max_ns)
			mine->max_ns = duration;
		mine->timed++;
		bucket = bucket_of(duration);
		barrier_var(bucket);
		histogram = bpf_map_lookup_elem(&histograms, &shard);
		if (histogram && bucket < BUCKETS)
			ADD(histogram->counts[bucket], 1);
	} else {
		ADD(totals.untimed, 1);
	}
	mark = bpf_map_lookup_elem(&seen, &call);
	if (mark && !*mark)
		*mark = 1;
}

SEC("tp_btf/sys_exit")
int on_exit(wide *context)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task *state = followed(task);
	long result = context[1];
	struct process *process;
	word call, flags, path;
	wide now, duration = 0;
	int failed, timed;

	if (!state)
		return 0;
	now = bpf_ktime_get_ns();
	flags = state->flags;
	state->flags = flags & ~(INSIDE | NEWBORN);
	timed = flags & INSIDE;
	if (flags & WAITING || (!timed && flags & NEWBORN))
		return 0;
	if (!timed) {
		/* Refused by a filter, or begun before we came. */
		state->call = call_of(task, number_in((void *)context[0]));
		read_arguments((void *)context[0], state->call, state->arguments);
	}
	/* Who is being killed will never see the result: the call does not return. */
	if (task->pending.signal.sig[0] & SIGKILL_BIT)
		return 0;
	call = state->call;
	if (call >= CALLS || !settings.traced[call])
		return 0;
	failed = result < 0 && result >= -MAX_ERRNO;
	if ((settings.status == FAILED_ONLY && !failed) ||
	    (settings.status == SUCCESSFUL_ONLY && failed))
		return 0;
	if (timed)
		duration = now - state->began_ns;
	count(call, bpf_get_smp_processor_id(), timed, duration, failed, error_of(-result));
	process = bpf_map_lookup_elem(&processes, &state->process);
	if (process) {
		ADD(process->count, 1);
		ADD(process->total_ns, duration);
		if (failed)
			ADD(process->errors, 1);
	}
	path = settings.opens[call];
	if (settings.reads && path)
		count_path((void *)state->arguments[path == 2]);
	if (settings.samples)
		keep(task, state, call, now, duration, result, failed);
	return 0;
}
